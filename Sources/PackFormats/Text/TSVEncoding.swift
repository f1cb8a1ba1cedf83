// SPDX-License-Identifier: Apache-2.0

/// `number`, `number⇥label` or `number⇥label⇥block`, each followed by a line feed: the input of `ringfence pack build`.
///
/// A number alone blocks; a label identifies; a label with `block` does both. In a label `\\` is a backslash, `\t` a tab,
/// `\n` a line feed, `\r` a carriage return, and `\u` with four hex digits any other control character, U+2028 or U+2029.
struct TSVEncoding: RecordEncoding {
  func encode(_ entry: ListEntry, into bytes: inout [UInt8]) -> RecordOutcome {
    bytes.append(String(entry.number))
    if let label = entry.label {
      bytes.append("\t")
      bytes.append(TextCells.escaped(label))
      if entry.blocks { bytes.append("\tblock") }
    }
    bytes.append("\n")
    return .written
  }
}
