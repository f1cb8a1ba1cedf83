// SPDX-License-Identifier: Apache-2.0

/// The facts that a gate found about a pack, or about all packs of a publication.
public enum GateFinding: CodedData {
  /// The kinds of findings.
  public enum CodingKeys: MessageCode {
    case packReadable, packUnreadable, numbersAscend, numbersNotAscending, entriesWithinMaximum, rulesWithoutRoom
    case tooManyEntries, noProtectedNumbers, protectedNumbers, hasEntries, emptyForReason, noEntries, packEmpty
    case packMissing, firstOfItsName, sizeWithinLimits, sizeOutsideLimits, churnWithinLimits, tooMuchChurn
  }

  /// Entries and bytes of a pack and of the one before it.
  public struct SizeChange: Decodable, Hashable, Sendable {
    /// Entries of the pack.
    public var entries: Int
    /// Size of its file in bytes.
    public var sizeBytes: Int
    /// Entries of the pack before it.
    public var formerEntries: Int
    /// Size of the file before it in bytes.
    public var formerBytes: Int
    /// Numbers that left for a reason.
    public var explained: Int
    /// Additions that were expected.
    public var expected: Int
    /// Entries of rules for ranges, which are not compared.
    public var ruled: Int

    /// Creates a value from its properties.
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
    /// Numbers that the pack before it does not have.
    public var added: Int
    /// Numbers that only the pack before it has.
    public var removed: Int
    /// Entries of the pack before it.
    public var formerEntries: Int
    /// Removed numbers that left for a reason.
    public var explained: Int
    /// Added numbers that were expected.
    public var expected: Int

    /// Creates a value from its properties.
    public init(added: Int, removed: Int, formerEntries: Int, explained: Int = 0, expected: Int = 0) {
      self.added = added
      self.removed = removed
      self.formerEntries = formerEntries
      self.explained = explained
      self.expected = expected
    }
  }

  /// The pack was read back without an error.
  case packReadable
  /// The pack could not be read back; with the reader's error.
  case packUnreadable(String)
  /// The numbers ascend, and none is there twice.
  case numbersAscend
  /// A number follows a greater or an equal one.
  case numbersNotAscending(number: Int64, previous: Int64)
  /// The pack has no more entries than it may have.
  case entriesWithinMaximum(entries: Int, maximum: Int)
  /// The pack has no room for some rules for ranges, with their count, the count of their numbers and the first range.
  case rulesWithoutRoom(entries: Int, maximum: Int, rules: Int, numbers: Int, range: String)
  /// The pack has more entries than it may have.
  case tooManyEntries(entries: Int, maximum: Int)
  /// No number of the pack is protected.
  case noProtectedNumbers
  /// The pack contains protected numbers; with the first of them, separated by commas.
  case protectedNumbers(numbers: String)
  /// There is something to publish.
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
  /// Not too many numbers were added and removed.
  case churnWithinLimits(ChurnChange)
  /// Too many numbers were added and removed, in percent of the entries of the pack before.
  case tooMuchChurn(ChurnChange, maximumPercent: Int)

  /// The pack contains protected numbers.
  /// - Parameter numbers: the first of them, E.164 digits.
  public static func protectedNumbers(_ numbers: [Int64]) -> GateFinding {
    .protectedNumbers(numbers: numbers.map { "+\($0)" }.joined(separator: ", "))
  }
}
