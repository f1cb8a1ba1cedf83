// SPDX-License-Identifier: Apache-2.0

extension RecordChunk {
  /// Adds a line of CSV, and the lines after it that belong to the same record because a quoted field continues.
  ///
  /// A quoted field that does not end within the file or the size of a record, or has text after its closing quote, is
  /// attributed to a missing quote: the first line is rejected, and the next ones are read again.
  /// - Parameters:
  ///   - lines: the source of the line.
  ///   - separator: separates the fields.
  /// - Throws: `ImportFileError`, `CancellationError`.
  mutating func appendCSV(
    _ line: LineReader.RawLine, followedBy lines: CSVLines, separator: UInt8 = CSVScanner.comma
  ) throws {
    // The bytes of a line are valid until the next one is read.
    var scanner = CSVScanner(separator: separator)
    scanner.read(line.bytes)
    append(line.bytes, line: line.number)
    guard scanner.isInsideQuotes else { return }
    let index = records.count - 1
    let first = records[index].end
    var more: [(bytes: [UInt8], number: Int)] = []
    while scanner.isInsideQuotes, !scanner.isMalformed {
      guard let next = try lines.next() else {
        return give(back: more, to: lines, from: index, cutAt: first, .badQuote)
      }
      if next.isTooLong {
        let kept = UnsafeBufferPointer(rebasing: next.bytes.prefix(ComplaintLimits.rejectTextBytes))
        give(back: more, to: lines, from: index, cutAt: first, .badQuote)
        return append(kept, line: next.number, problem: .lineTooLong)
      }
      more.append((Array(next.bytes), next.number))
      guard records[index].end - records[index].start + next.bytes.count < lines.maximumLineBytes else {
        return give(back: more, to: lines, from: index, cutAt: first, .badQuote)
      }
      scanner.read(next.bytes)
      bytes.append(0x0A)
      bytes.append(contentsOf: next.bytes)
      records[index].end = bytes.count
    }
    if scanner.isMalformed { give(back: more, to: lines, from: index, cutAt: first, .badQuote) }
  }

  private mutating func give(
    back more: [(bytes: [UInt8], number: Int)], to lines: CSVLines, from index: Int, cutAt first: Int,
    _ problem: RejectReason
  ) {
    records[index].problem = problem
    guard lines.putBack(more) else { return }
    records[index].end = first
    bytes.removeLast(bytes.count - first)
  }
}
