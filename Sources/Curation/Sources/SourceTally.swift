// SPDX-License-Identifier: Apache-2.0

/// The counts of one imported list about a number.
public struct SourceTally: Sendable, Equatable {
  /// The list's id in `apps`.
  public var appID: Int32
  /// Number of complaining rows that are not withdrawn.
  public var complaints: Int
  /// The days of these rows.
  public var days: ComplaintDays

  /// - Parameters: see the properties.
  public init(appID: Int32, complaints: Int, days: ComplaintDays) {
    self.appID = appID
    self.complaints = complaints
    self.days = days
  }
}
