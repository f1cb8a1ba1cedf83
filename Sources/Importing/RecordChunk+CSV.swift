extension RecordChunk {
  /// Adds a line of CSV, and the lines after it that belong to the same record because a quoted field goes on.
  /// - Parameter lines: where the line came from.
  /// - Throws: `ImportFileError`, `CancellationError`.
  mutating func appendCSV(_ line: LineReader.RawLine, followedBy lines: LineReader) throws {
    // The bytes of a line are good until the next one is read.
    var scanner = CSVScanner()
    scanner.read(line.bytes)
    append(line.bytes, line: line.number)
    let index = records.count - 1
    while scanner.isInsideQuotes {
      guard let more = try lines.nextRaw() else {
        records[index].problem = .badQuote
        return
      }
      scanner.read(more.bytes)
      let length = records[index].end - records[index].start
      if more.isTooLong || length + more.bytes.count >= lines.maximumLineBytes {
        records[index].problem = .lineTooLong
        return
      }
      bytes.append(0x0A)
      bytes.append(contentsOf: more.bytes)
      records[index].end = bytes.count
    }
  }
}
