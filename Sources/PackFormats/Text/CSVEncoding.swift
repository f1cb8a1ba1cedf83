// SPDX-License-Identifier: Apache-2.0

/// RFC 4180: the header `number,label,block`, lines end in CR LF, `block` is 1 or 0.
///
/// Labels that a spreadsheet would read as a formula (they begin with = + - @) get an apostrophe in front.
struct CSVEncoding: RecordEncoding {
  func begin(into bytes: inout [UInt8]) { bytes.append("number,label,block\r\n") }

  func encode(_ entry: ListEntry, into bytes: inout [UInt8]) -> RecordOutcome {
    let cell = CSVField.encode(entry.label ?? "")
    bytes.append(String(entry.number))
    bytes.append(",")
    bytes.append(cell.text)
    bytes.append(entry.blocks ? ",1\r\n" : ",0\r\n")
    return cell.altered ? .altered : .written
  }
}

/// The import format of FreePBX's blacklist module: the header `number,description`, fields as in RFC 4180.
struct FreePBXEncoding: RecordEncoding {
  let prefix: String
  let includesIdentified: Bool

  init(options: ExportOptions) {
    prefix = options.numberPrefix.text
    includesIdentified = options.includesIdentified
  }

  func begin(into bytes: inout [UInt8]) { bytes.append("number,description\r\n") }

  func encode(_ entry: ListEntry, into bytes: inout [UInt8]) -> RecordOutcome {
    guard entry.blocks || includesIdentified else { return .notBlocking }
    // The module reads single lines: a quoted line end would give two entries.
    let line = TextCells.oneLine(entry.label ?? "")
    let cell = CSVField.encode(line.text)
    bytes.append(prefix)
    bytes.append(String(entry.number))
    bytes.append(",")
    bytes.append(cell.text)
    bytes.append("\r\n")
    return line.altered || cell.altered ? .altered : .written
  }
}
