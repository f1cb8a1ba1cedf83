// SPDX-License-Identifier: Apache-2.0

import Foundation
import XMLSyntax

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

/// Numbers with a plus, separated by commas and without a line end, for Fossify Phone.
struct FossifyEncoding: RecordEncoding {
  private let includesIdentified: Bool
  private var isFirst = true

  init(options: ExportOptions) {
    includesIdentified = options.includesIdentified
  }

  mutating func encode(_ entry: ListEntry, into bytes: inout [UInt8]) -> RecordOutcome {
    guard entry.blocks || includesIdentified else { return .notBlocking }
    bytes.append(isFirst ? "+\(entry.number)" : ",+\(entry.number)")
    isFirst = false
    return .written
  }
}

/// SpamBlocker's CSV: the header `pattern,description`, digits without a plus, and lines that only LF separates.
///
/// Its parser joins two quotation marks to none, reads a line end in a header's cell as text, and takes an empty last
/// line for a rule. So labels have no quotation marks, and the last line has no end.
struct SpamBlockerCSVEncoding: RecordEncoding {
  let includesIdentified: Bool

  init(options: ExportOptions) {
    includesIdentified = options.includesIdentified
  }

  func begin(into bytes: inout [UInt8]) { bytes.append("pattern,description") }

  func encode(_ entry: ListEntry, into bytes: inout [UInt8]) -> RecordOutcome {
    guard entry.blocks || includesIdentified else { return .notBlocking }
    let label = entry.label ?? ""
    let text = TextCells.oneLine(label).text.replacing("\"", with: "'")
    bytes.append("\n")
    bytes.append(String(entry.number))
    bytes.append(text.utf8.contains(UInt8(ascii: ",")) ? ",\"\(text)\"" : ",\(text)")
    return text != label ? .altered : .written
  }
}

/// XML for SpamBlocker's XPath import: `//n[@votes > 4]/@p`. A number that has left the list has `votes="0"`.
struct SpamBlockerXMLEncoding: RecordEncoding {
  /// The votes of a listed number. Clients have limits of their own up to 10.
  private static let votes = 10

  let includesIdentified: Bool
  let serial: Int64

  static var hasRemovals: Bool { true }

  init(options: ExportOptions) {
    includesIdentified = options.includesIdentified
    serial = options.serial
  }

  func begin(into bytes: inout [UInt8]) {
    bytes.append("<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<l v=\"\(serial)\">\n")
  }

  func encode(_ entry: ListEntry, into bytes: inout [UInt8]) -> RecordOutcome {
    if entry.isRemoved {
      bytes.append("<n p=\"\(entry.number)\" votes=\"0\"/>\n")
      return .written
    }
    guard entry.blocks || includesIdentified else { return .notBlocking }
    bytes.append("<n p=\"\(entry.number)\" votes=\"\(Self.votes)\"")
    let label = entry.label.map(TextCells.oneLine)
    if let label { bytes.append(" l=\"\(XMLText.escaped(label.text))\"") }
    bytes.append("/>\n")
    return label?.altered ?? false ? .altered : .written
  }

  func end(into bytes: inout [UInt8]) { bytes.append("</l>\n") }
}

/// The CSV of Tranquille and Yet Another Call Blocker: fields as in RFC 4180, the time in milliseconds, lines end in LF.
struct TranquilleEncoding: RecordEncoding {
  private let options: ExportOptions

  init(options: ExportOptions) {
    self.options = options
  }

  func begin(into bytes: inout [UInt8]) {
    bytes.append("ID,name,pattern,creationTimestamp,numberOfCalls,lastCallTimestamp\n")
  }

  func encode(_ entry: ListEntry, into bytes: inout [UInt8]) -> RecordOutcome {
    guard entry.blocks || options.includesIdentified else { return .notBlocking }
    let line = TextCells.oneLine(entry.label ?? options.unnamedCaller)
    let cell = CSVField.encode(line.text)
    let time = options.time > 0 ? String(options.time * 1_000) : ""
    bytes.append(",\(cell.text),+\(entry.number),\(time),0,\n")
    return line.altered || cell.altered ? .altered : .written
  }
}
