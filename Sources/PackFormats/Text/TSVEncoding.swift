// SPDX-License-Identifier: Apache-2.0

/// `number`, `number⇥label` or `number⇥label⇥block`, each followed by a line feed: the input of `ringfence pack build`.
///
/// A number alone blocks; a label identifies; a label with `block` does both.
struct TSVEncoding: RecordEncoding {
  func encode(_ entry: ListEntry, into bytes: inout [UInt8]) -> RecordOutcome {
    bytes.append(String(entry.number))
    var altered = false
    if let label = entry.label {
      let cell = TextCells.oneLine(label)
      altered = cell.altered
      bytes.append("\t")
      bytes.append(cell.text)
      if entry.blocks { bytes.append("\tblock") }
    }
    bytes.append("\n")
    return altered ? .altered : .written
  }
}
