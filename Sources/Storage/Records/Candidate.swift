public import Curation
public import Foundation

/// A number that a publication takes, with the category a phone names.
public struct Candidate: Sendable, Equatable {
  /// E.164 digits.
  public let number: Int64
  /// The hottest toxic category, which a phone names.
  public let category: ReportCategory

  /// - Parameters: see the properties.
  public init(number: Int64, category: ReportCategory) {
    self.number = number
    self.category = category
  }
}

/// A number that is hot enough for a moderator to look at.
public struct WatchedNumber: Sendable, Equatable {
  /// E.164 digits.
  public let number: Int64
  /// The hottest toxic category, which a phone names.
  public let category: ReportCategory
  /// Decayed complaints at the time asked for.
  public let heat: Double
  /// Wilson's lower bound, 0 to 1.
  public let confidence: Double
  /// Reports ever accepted.
  public let reports: Int64
  /// Distinct reporters.
  public let reporters: Int32
  /// Time of the newest report.
  public let lastReportedAt: Date
  /// Whether it has enough against it to be listed.
  public let isListed: Bool
}
