// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The stored data of a number that decides its listing.
public struct NumberRecord: Sendable, Equatable {
  /// E.164 digits.
  public var number: Int64
  /// Aggregates by category.
  public var standing: NumberAggregate
  /// Days with complaints, including those of lists.
  public var days: ComplaintDays
  /// Networks of complaints.
  public var networks: NetworkSketch
  /// The counts of each imported list, in ascending order of the list's id.
  public var sources: [SourceTally]
  /// Stored heat of calls that phones counted.
  public var identifications: Double
  /// Whether the last publication lists it because of reports.
  public var isListed: Bool
  /// Time of the oldest report; nil when there was none.
  public var firstReportedAt: Date?
  /// Time of the newest report; nil when there was none.
  public var lastReportedAt: Date?

  /// - Parameters: see the properties.
  public init(
    number: Int64, standing: NumberAggregate, days: ComplaintDays = ComplaintDays(),
    networks: NetworkSketch = NetworkSketch(), sources: [SourceTally] = [], identifications: Double = 0,
    isListed: Bool = false, firstReportedAt: Date? = nil, lastReportedAt: Date? = nil
  ) {
    self.number = number
    self.standing = standing
    self.days = days
    self.networks = networks
    self.sources = sources
    self.identifications = identifications
    self.isListed = isListed
    self.firstReportedAt = firstReportedAt
    self.lastReportedAt = lastReportedAt
  }
}
