/// A number that a publication may take because of reports, decisions or approved ranges.
public struct ListedNumber: Sendable, Equatable {
  /// Which packs may hold it.
  public enum Treatment: UInt8, Sendable {
    /// Blocking packs and identification packs.
    case block
    /// Identification packs alone.
    case identify
  }

  /// Why it is listed.
  public enum Cause: UInt8, Sendable {
    /// Its reports are over their threshold.
    case reports
    /// A moderator's decision.
    case decision
    /// It lies in an approved range.
    case range
  }

  /// E.164 digits.
  public var number: Int64
  /// What a phone names; the hottest toxic category, or a moderator's.
  public var category: ReportCategory
  /// Which packs may hold it.
  public var treatment: Treatment
  /// Why it is listed.
  public var cause: Cause
  /// Decayed complaints at the publication's time, in fresh complaints of full weight.
  public var heat: Double
  /// The same with the half-life of evidence.
  public var evidence: Double
  /// Decayed calls that phones told of, at that time; 0 where there are none.
  public var identifications: Double
  /// A moderator's label; nil: the category's.
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
