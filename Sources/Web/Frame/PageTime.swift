import Foundation
import Timestamps

/// A moment on a page, for the partial `time`: `{{#since}}{{>time}}{{/since}}`. A script shows it in the reader's own time.
struct PageTime: Encodable {
  /// RFC 3339.
  let datetime: String
  /// `2026-11-21 09:00 UTC`.
  let text: String

  init(_ date: Date) {
    datetime = Timestamp.format(date)
    text = "\(datetime.prefix(10)) \(datetime.dropFirst(11).prefix(5)) UTC"
  }
}
