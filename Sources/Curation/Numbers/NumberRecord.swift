public import Foundation

/// All that is stored of a number and decides whether it is listed.
public struct NumberRecord: Sendable, Equatable {
  /// E.164 digits.
  public var number: Int64
  /// Masses and counts by category.
  public var standing: NumberAggregate
  /// Days on which somebody complained, lists included.
  public var days: ComplaintDays
  /// Networks from which reporters complained.
  public var networks: NetworkSketch
  /// What each imported list says of it, in ascending order of the list's id.
  public var sources: [SourceTally]
  /// Stored heat of calls that phones told of.
  public var identifications: Double
  /// Whether the last publication lists it because of reports.
  public var isListed: Bool
  /// Time of the oldest report that ever came; nil when none did.
  public var firstReportedAt: Date?
  /// Time of the newest report that ever came; nil when none did.
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
