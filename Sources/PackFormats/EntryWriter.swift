// SPDX-License-Identifier: Apache-2.0

import CallerPack

/// Writes an ascending list in one format, entry by entry, in bounded memory.
///
/// The output appears under its name only when ``finish()`` returns. A writer that is released earlier leaves no file.
/// The same entries and options give the same bytes.
public protocol EntryWriter: AnyObject {
  /// - Throws: ``PackFormatError``; the writer cannot be used afterwards.
  func append(_ entry: ListEntry) throws

  /// Completes the output, flushes it to disk and renames it.
  ///
  /// - Throws: ``PackFormatError/empty(what:)`` if a format refuses an empty list, and file errors.
  func finish() throws -> ExportSummary
}

/// Counts of the entries that were written, changed or omitted.
public struct ExportSummary: Sendable, Equatable {
  public var written: UInt64 = 0
  /// Entries among the written whose label was changed to fit the format.
  public var altered: UInt64 = 0
  /// Entries omitted because they do not block and the format is a block list.
  public var notBlocking: UInt64 = 0
  /// Entries omitted because the format's limit was reached.
  public var overLimit: UInt64 = 0
  /// Entries omitted because the format would give them another meaning.
  public var unsuitable: UInt64 = 0

  public init() {}
}

package enum RecordOutcome {
  case written
  case altered
  case notBlocking
  case overLimit
  case unsuitable
}

extension ExportSummary {
  package mutating func count(_ outcome: RecordOutcome) {
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
  /// The last of the numbers that follow each other with this label; ``number`` for a single one.
  public var last: Int64
  /// The free last digits, where a writer passes on a block of ten, a hundred or more numbers as a pattern.
  var wildcards = 0

  /// Only writers check an entry.
  /// - Parameter last: the last number of a range; nil for a single number.
  public init(number: Int64, last: Int64? = nil, label: String? = nil, blocks: Bool) {
    self.number = number
    self.last = last ?? number
    self.label = label
    self.blocks = blocks
  }

  /// The digits of a pattern that are not free.
  var prefix: Int64 { (0..<wildcards).reduce(number) { prefix, _ in prefix / 10 } }

  /// The digits of the number, with a character in the place of each free digit.
  func digits(free: String) -> String { "\(prefix)" + String(repeating: free, count: wildcards) }

  /// The blocks of a power of ten that make up a range, each as a pattern; small ones as single numbers.
  /// - Parameter most: the most free digits of a pattern.
  func patterns(most: Int) -> [ListEntry] {
    var entries: [ListEntry] = []
    var next = number
    while next <= last {
      var entry = ListEntry(number: next, label: label, blocks: blocks)
      var size: Int64 = 1
      while entry.wildcards < most, next % (size * 10) == 0, next + size * 10 - 1 <= last {
        (size, entry.wildcards) = (size * 10, entry.wildcards + 1)
      }
      if entry.wildcards < Self.minWildcards { (size, entry.wildcards) = (1, 0) }
      entry.last = next + size - 1
      entries.append(entry)
      next += size
    }
    return entries
  }

  /// The fewest free digits of a pattern. Ten numbers in a row are often a coincidence.
  private static let minWildcards = 2
}

/// The rules for ascending lists in all formats.
package struct EntryRules {
  private var previous: Int64 = 0

  package init() {}

  /// Checks an entry against the previous one.
  ///
  /// - Throws: ``PackFormatError/entry(number:rule:)``.
  package mutating func admit(_ entry: ListEntry) throws(PackFormatError) {
    let number = entry.number
    guard number >= 1 else { throw .entry(number: number, rule: "a number is at least 1") }
    guard number <= PackLimits.maxNumber else {
      throw .entry(number: number, rule: "a number has at most 15 digits")
    }
    guard number != previous else { throw .entry(number: number, rule: "the number is already in the list") }
    guard number > previous else {
      throw .entry(number: number, rule: "numbers ascend; the one before was \(previous)")
    }
    if let label = entry.label {
      let length = label.utf8.count
      guard length > 0 else { throw .entry(number: number, rule: "a label is not empty") }
      guard length <= PackLimits.labelBytes else {
        throw .entry(number: number, rule: "a label has at most 65,534 bytes, this one has \(length)")
      }
    } else if !entry.blocks, !entry.isRemoved {
      throw .entry(number: number, rule: "an entry blocks or has a label")
    }
    guard entry.last >= number, entry.last <= PackLimits.maxNumber else {
      throw .entry(number: number, rule: "a range ends after its beginning, within 15 digits")
    }
    previous = entry.last
  }
}
