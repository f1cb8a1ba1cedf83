// SPDX-License-Identifier: Apache-2.0

/// A number that a publication may take because of reports, decisions or approved ranges.
public struct ListedNumber: Sendable, Equatable {
  /// The packs that may contain it.
  public enum Treatment: UInt8, Sendable {
    /// Blocking packs and identification packs.
    case block
    /// Identification packs only.
    case identify
  }

  /// The cause of the listing.
  public enum Cause: UInt8, Sendable {
    /// Its reports are over their threshold.
    case reports
    /// A moderator's decision.
    case decision
    /// An approved range contains it.
    case range
  }

  /// E.164 digits.
  public var number: Int64
  /// The category that phones show: the hottest toxic one, or a moderator's.
  public var category: ReportCategory
  /// The packs that may contain it.
  public var treatment: Treatment
  /// The cause of the listing.
  public var cause: Cause
  /// Decayed complaints at the publication's time, in units of a fresh complaint of full weight.
  public var heat: Double
  /// The same with the half-life of evidence.
  public var evidence: Double
  /// Decayed calls that phones counted, at that time; 0 where there are none.
  public var identifications: Double
  /// A moderator's label; nil for the category's.
  public var label: String?

  /// - Parameters: see the properties.
  public init(
    number: Int64, category: ReportCategory, treatment: Treatment = .block, cause: Cause = .reports,
    heat: Double, evidence: Double, identifications: Double = 0, label: String? = nil
  ) {
    self.number = number
    self.category = category
    self.treatment = treatment
    self.cause = cause
    self.heat = heat
    self.evidence = evidence
    self.identifications = identifications
    self.label = label
  }
}
