// SPDX-License-Identifier: Apache-2.0

/// A stored value that differs from the recount.
public struct RecountDifference: Sendable, Equatable {
  /// E.164 digits.
  public let number: Int64
  /// The table and column, with the category's id or the start of the reporter's pseudonym where there is one:
  /// `numbers.heat`, `number_categories[4].reports`, `number_reporters[1f2e3d4c]`.
  public let what: String
  /// The stored value; nil where there is no row. Heat and evidence are given as stored.
  public let stored: String?
  /// The recounted value; nil where there should be no row.
  public let recounted: String?

  /// - Parameters: see the properties.
  public init(number: Int64, what: String, stored: String?, recounted: String?) {
    self.number = number
    self.what = what
    self.stored = stored
    self.recounted = recounted
  }
}

/// Result of a recount.
public struct RecountSummary: Sendable, Equatable {
  /// Numbers that have a row, or should have one.
  public var numbers = 0
  /// Number of differences.
  public var differences = 0
  /// Numbers with at least one difference.
  public var damagedNumbers = 0
  /// Numbers older than the first kept month of reports, which cannot be recounted.
  public var beyondRetention = 0

  /// - Parameters: see the properties.
  public init(numbers: Int = 0, differences: Int = 0, damagedNumbers: Int = 0) {
    self.numbers = numbers
    self.differences = differences
    self.damagedNumbers = damagedNumbers
  }
}
