import Foundation
import PageTemplates
import Timestamps

/// A moment on a page, for the partial `time`: `{{#since}}{{>time}}{{/since}}`. A script shows it in the reader's own time.
struct PageTime: TemplateValueConvertible {
  /// RFC 3339.
  let datetime: String
  /// `2026-11-21 09:00 UTC`.
  let text: String

  init(_ date: Date) {
    datetime = Timestamp.format(date)
    // By bytes: characters would be looked for one by one, and pages have a hundred times.
    let bytes = datetime.utf8
    text = "\(Substring(bytes.prefix(10))) \(Substring(bytes.dropFirst(11).prefix(5))) UTC"
  }

  var templateValue: TemplateValue { ["datetime": .text(datetime), "text": .text(text)] }
}
