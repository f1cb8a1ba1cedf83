// SPDX-License-Identifier: Apache-2.0

/// The facts that a gate found about a pack, or about all packs of a publication.
public enum GateFinding: CodedData {
  public enum CodingKeys: MessageCode {
    case packReadable, packUnreadable, numbersAscend, numbersNotAscending, entriesWithinMaximum, rulesWithoutRoom
    case tooManyEntries, noProtectedNumbers, protectedNumbers, hasEntries, emptyForReason, noEntries, packEmpty
    case packMissing, firstOfItsName, sizeWithinLimits, sizeOutsideLimits, churnWithinLimits, tooMuchChurn
  }

  /// Entries and bytes of a pack and of the one before it.
  public struct SizeChange: Decodable, Hashable, Sendable {
    public var entries: Int
    public var sizeBytes: Int
    public var formerEntries: Int
    public var formerBytes: Int
    /// Numbers that left for a reason.
    public var explained: Int
    /// Additions that were expected.
    public var expected: Int
    /// Entries of rules for ranges, which are not compared.
    public var ruled: Int

    public init(
      entries: Int, sizeBytes: Int, formerEntries: Int, formerBytes: Int, explained: Int = 0, expected: Int = 0,
      ruled: Int = 0
    ) {
      self.entries = entries
      self.sizeBytes = sizeBytes
      self.formerEntries = formerEntries
      self.formerBytes = formerBytes
      self.explained = explained
      self.expected = expected
      self.ruled = ruled
    }
  }

  /// Numbers that were added to a pack and removed from it.
  public struct ChurnChange: Decodable, Hashable, Sendable {
    public var added: Int
    public var removed: Int
    public var formerEntries: Int
    /// Removed numbers that left for a reason.
    public var explained: Int
    /// Added numbers that were expected.
    public var expected: Int

    public init(added: Int, removed: Int, formerEntries: Int, explained: Int = 0, expected: Int = 0) {
      self.added = added
      self.removed = removed
      self.formerEntries = formerEntries
      self.explained = explained
      self.expected = expected
    }
  }

  case packReadable
  /// The pack could not be read back; with the reader's error.
  case packUnreadable(String)
  /// The numbers ascend, and none is there twice.
  case numbersAscend
  /// A number follows a greater or an equal one.
  case numbersNotAscending(number: Int64, previous: Int64)
  case entriesWithinMaximum(entries: Int, maximum: Int)
  /// The pack has no room for some rules for ranges, with their count, the count of their numbers and the first range.
  case rulesWithoutRoom(entries: Int, maximum: Int, rules: Int, numbers: Int, range: String)
  case tooManyEntries(entries: Int, maximum: Int)
  case noProtectedNumbers
  /// The pack contains protected numbers; with the first of them, separated by commas.
  case protectedNumbers(numbers: String)
  case hasEntries(entries: Int)
  /// No pack of the publication has an entry, and none was lost without a reason.
  case emptyForReason(explained: Int)
  /// No pack of the publication has an entry.
  case noEntries
  /// The pack is empty, and was not before.
  case packEmpty(formerEntries: Int)
  /// The publication before had this pack.
  case packMissing(formerEntries: Int)
  /// The publication before had no pack of this name to compare with.
  case firstOfItsName
  /// Entries and bytes are within the limits, or differ by few entries.
  case sizeWithinLimits(SizeChange)
  /// Entries or bytes are outside the limits, in percent of the pack before.
  case sizeOutsideLimits(SizeChange, minimumPercent: Int, maximumPercent: Int)
  case churnWithinLimits(ChurnChange)
  /// Too many numbers were added and removed, in percent of the entries of the pack before.
  case tooMuchChurn(ChurnChange, maximumPercent: Int)

  /// - Parameter numbers: the first of them, E.164 digits.
  public static func protectedNumbers(_ numbers: [Int64]) -> GateFinding {
    .protectedNumbers(numbers: numbers.map { "+\($0)" }.joined(separator: ", "))
  }
}
