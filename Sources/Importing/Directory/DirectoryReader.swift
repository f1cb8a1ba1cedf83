// SPDX-License-Identifier: Apache-2.0

/// Collects a directory's lines into chunks of complete rows.
final class DirectoryReader {
  /// Bytes in a chunk, exceeded by at most one row.
  static let chunkBytes = 1 << 18

  let columns: DirectoryColumns
  /// Whether commas separate fields and quotes are recognized; otherwise tabs separate fields.
  let isCSV: Bool
  private let lines: LineReader
  private let csv: CSVLines
  private var first: (bytes: [UInt8], line: Int)?

  /// Opens the file and reads its header.
  /// - Throws: ``ImportFileError``, `CancellationError`.
  init(_ options: DirectoryOptions, isCancelled: @escaping @Sendable () -> Bool) throws {
    lines = try LineReader(path: options.path, isCancelled: isCancelled)
    csv = CSVLines(lines)
    var header: [UInt8] = []
    while header.isEmpty, let line = try lines.nextRaw() { header = Array(line.bytes) }
    let isCSV = !header.contains(0x09)
    self.isCSV = isCSV
    var row = DirectoryRow()
    let fields = header.withUnsafeBufferPointer { bytes in
      row.read(bytes, isCSV: isCSV) ? (0..<row.count).map { String(decoding: row[$0], as: UTF8.self) } : []
    }
    if !options.hasHeader, !header.isEmpty { first = (header, lines.lineNumber) }
    columns = try DirectoryColumns(
      header: fields, names: options.columns, hasHeader: options.hasHeader, path: lines.name)
  }

  /// The next rows, nil at the end.
  /// - Throws: ``ImportFileError``, `CancellationError`.
  func next() throws -> RecordChunk? {
    var chunk = RecordChunk()
    chunk.bytes.reserveCapacity(Self.chunkBytes + 4_096)
    if let first {
      first.bytes.withUnsafeBufferPointer { chunk.append($0, line: first.line) }
      self.first = nil
    }
    while chunk.bytes.count < Self.chunkBytes {
      guard let line = try csv.next() else { break }
      if line.bytes.isEmpty { continue }
      if line.isTooLong {
        let kept = UnsafeBufferPointer(rebasing: line.bytes.prefix(ComplaintLimits.rejectTextBytes))
        chunk.append(kept, line: line.number, problem: .lineTooLong)
      } else if isCSV {
        try chunk.appendCSV(line, followedBy: csv)
      } else {
        chunk.append(line.bytes, line: line.number)
      }
    }
    chunk.bytesRead = lines.bytesRead
    chunk.totalBytes = lines.totalBytes
    return chunk.records.isEmpty ? nil : chunk
  }
}
