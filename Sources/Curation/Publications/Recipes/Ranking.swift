/// What makes one entry come before another when there are more than a pack may hold: a weighted sum, all of it decayed
/// and as of the publication's time. Entries of the same rank come in the order of their numbers.
public struct Ranking: Sendable, Equatable {
  /// Weight of present complaints (half-life 14 days).
  public var heat: Double
  /// Weight of calls that phones told of (half-life 14 days).
  public var identifications: Double
  /// Weight of complaints in the long run (half-life 125 days).
  public var evidence: Double

  /// - Parameters: weights, 0 or more.
  public init(heat: Double = 0, identifications: Double = 0, evidence: Double = 0) {
    self.heat = heat
    self.identifications = identifications
    self.evidence = evidence
  }

  /// By present complaints alone.
  public static let heat = Ranking(heat: 1)
  /// By calls alone.
  public static let identifications = Ranking(identifications: 1)
  /// By complaints in the long run alone.
  public static let evidence = Ranking(evidence: 1)

  /// The rank of an entry; more comes first.
  public func score(heat: Double, identifications: Double, evidence: Double) -> Double {
    self.heat * heat + self.identifications * identifications + self.evidence * evidence
  }
}
