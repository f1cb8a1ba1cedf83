/// A number that a publication may take because of reports or rulings.
public struct ListedNumber: Sendable, Equatable {
  /// Which packs may hold it.
  public enum Treatment: UInt8, Sendable {
    /// Blocking packs and identification packs.
    case block
    /// Identification packs alone.
    case identify
  }

  /// E.164 digits.
  public var number: Int64
  /// What a phone names; the hottest toxic category, or a moderator's.
  public var category: ReportCategory
  /// Which packs may hold it.
  public var treatment: Treatment
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
    number: Int64, category: ReportCategory, treatment: Treatment = .block, heat: Double, evidence: Double,
    identifications: Double = 0, label: String? = nil
  ) {
    self.number = number
    self.category = category
    self.treatment = treatment
    self.heat = heat
    self.evidence = evidence
    self.identifications = identifications
    self.label = label
  }
}
