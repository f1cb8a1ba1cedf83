// SPDX-License-Identifier: Apache-2.0

import Curation
import PhoneNumbers

/// An entry of a source's file as it is written there.
struct SourceFileRow: Sendable, Equatable {
  /// A row of the file, or one that cannot be read or is left out.
  enum Outcome: Equatable {
    case row(SourceFileRow)
    /// A pattern for too many numbers, which is left out.
    case pattern
    case rejected
    /// A row that is no reason to list its number.
    case ignored

    /// False for further numbers of a row.
    var isRow: Bool { if case .row(let row) = self { !row.isContinued } else { true } }
  }

  var number: String
  /// The source's text for the category; nil where it has none.
  var category: String?
  /// Whether the source says that the number is no longer on its list.
  var isRemoval = false
  /// Whether it is a further number of the row before.
  var isContinued = false
}

/// Reads the rows of a source's file in order.
protocol SourceFileRows {
  /// The version of the list, once all rows are read; nil where the file has none.
  var version: Int64? { get }

  /// The next row; nil at the end.
  /// - Throws: `SourceFailure`, `ImportFileError`.
  mutating func next() throws -> SourceFileRow.Outcome?
}

/// Reads the bytes of a file one by one.
final class SourceBytes {
  private let file: FileBytes
  private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 1)
  private var position = 0
  private var end = 0

  init(_ file: FileBytes) { self.file = file }

  deinit { buffer.deallocate() }

  /// The next byte; nil at the end.
  func next() throws -> UInt8? {
    if position == end {
      end = try file.read(into: buffer)
      position = 0
      if end == 0 { return nil }
    }
    defer { position += 1 }
    return buffer[position]
  }
}

/// Selects the numbers and complaints of a source that are read.
struct SourceFilter: Sendable {
  /// ISO 3166 codes; empty for all.
  private let countries: Set<String>

  init(_ options: SourceOptions) {
    countries = Set(options.countries)
  }

  func takes(_ number: PhoneNumber) -> Bool {
    countries.isEmpty || number.region.map(countries.contains) == true
  }

  /// "Legitimate" in a file of another owner would defend a number.
  func takes(_ complaint: ParsedComplaint) -> Bool {
    complaint.category.isToxic && PhoneNumber(digits: complaint.number).map(takes) == true
  }
}

/// Rows of a file whose fields are separated by commas, semicolons, bars or tabs: whichever is first in the first line.
struct DelimitedRows: SourceFileRows {
  private static let separators = ",;|\t".utf8
  private static let numberNames = ["number", "phone", "phone_number", "pattern", "tel"]

  let version: Int64? = nil
  private let csv: CSVLines
  private let separator: UInt8
  private let number: Int
  private let category: Int?
  private var chunk = RecordChunk()
  private var index = 0
  private var row = CSVRow()

  /// Opens the file and reads its header. A file whose number column is given by its position has none.
  /// - Parameters:
  ///   - number: the number's column by name or position; nil for a usual name.
  ///   - category: the category's column; nil for none.
  /// - Throws: ``SourceFailure``, ``ImportFileError``.
  init(_ file: FileBytes, number: String?, category: String?) throws {
    csv = CSVLines(try LineReader(file))
    var header: LineReader.RawLine?
    while let line = try csv.next() {
      header = line
      if !line.bytes.isEmpty { break }
    }
    guard let header, !header.isTooLong else { throw SourceFailure.noEntries }
    separator = header.bytes.first { Self.separators.contains($0) } ?? CSVScanner.comma
    var fields = CSVRow()
    guard fields.read(header.bytes, separator: separator) else {
      throw SourceFailure.unreadable("the header has an open quote")
    }
    let names = (0..<fields.count).map { RecordColumns.name(String(decoding: fields[$0], as: UTF8.self)) }
    func place(_ column: String) throws(SourceFailure) -> Int {
      // A position first: the fields of a file without a header are no names.
      if let position = Int(column), position >= 1 { return position - 1 }
      guard let place = names.firstIndex(of: RecordColumns.name(column)) else { throw .missingColumn(column: column) }
      return place
    }
    if let number {
      self.number = try place(number)
    } else if let found = Self.numberNames.compactMap(names.firstIndex).first {
      self.number = found
    } else {
      throw SourceFailure.missingColumn(column: Self.numberNames[0])
    }
    self.category = if let category { try place(category) } else { nil }
    if let number, Int(number) != nil {
      chunk.append(header.bytes, line: header.number)
    }
  }

  mutating func next() throws -> SourceFileRow.Outcome? {
    while index == chunk.records.count {
      (chunk, index) = (RecordChunk(), 0)
      guard try chunk.appendNext(of: csv, separator: separator) else { return nil }
    }
    let record = chunk.records[index]
    index += 1
    guard record.problem == nil else { return .rejected }
    let isRead = chunk.bytes.withUnsafeBufferPointer {
      row.read(UnsafeBufferPointer(rebasing: $0[record.start..<record.end]), separator: separator)
    }
    guard isRead, number < row.count else { return .rejected }
    let text = category.flatMap { $0 < row.count ? String(decoding: row[$0], as: UTF8.self) : nil }
    return .row(SourceFileRow(number: String(decoding: row[number], as: UTF8.self), category: text))
  }
}
