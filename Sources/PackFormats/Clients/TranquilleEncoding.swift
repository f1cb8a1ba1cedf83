// SPDX-License-Identifier: Apache-2.0

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
