// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
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
    countries.isEmpty
      || number.region.map(countries.contains) ?? !countries.isDisjoint(with: number.possibleRegions)
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

/// Rows of a file whose fields are separated by commas, semicolons, bars or tabs: whichever is first in the first line. A
/// file of nothing but numbers needs no header.
struct DelimitedRows: SourceFileRows {
  private static let numberNames = ["number", "phone", "phone_number", "tel"]
  /// The most bytes of a line: a list may be one.
  private static let maxLineBytes = 1 << 20

  let version: Int64? = nil
  private(set) var line: Int?
  private let csv: CSVLines
  private let separator: UInt8
  private let number: Int
  /// This column; behind it further ones with numbers, and the one with patterns, unless it was given.
  private let columns: [Int]
  /// The column with patterns, as in the CSV of packs.
  private let pattern: Int?
  private let category: Int?
  private let readsPrefixes: Bool
  private let region: String?
  private let hasOnlyNumbers: Bool
  private var chunk = RecordChunk()
  private var index = 0
  private var row = CSVRow()
  private var waiting: ArraySlice<SourceFileRow.Outcome> = []

  /// Opens the file and reads its header. A file whose number column is given by its position has none.
  /// - Parameters:
  ///   - number: the number's column by name or position; nil for a usual name.
  ///   - category: the category's column; nil for none.
  ///   - region: ISO 3166 code of numbers in national form.
  ///   - readsPrefixes: whether a number may be a regular expression for a prefix.
  /// - Throws: ``SourceFailure``, ``ImportFileError``.
  init(
    _ file: FileBytes, number: String?, category: String?, region: String? = nil, readsPrefixes: Bool = false
  ) throws {
    (self.readsPrefixes, self.region) = (readsPrefixes, region)
    let lines = try LineReader(file, maximumLineBytes: Self.maxLineBytes)
    csv = CSVLines(lines)
    guard let header = try DelimitedHeader(csv, path: lines.name) else { throw SourceFailure.noEntries }
    guard !header.fields.isEmpty else { throw SourceFailure.unreadable("the header has an open quote") }
    separator = header.separator
    var names = header.fields.map(RecordColumns.name)
    // The names of the columns may be in a comment.
    let commented = header.commented.map(RecordColumns.name)
    let isCommented =
      number.flatMap { Int($0) } == nil && Self.numbers(in: names) == nil && Self.numbers(in: commented) != nil
    if isCommented { names = commented }
    func place(_ column: String) throws(SourceFailure) -> Int {
      // A position first: the fields of a file without a header are no names.
      if let position = Int(column), position >= 1 { return position - 1 }
      guard let place = names.firstIndex(of: RecordColumns.name(column)) else { throw .missingColumn(column: column) }
      return place
    }
    let found = Self.numbers(in: names)
    // The first line of a list without columns may be its title.
    let isTitle = header.fields.count == 1 && header.fields[0].first?.isLetter == true
    hasOnlyNumbers =
      number == nil && found == nil && (isTitle || header.fields.allSatisfy { Self.isNumber($0, region) })
    if let number {
      self.number = try place(number)
    } else if let found = found ?? (hasOnlyNumbers ? 0 : nil) {
      self.number = found
    } else {
      throw SourceFailure.missingColumn(column: Self.numberNames[0])
    }
    let pattern = number == nil ? names.firstIndex(of: "pattern") : nil
    self.pattern = pattern
    let further = names.indices.filter {
      number == nil && found != nil && $0 != found
        && ($0 == pattern || DelimitedHeader.isOfNumbers(DelimitedHeader.key(names[$0])))
    }
    columns = [self.number] + further
    self.category = if let category { try place(category) } else { nil }
    if hasOnlyNumbers || isCommented || number.flatMap({ Int($0) }) != nil {
      header.bytes.withUnsafeBufferPointer { chunk.append($0, line: header.line) }
    }
  }

  /// The column of numbers: by a usual name, or the first whose name is usual in directories. A single column with such a
  /// name may be the title of a list, as one beside numbers is.
  private static func numbers(in names: [String]) -> Int? {
    numberNames.compactMap(names.firstIndex).first ?? names.firstIndex(of: "pattern")
      ?? (names.count > 1 && !names.contains(where: NumberCell.mayBeNumber)
        ? names.firstIndex { DelimitedHeader.isOfNumbers(DelimitedHeader.key($0)) } : nil)
  }

