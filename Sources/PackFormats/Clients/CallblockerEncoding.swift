// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// The block list of callblocker: `{"name":"…","entries":[{"number":"+…","name":"…"}]}`.
///
/// callblocker blocks every number that begins with an entry's, so a short number would block many others.
struct CallblockerEncoding: RecordEncoding {
  /// The least digits of a number.
  private static let leastDigits = 7
  /// The most characters of a name.
  private static let mostCharacters = 200

  private let options: ExportOptions
  private let dates: String
  private var isFirst = true

  init(options: ExportOptions) {
    self.options = options
    let style = Date.ISO8601FormatStyle(dateTimeSeparator: .space)
    let time = style.format(Date(timeIntervalSince1970: TimeInterval(options.time))).replacing("Z", with: " +0000")
    dates = options.time > 0 ? ",\"date_created\":\"\(time)\",\"date_modified\":\"\(time)\"" : ""
  }

  func begin(into bytes: inout [UInt8]) {
    bytes.append("{\"name\":\"")
    JSONLinesEncoding.escape(options.listName, into: &bytes)
    bytes.append("\",\"entries\":[")
  }

  mutating func encode(_ entry: ListEntry, into bytes: inout [UInt8]) -> RecordOutcome {
    guard entry.blocks || options.includesIdentified else { return .notBlocking }
    let digits = String(entry.number)
    guard digits.utf8.count >= Self.leastDigits else { return .unsuitable }
    let label = entry.label ?? options.unnamedCaller
    let name = String(String.UnicodeScalarView(label.unicodeScalars.prefix(Self.mostCharacters)))
    bytes.append(isFirst ? "\n" : ",\n")
    isFirst = false
    bytes.append("{\"number\":\"+\(digits)\",\"name\":\"")
    JSONLinesEncoding.escape(name, into: &bytes)
    bytes.append("\"\(dates)}")
    return name.utf8.count != label.utf8.count ? .altered : .written
  }

  func end(into bytes: inout [UInt8]) { bytes.append("]}\n") }
}
