// SPDX-License-Identifier: Apache-2.0

/// Writes an ascending list in one format, entry by entry, in bounded memory.
///
/// The output appears under its name only when ``finish()`` returns. A writer that is released earlier leaves no file.
/// The same entries and options give the same bytes.
public protocol EntryWriter: AnyObject {
  /// Adds the next entry.
  ///
  /// - Throws: ``PackFormatError``; the writer cannot be used afterwards.
  func append(_ entry: ListEntry) throws

  /// Completes the output, flushes it to disk and renames it.
  ///
  /// - Throws: ``PackFormatError/empty(what:)`` if a format refuses an empty list, and file errors.
  func finish() throws -> ExportSummary
}

/// Counts of the entries that were written, changed or omitted.
public struct ExportSummary: Sendable, Equatable {
  /// Entries written.
  public var written: UInt64 = 0
  /// Entries among the written whose label was changed to fit the format.
  public var altered: UInt64 = 0
  /// Entries omitted because they do not block and the format is a block list.
  public var notBlocking: UInt64 = 0
  /// Entries omitted because the format's limit was reached.
  public var overLimit: UInt64 = 0
  /// Entries omitted because the format would give them another meaning.
  public var unsuitable: UInt64 = 0

  /// Creates an empty summary.
  public init() {}
}

/// The result of encoding one entry.
enum RecordOutcome {
  case written
  case altered
  case notBlocking
  case overLimit
  case unsuitable
}

extension ExportSummary {
  mutating func count(_ outcome: RecordOutcome) {
    switch outcome {
    case .written: written += 1
    case .altered:
      written += 1
      altered += 1
    case .notBlocking: notBlocking += 1
    case .overLimit: overLimit += 1
    case .unsuitable: unsuitable += 1
    }
  }
}

/// A number of a list with the properties that all formats share.
public struct ListEntry: Sendable, Equatable {
  /// Country code and national digits without a plus: 1…999,999,999,999,999.
  public var number: Int64
  /// The caller's label on a phone; nil if the list only blocks. 1…65,534 UTF-8 bytes.
  public var label: String?
  /// Whether calls from the number are to be refused.
  public var blocks: Bool
  /// Whether the number has left the list since the earlier one that a list of changes starts from.
  public var isRemoved = false

  /// Creates an entry. Only writers check it.
  public init(number: Int64, label: String? = nil, blocks: Bool) {
    self.number = number
    self.label = label
    self.blocks = blocks
  }

  /// The largest number E.164 can hold: 15 digits.
  static let largestNumber: Int64 = 999_999_999_999_999
}

/// The rules for ascending lists in all formats.
struct EntryRules {
  private var previous: Int64 = 0

  /// Checks an entry against the previous one.
  ///
  /// - Throws: ``PackFormatError/entry(number:rule:)``.
  mutating func admit(_ entry: ListEntry) throws(PackFormatError) {
    let number = entry.number
    guard number >= 1 else { throw .entry(number: number, rule: "a number is at least 1") }
    guard number <= ListEntry.largestNumber else {
      throw .entry(number: number, rule: "a number has at most 15 digits")
    }
    guard number != previous else { throw .entry(number: number, rule: "the number is already in the list") }
    guard number > previous else {
      throw .entry(number: number, rule: "numbers ascend; the one before was \(previous)")
    }
    if let label = entry.label {
      let length = label.utf8.count
      guard length > 0 else { throw .entry(number: number, rule: "a label is not empty") }
      guard length < 65_535 else {
        throw .entry(number: number, rule: "a label has at most 65,534 bytes, this one has \(length)")
      }
    } else if !entry.blocks, !entry.isRemoved {
      throw .entry(number: number, rule: "an entry blocks or has a label")
    }
    previous = number
  }
}