  private static func isNumber(_ text: String, _ region: String?) -> Bool {
    var parser = PhoneNumberParser()
    let cell = parser.readCell(text, region: region, isInternational: region == nil)
    return !cell.numbers.isEmpty || !cell.unassigned.isEmpty || !cell.masks.isEmpty || cell.refusals.isEmpty
  }

  mutating func next() throws -> SourceFileRow.Outcome? {
    while true {
      if let outcome = waiting.popFirst() { return outcome }
      while index == chunk.records.count {
        (chunk, index) = (RecordChunk(), 0)
        let quoting = separator == DirectoryRow.tab ? nil : separator
        guard try chunk.appendNext(of: csv, separator: quoting) else { return nil }
      }
      let record = chunk.records[index]
      index += 1
      line = record.line
      let bytes = chunk.bytes[record.start..<record.end]
      if CommentLine.begins(bytes, separator: separator) { continue }
      let isRead = bytes.withUnsafeBufferPointer { bytes in
        if row.read(bytes, separator: separator) { return true }
        // In files with tabs, quotes may be text.
        if separator == DirectoryRow.tab { row.split(bytes, at: separator) }
        return separator == DirectoryRow.tab
      }
      guard record.problem == nil, isRead, number < row.count else {
        let text = String.repairing(bytes.prefix(ComplaintLimits.rejectTextBytes)).text
        return .rejected(record.problem ?? (isRead ? .wrongColumns : .badQuote), text: text)
      }
      if hasOnlyNumbers {
        let fields = row.texts.map { $0.trimmingCharacters(in: .whitespaces) }
        // Behind a number, a field without one is a remark.
        let numbers = fields.filter(NumberCell.mayBeNumber)
        guard NumberCell.areComplete(numbers, region: region) else {
          return .rejected(.severalNumbers, text: fields.joined(separator: ", "))
        }
        waiting =
          (numbers.isEmpty ? fields : numbers).filter { !$0.isEmpty }.map { .row(SourceFileRow(number: $0)) }[...]
        continue
      }
      waiting = outcomes(of: row.texts)[...]
    }
  }

  /// The number of each column that has one, and the pattern.
  private func outcomes(of fields: [String]) -> [SourceFileRow.Outcome] {
    let text = category.flatMap { $0 < fields.count ? fields[$0] : nil }
    func outcome(_ field: String) -> SourceFileRow.Outcome {
      if readsPrefixes, let range = SpamBlockerExpression.range(field) {
        return .range(SourceFileRow(number: range, category: text))
      }
      return .row(SourceFileRow(number: field, category: text))
    }
    var outcomes: [SourceFileRow.Outcome] = []
    for column in columns where column < fields.count {
      let field = fields[column]
      if column == pattern, field.wholeMatch(of: /\+?[1-9][0-9]+[x#]+/) != nil {
        outcomes.append(.range(SourceFileRow(number: field, category: text)))
      } else if column == number ? !field.allSatisfy(\.isWhitespace) : NumberCell.mayBeNumber(field) {
        outcomes.append(outcome(field))
      }
    }
    return outcomes.isEmpty ? [outcome(fields[number])] : outcomes
  }
}

/// The numbers of a vCard file, a row for each.
struct VCardRows: SourceFileRows {
  let version: Int64? = nil
  let line: Int? = nil
  private var cards: VCardReader
  private var waiting: ArraySlice<SourceFileRow.Outcome> = []

  /// - Throws: ``SourceFailure``, ``ImportFileError``.
  init(_ file: FileBytes) throws {
    let lines = try LineReader(file)
    let csv = CSVLines(lines)
    guard let first = try DelimitedHeader(csv, path: lines.name), VCardReader.begins(first.bytes) else {
      throw SourceFailure.unreadable("the file is no vCard: it does not begin with BEGIN:VCARD")
    }
    cards = VCardReader(csv, after: first.line)
  }

  mutating func next() throws -> SourceFileRow.Outcome? {
    if let row = waiting.popFirst() { return row }
    guard let card = try cards.next() else { return nil }
    waiting = card.numbers.map { .row(SourceFileRow(number: $0, category: card.category)) }[...]
    return waiting.popFirst() ?? .rejected(.emptyNumber, text: card.name)
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
