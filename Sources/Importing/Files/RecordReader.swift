// SPDX-License-Identifier: Apache-2.0

/// Collects a file's lines into chunks of complete records: one line each, or more where a CSV field contains line
/// ends.
final class RecordReader {
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
    guard format != .ftcCSV else {
      let header = try DelimitedHeader(csv, path: lines.name)
      columns = try RecordColumns(
        header: header?.fields ?? [], path: lines.name, separator: header?.separator ?? CSVScanner.comma)
      return
    }
    var fields: [String] = []
    while fields.isEmpty, let line = try lines.nextRaw() {
      if line.bytes.isEmpty { continue }
      var row = CSVRow()
      row.split(line.bytes, at: UInt8(ascii: "\t"))
      fields = row.texts
      if !RecordColumns.isHeader(fields) {
        firstRow = (Array(line.bytes), line.number, line.isTooLong)
      }
    }
    let isBare = fields.isEmpty || firstRow != nil
    columns = isBare ? .bareTSV : try RecordColumns(header: fields, path: lines.name)
  }

  /// - Throws: ``ImportFileError``, `CancellationError`.
  func next() throws -> RecordChunk? {
    var chunk = RecordChunk()
    if let row = firstRow {
      firstRow = nil
      row.bytes.withUnsafeBufferPointer {
        chunk.append($0, line: row.line, problem: row.isTooLong ? .lineTooLong : nil)
      }
    }
    let separator = format == .ftcCSV ? columns?.separator : nil
    while chunk.records.count < Self.chunkRecords, chunk.bytes.count < Self.chunkBytes,
      try chunk.appendNext(of: csv, separator: separator)
    {}
    chunk.bytesRead = lines.bytesRead
    chunk.totalBytes = lines.totalBytes
    return chunk.records.isEmpty ? nil : chunk
  }
}

/// Some records of a file, as bytes, in order.
struct RecordChunk: Sendable {
  struct Record: Sendable {
    var line: Int
    var start: Int
    var end: Int
    /// The problem of the record itself; nil where there is none.
    var problem: RejectReason?
  }

  var bytes: [UInt8] = []
  var records: [Record] = []
  /// Bytes of the file that were read up to the chunk.
  var bytesRead: UInt64 = 0
  var totalBytes: UInt64?

  mutating func append(_ bytes: UnsafeBufferPointer<UInt8>, line: Int, problem: RejectReason? = nil) {
    let start = self.bytes.count
    self.bytes.append(contentsOf: bytes)
    records.append(Record(line: line, start: start, end: self.bytes.count, problem: problem))
  }
}

extension RecordChunk {
  /// Adds the next record; empty lines are skipped.
  /// - Parameter separator: of fields that may be quoted; nil where each line is a record.
  /// - Returns: false at the end of the file.
  /// - Throws: `ImportFileError`, `CancellationError`.
  mutating func appendNext(of lines: CSVLines, separator: UInt8?) throws -> Bool {
    while let line = try lines.next() {
      if line.isTooLong {
        appendTooLong(line)
      } else if line.bytes.isEmpty {
        continue
      } else if let separator {
        try appendCSV(line, followedBy: lines, separator: separator)
      } else {
        append(line.bytes, line: line.number)
      }
      return true
    }
    return false
  }

  private mutating func appendTooLong(_ line: LineReader.RawLine) {
    let kept = UnsafeBufferPointer(rebasing: line.bytes.prefix(ComplaintLimits.rejectTextBytes))
    append(kept, line: line.number, problem: .lineTooLong)
  }

  /// Adds a line of CSV, and the lines after it that belong to the same record because a quoted field continues.
  ///
  /// A quoted field that does not end within the file or the size of a record, or has text after its closing
  /// quote, is attributed to a missing quote: the first line is rejected, and the next ones are read again.
  /// - Throws: `ImportFileError`, `CancellationError`.
  private mutating func appendCSV(
    _ line: LineReader.RawLine, followedBy lines: CSVLines, separator: UInt8
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
        give(back: more, to: lines, from: index, cutAt: first, .badQuote)
        return appendTooLong(next)
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

/// The columns of the imported fields in a delimited file.
struct RecordColumns: Sendable, Equatable {
  var count: Int
  var number: Int
  var date: Int
  var subject: Int?
  var recorded: Int?
  var separator = CSVScanner.comma

  /// The layout of a tab-separated file without a header.
  static let bareTSV = RecordColumns(count: 3, number: 1, date: 0)

  /// Whether a first line names columns rather than holding a row.
  static func isHeader(_ fields: [String]) -> Bool { fields.contains { numberNames.contains(name($0)) } }

  private static let numberNames = ["company_phone_number", "company_phone_number_raw"]

  init(count: Int, number: Int, date: Int, subject: Int? = nil, recorded: Int? = nil) {
    self.count = count
    self.number = number
    self.date = date
    self.subject = subject
    self.recorded = recorded
  }

  /// Reads a header; the first column of a name counts.
  /// - Throws: ``ImportFileError/missingColumn(path:column:)``.
  init(header: [String], path: String, separator: UInt8 = CSVScanner.comma) throws(ImportFileError) {
    let names = header.map(Self.name)
    guard let number = names.firstIndex(where: Self.numberNames.contains) else {
      throw .missingColumn(path: path, column: "Company_Phone_Number")
    }
    guard let date = names.firstIndex(of: "created_date") else {
      throw .missingColumn(path: path, column: "Created_Date")
    }
    self.init(
      count: header.count, number: number, date: date, subject: names.firstIndex(of: "subject"),
      recorded: names.firstIndex(of: "recorded_message_or_robocall"))
    self.separator = separator
  }

  /// A column's name in lowercase, with underscores.
  static func name(_ text: String) -> String {
    text.lowercased().split(whereSeparator: { $0 == " " || $0 == "_" }).joined(separator: "_")
  }
}
