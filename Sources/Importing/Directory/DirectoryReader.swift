// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Collects a directory's lines into chunks of complete rows.
final class DirectoryReader {
  /// Bytes in a chunk, exceeded by at most one row.
  static let chunkBytes = 1 << 18

  let columns: DirectoryColumns
  /// Separates the fields. Quotes are recognized unless it is a tab.
  let separator: UInt8
  private let lines: LineReader
  private let csv: CSVLines
  private var first: (bytes: [UInt8], line: Int)?
  /// Nil for another format.
  private var cards: VCardReader?

  /// Opens the file and reads its header.
  /// - Throws: ``ImportFileError``, `CancellationError`.
  init(_ options: DirectoryOptions, isCancelled: @escaping @Sendable () -> Bool) throws {
    lines = try LineReader(path: options.path, isCancelled: isCancelled)
    csv = CSVLines(lines)
    let header = try DelimitedHeader(csv, path: lines.name)
    if let header, VCardReader.begins(header.bytes) {
      cards = VCardReader(csv, after: header.line)
      (columns, separator) = (.vCard, DirectoryRow.tab)
      return
    }
    separator = header?.separator ?? CSVScanner.comma
    let fields = header?.fields ?? []
    if !options.hasHeader, let header { first = (header.bytes, header.line) }
    columns = try DirectoryColumns(
      header: fields, names: options.columns, hasHeader: options.hasHeader, path: lines.name)
  }

  /// - Throws: ``ImportFileError``, `CancellationError`.
  func next() throws -> RecordChunk? {
    var chunk = RecordChunk()
    chunk.bytes.reserveCapacity(Self.chunkBytes + 4_096)
    if let first {
      first.bytes.withUnsafeBufferPointer { chunk.append($0, line: first.line) }
      self.first = nil
    }
    while chunk.bytes.count < Self.chunkBytes, let card = try cards?.next() { chunk.append(card) }
    let separator = separator == DirectoryRow.tab ? nil : separator
    while cards == nil, chunk.bytes.count < Self.chunkBytes, try chunk.appendNext(of: csv, separator: separator) {}
    chunk.bytesRead = lines.bytesRead
    chunk.totalBytes = lines.totalBytes
    return chunk.records.isEmpty ? nil : chunk
  }
}

/// The columns of the imported fields in a directory.
struct DirectoryColumns: Sendable, Equatable {
  /// Number of columns; nil where rows may differ.
  var count: Int?
  var numbers: [Int]
  var name: Int
  var category: Int?
  var region: Int?

  /// The rows that are made of contacts.
  static let vCard = DirectoryColumns(count: 3, numbers: [1], name: 0, category: 2)

  private init(count: Int, numbers: [Int], name: Int, category: Int) {
    (self.count, self.numbers, self.name, self.category) = (count, numbers, name, category)
  }

  private static let nameNames: Set<String> = [
    "name", "title", "business_name", "company", "company_name", "organisation", "organization", "organisation_name",
    "organization_name", "school_name", "facility_name", "display_name", "nom", "firma", "bezeichnung",
  ]
  private static let categoryNames: Set<String> = ["category", "kind", "type", "rubric"]
  private static let regionNames: Set<String> = ["country_code", "region_code"]

  /// Finds the requested columns, and the others by the header.
  /// - Throws: ``ImportFileError/missingColumn(path:column:)``.
  init(header: [String], names: DirectoryColumnNames, hasHeader: Bool, path: String) throws(ImportFileError) {
    let keys = hasHeader ? header.map(DelimitedHeader.key) : []
    func asked(_ name: String) throws(ImportFileError) -> Int {
      if let place = keys.firstIndex(of: DelimitedHeader.key(name)) { return place }
      if let place = Int(name), (1...header.count).contains(place) { return place - 1 }
      throw .missingColumn(path: path, column: name)
    }
    func found(_ known: Set<String>) -> Int? { keys.firstIndex(where: known.contains) }
    count = hasHeader ? header.count : nil
    numbers = []
    for name in names.numbers { numbers.append(try asked(name)) }
    if names.numbers.isEmpty {
      numbers = keys.indices.filter { DelimitedHeader.isOfNumbers(keys[$0]) }
    }
    guard !numbers.isEmpty else { throw .missingColumn(path: path, column: "phone") }
    if let name = names.name {
      self.name = try asked(name)
    } else {
      guard let place = found(Self.nameNames) else { throw .missingColumn(path: path, column: "name") }
      self.name = place
    }
    category = if let category = names.category { try asked(category) } else { found(Self.categoryNames) }
    region = if let region = names.region { try asked(region) } else { found(Self.regionNames) }
  }
}

/// The fields of one row; without quotes they are read in place.
struct DirectoryRow {
  static let tab: UInt8 = 0x09

  private var quoted = CSVRow()
  private var isQuoted = false
  private var record = UnsafeBufferPointer<UInt8>(start: nil, count: 0)
  private var ends: [Int] = []

  var count: Int { isQuoted ? quoted.count : ends.count }

  func withField<Result>(_ index: Int, _ body: (UnsafeBufferPointer<UInt8>) throws -> Result) rethrows -> Result {
    guard isQuoted else {
      return try body(UnsafeBufferPointer(rebasing: record[(index == 0 ? 0 : ends[index - 1] + 1)..<ends[index]]))
    }
    return try quoted[index].withUnsafeBufferPointer(body)
  }

  /// False when the quotes of the record are invalid.
  mutating func read(_ record: UnsafeBufferPointer<UInt8>, separator: UInt8) -> Bool {
    self.record = record
    isQuoted = separator != Self.tab && record.contains(CSVScanner.quote)
    if isQuoted { return quoted.read(record, separator: separator) }
    ends.removeAll(keepingCapacity: true)
    guard let base = record.baseAddress else {
      ends.append(0)
      return true
    }
    let separator = Int32(separator)
    var at = 0
    while at <= record.count, let found = memchr(base + at, separator, record.count - at) {
      let end = UnsafeRawPointer(found) - UnsafeRawPointer(base)
      ends.append(end)
      at = end + 1
    }
    ends.append(record.count)
    return true
  }
}

extension RecordChunk {
  /// Adds a contact as rows with the columns ``DirectoryColumns/vCard``, one for each number.
  fileprivate mutating func append(_ card: VCard) {
    for number in card.numbers.isEmpty ? [""] : card.numbers {
      let fields = [card.name, number, card.category ?? ""].map { $0.replacing("\t", with: " ") }
      Array(fields.joined(separator: "\t").utf8).withUnsafeBufferPointer { append($0, line: card.line) }
    }
  }
}
