// SPDX-License-Identifier: Apache-2.0

/// The facts that a gate found about a pack, or about all packs of a publication.
public enum GateFinding: CodedData {
  /// The kinds of findings.
  public enum CodingKeys: MessageCode {
    case packReadable, packUnreadable, numbersAscend, numbersNotAscending, entriesWithinMaximum, tooManyEntries
    case noProtectedNumbers, protectedNumbers, hasEntries, noEntries, packEmpty, packMissing, firstOfItsName
    case sizeWithinLimits, sizeOutsideLimits, churnWithinLimits, tooMuchChurn
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

    /// Creates a value from its properties.
    public init(entries: Int, sizeBytes: Int, formerEntries: Int, formerBytes: Int) {
      self.entries = entries
      self.sizeBytes = sizeBytes
      self.formerEntries = formerEntries
      self.formerBytes = formerBytes
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
  /// The pack has more entries than it may have.
  case tooManyEntries(entries: Int, maximum: Int)
  /// No number of the pack is protected.
  case noProtectedNumbers
  /// The pack contains protected numbers; with the first of them, separated by commas.
  case protectedNumbers(numbers: String)
  /// There is something to publish.
  case hasEntries(entries: Int)
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
  case churnWithinLimits(added: Int, removed: Int, formerEntries: Int)
  /// Too many numbers were added and removed, in percent of the entries of the pack before.
  case tooMuchChurn(added: Int, removed: Int, formerEntries: Int, maximumPercent: Int)

  /// The pack contains protected numbers.
  /// - Parameter numbers: the first of them, E.164 digits.
  public static func protectedNumbers(_ numbers: [Int64]) -> GateFinding {
    .protectedNumbers(numbers: numbers.map { "+\($0)" }.joined(separator: ", "))
  }
}
