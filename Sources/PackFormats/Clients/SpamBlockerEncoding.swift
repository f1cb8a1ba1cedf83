// SPDX-License-Identifier: Apache-2.0

import XMLSyntax

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
