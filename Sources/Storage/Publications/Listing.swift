// SPDX-License-Identifier: Apache-2.0

public import Curation

/// A number that the last publication blocks or identifies, except by a directory alone.
public struct Listing: Sendable, Equatable {
  /// E.164 digits.
  public var number: Int64
  /// The category it is listed under.
  public var category: ReportCategory
  /// The cause of the listing.
  public var cause: ListedNumber.Cause
  /// Whether it may be blocked.
  public var treatment: ListedNumber.Treatment

  /// - Parameters: see the properties.
  public init(
    number: Int64, category: ReportCategory, cause: ListedNumber.Cause, treatment: ListedNumber.Treatment = .block
  ) {
    self.number = number
    self.category = category
    self.cause = cause
    self.treatment = treatment
  }
}
