// SPDX-License-Identifier: Apache-2.0

import Curation
import PhoneNumbers

/// An entry of a source's file as it is written there.
struct SourceFileRow: Sendable, Equatable {
  /// A row of the file, or one that cannot be read or is left out.
  enum Outcome: Equatable {
    case row(SourceFileRow)
    /// A range of numbers, whose text is in the place of the number.
    case range(SourceFileRow)
    /// A row that cannot be read, with the beginning of its text.
    case rejected(RejectReason, text: String)
    /// A row that is no reason to list its number.
    case ignored

  }

  var number: String
  /// The source's text for the category; nil where it has none.
  var category: String?
  /// Whether the source says that the number is no longer on its list.
  var isRemoval = false
  /// Whether the source only names the numbers of a range, and does not block them.
  var isIdentified = false
}

/// Reads the rows of a source's file in order.
protocol SourceFileRows {
  /// The version of the list, once all rows are read; nil where the file has none.
  var version: Int64? { get }
  /// The line of the row that was returned last; nil where rows are no lines.
  var line: Int? { get }

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

  /// All numbers of a range must be of the countries.
  func takes(_ range: RangePattern) -> Bool {
    guard !countries.isEmpty else { return true }
    return range.blocks.allSatisfy { block in
      var next = block.lowerBound
      while next <= block.upperBound {
        let stretch = RegionMap.countries.stretch(from: next)
        guard let index = stretch.index, countries.contains(RegionMap.countries.regions[index]) else { return false }
        guard stretch.last < block.upperBound else { return true }
        next = stretch.last + 1
      }
      return true
    }
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
  private(set) var line: Int?
  private let csv: CSVLines
  private let separator: UInt8
  private let number: Int
  private let category: Int?
  private let readsPrefixes: Bool
  private var chunk = RecordChunk()
  private var index = 0
  private var row = CSVRow()

  /// Opens the file and reads its header. A file whose number column is given by its position has none.
  /// - Parameters:
  ///   - number: the number's column by name or position; nil for a usual name.
  ///   - category: the category's column; nil for none.
  ///   - readsPrefixes: whether a number may be a regular expression for a prefix.
  /// - Throws: ``SourceFailure``, ``ImportFileError``.
  init(_ file: FileBytes, number: String?, category: String?, readsPrefixes: Bool = false) throws {
    self.readsPrefixes = readsPrefixes
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
    line = record.line
    let isRead = chunk.bytes.withUnsafeBufferPointer {
      row.read(UnsafeBufferPointer(rebasing: $0[record.start..<record.end]), separator: separator)
    }
    guard record.problem == nil, isRead, number < row.count else {
      let bytes = chunk.bytes[record.start..<record.end].prefix(ComplaintLimits.rejectTextBytes)
      return .rejected(record.problem ?? (isRead ? .wrongColumns : .badQuote), text: String.repairing(bytes).text)
    }
    let text = category.flatMap { $0 < row.count ? String(decoding: row[$0], as: UTF8.self) : nil }
    let found = SourceFileRow(number: String(decoding: row[number], as: UTF8.self), category: text)
    guard readsPrefixes, let range = SpamBlockerExpression.range(found.number) else { return .row(found) }
    return .range(SourceFileRow(number: range, category: text))
  }
}

/// Regular expressions of SpamBlocker that are prefixes: `^33199.*`, `\+33199\d{6}`, `\+?33199[0-9]*$`.
enum SpamBlockerExpression {
  /// The range of an expression, in the form of `RangePattern`; nil for a number and for any other expression.
  static func range(_ text: String) -> String? {
    guard text.utf8.count <= 64,
      let match = text.wholeMatch(
        of: /\^?(?:\\?\+\??)?([1-9][0-9]{0,14})((?:\.|\\d|\[0-9\])*)(?:(\*|\+)|\{([0-9]{1,2})\})?\$?/)
    else { return nil }
    let (digits, atoms) = (match.1, match.2.replacing("\\d", with: ".").replacing("[0-9]", with: "."))
    guard !atoms.isEmpty else { return nil }
    if match.3 != nil { return "+\(digits)*" }
    let count = match.4.flatMap { Int($0) }.map { atoms.count - 1 + $0 } ?? atoms.count
    return "+\(digits)" + String(repeating: "x", count: min(count, 16))
  }
}
