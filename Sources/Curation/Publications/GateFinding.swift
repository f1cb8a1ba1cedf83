// SPDX-License-Identifier: Apache-2.0

/// The facts that a gate found about a pack, or about all packs of a publication.
public struct GateFinding: CodedData {
  /// The kinds of findings.
  public enum Code: String, CaseIterable, Sendable {
    case packReadable = "pack_readable"
    case packUnreadable = "pack_unreadable"
    case numbersAscend = "numbers_ascend"
    case numbersNotAscending = "numbers_not_ascending"
    case entriesWithinMaximum = "entries_within_maximum"
    case tooManyEntries = "too_many_entries"
    case noProtectedNumbers = "no_protected_numbers"
    case protectedNumbers = "protected_numbers"
    case hasEntries = "has_entries"
    case noEntries = "no_entries"
    case packEmpty = "pack_empty"
    case packMissing = "pack_missing"
    case firstOfItsName = "first_of_its_name"
    case sizeWithinLimits = "size_within_limits"
    case sizeOutsideLimits = "size_outside_limits"
    case churnWithinLimits = "churn_within_limits"
    case tooMuchChurn = "too_much_churn"
  }

  /// The kind of finding.
  public let code: Code
  /// The values of the message by their names.
  public let values: [String: CodedValue]

  /// - Parameters: see the properties; the functions below make each code with its values.
  public init(code: Code, values: [String: CodedValue] = [:]) {
    self.code = code
    self.values = values
  }

  /// The pack was read back without an error.
  public static let packReadable = GateFinding(code: .packReadable)

  /// The pack could not be read back.
  /// - Parameter detail: the reader's error.
  public static func packUnreadable(_ detail: String) -> GateFinding {
    GateFinding(code: .packUnreadable, values: ["detail": .foreign(detail)])
  }

  /// The numbers ascend, and none is there twice.
  public static let numbersAscend = GateFinding(code: .numbersAscend)

  /// A number follows a greater or an equal one.
  public static func numbersNotAscending(number: Int64, previous: Int64) -> GateFinding {
    GateFinding(code: .numbersNotAscending, values: ["number": "+\(number)", "previous": "+\(previous)"])
  }

  /// The pack has no more entries than it may have.
  public static func entriesWithinMaximum(entries: Int, maximum: Int) -> GateFinding {
    GateFinding(code: .entriesWithinMaximum, values: ["entries": CodedValue(entries), "maximum": CodedValue(maximum)])
  }

  /// The pack has more entries than it may have.
  public static func tooManyEntries(entries: Int, maximum: Int) -> GateFinding {
    GateFinding(code: .tooManyEntries, values: ["entries": CodedValue(entries), "maximum": CodedValue(maximum)])
  }

  /// No number of the pack is protected.
  public static let noProtectedNumbers = GateFinding(code: .noProtectedNumbers)

  /// The pack contains protected numbers.
  /// - Parameter numbers: the first of them, E.164 digits.
  public static func protectedNumbers(_ numbers: [Int64]) -> GateFinding {
    GateFinding(
      code: .protectedNumbers, values: ["numbers": .text(numbers.map { "+\($0)" }.joined(separator: ", "))])
  }

  /// There is something to publish.
  public static func hasEntries(_ entries: Int) -> GateFinding {
    GateFinding(code: .hasEntries, values: ["entries": CodedValue(entries)])
  }

  /// No pack of the publication has an entry.
  public static let noEntries = GateFinding(code: .noEntries)

  /// The pack is empty, and was not before.
  public static func packEmpty(formerEntries: Int) -> GateFinding {
    GateFinding(code: .packEmpty, values: ["former_entries": CodedValue(formerEntries)])
  }

  /// The publication before had this pack.
  public static func packMissing(formerEntries: Int) -> GateFinding {
    GateFinding(code: .packMissing, values: ["former_entries": CodedValue(formerEntries)])
  }

  /// The publication before had no pack of this name to compare with.
  public static let firstOfItsName = GateFinding(code: .firstOfItsName)

  /// Entries and bytes of a pack and of the one before it.
  public struct SizeChange: Sendable, Equatable {
    /// Entries of the pack.
    public var entries: Int
    /// Size of its file in bytes.
    public var bytes: Int
    /// Entries of the pack before it.
    public var formerEntries: Int
    /// Size of the file before it in bytes.
    public var formerBytes: Int

    /// - Parameters: see the properties.
    public init(entries: Int, bytes: Int, formerEntries: Int, formerBytes: Int) {
      self.entries = entries
      self.bytes = bytes
      self.formerEntries = formerEntries
      self.formerBytes = formerBytes
    }

    fileprivate var values: [String: CodedValue] {
      [
        "entries": CodedValue(entries), "size_bytes": CodedValue(bytes), "former_entries": CodedValue(formerEntries),
        "former_bytes": CodedValue(formerBytes),
      ]
    }
  }

  /// Entries and bytes are within the limits, or differ by few entries.
  public static func sizeWithinLimits(_ change: SizeChange) -> GateFinding {
    GateFinding(code: .sizeWithinLimits, values: change.values)
  }

  /// Entries or bytes are outside the limits.
  /// - Parameter allowed: percent of the pack before.
  public static func sizeOutsideLimits(_ change: SizeChange, allowed: ClosedRange<Int>) -> GateFinding {
    var values = change.values
    values["minimum_percent"] = CodedValue(allowed.lowerBound)
    values["maximum_percent"] = CodedValue(allowed.upperBound)
    return GateFinding(code: .sizeOutsideLimits, values: values)
  }

  /// Not too many numbers were added and removed.
  public static func churnWithinLimits(added: Int, removed: Int, formerEntries: Int) -> GateFinding {
    GateFinding(code: .churnWithinLimits, values: churn(added, removed, formerEntries))
  }

  /// Too many numbers were added and removed.
  /// - Parameter maximumPercent: of the entries of the pack before.
  public static func tooMuchChurn(
    added: Int, removed: Int, formerEntries: Int, maximumPercent: Int
  ) -> GateFinding {
    var values = churn(added, removed, formerEntries)
    values["maximum_percent"] = CodedValue(maximumPercent)
    return GateFinding(code: .tooMuchChurn, values: values)
  }

  private static func churn(_ added: Int, _ removed: Int, _ formerEntries: Int) -> [String: CodedValue] {
    [
      "added": CodedValue(added), "removed": CodedValue(removed), "former_entries": CodedValue(formerEntries),
    ]
  }
}
