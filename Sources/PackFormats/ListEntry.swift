// SPDX-License-Identifier: Apache-2.0

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
  public static let largestNumber: Int64 = 999_999_999_999_999
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
