// SPDX-License-Identifier: Apache-2.0

/// Collects a file's lines into chunks of complete records: one line each, or more where a CSV field contains line
/// ends.
final class RecordReader {
  /// The most records in a chunk.
  static let chunkRecords = 1_024
  /// Bytes in a chunk, exceeded by at most one record.
  static let chunkBytes = 1 << 18

  let format: ComplaintFormat
  /// The columns of the fields; nil for JSON.
  let columns: RecordColumns?
  private let lines: LineReader
  private let csv: CSVLines
  private var firstRow: (bytes: [UInt8], line: Int, isTooLong: Bool)?

  /// Opens the file and reads its header.
  /// - Throws: ``ImportFileError``, `CancellationError`.
  init(path: String, format: ComplaintFormat, isCancelled: @escaping @Sendable () -> Bool) throws {
    self.format = format
    lines = try LineReader(path: path, isCancelled: isCancelled)
    csv = CSVLines(lines)
    guard format != .jsonLines else {
      columns = nil
      return
    }
    var fields: [String] = []
    while fields.isEmpty, let line = try lines.nextRaw() {
      if line.bytes.isEmpty { continue }
      var row = CSVRow()
      if format == .ftcCSV { _ = row.read(line.bytes) } else { row.split(line.bytes, at: UInt8(ascii: "\t")) }
      fields = (0..<row.count).map { String(decoding: row[$0], as: UTF8.self) }
      if format == .ftcTSV, !RecordColumns.isHeader(fields) {
        firstRow = (Array(line.bytes), line.number, line.isTooLong)
      }
    }
    let isBare = format == .ftcTSV && (fields.isEmpty || firstRow != nil)
    columns = isBare ? .bareTSV : try RecordColumns(header: fields, path: lines.name)
  }

  /// The next records, nil at the end.
  /// - Throws: ``ImportFileError``, `CancellationError`.
  func next() throws -> RecordChunk? {
    var chunk = RecordChunk()
    if let row = firstRow {
      firstRow = nil
      row.bytes.withUnsafeBufferPointer {
        chunk.append($0, line: row.line, problem: row.isTooLong ? .lineTooLong : nil)
      }
    }
    while chunk.records.count < Self.chunkRecords, chunk.bytes.count < Self.chunkBytes {
      guard let line = try csv.next() else { break }
      if line.isTooLong {
        let kept = UnsafeBufferPointer(rebasing: line.bytes.prefix(ComplaintLimits.rejectTextBytes))
        chunk.append(kept, line: line.number, problem: .lineTooLong)
      } else if line.bytes.isEmpty {
        continue
      } else if format == .ftcCSV {
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
