// SPDX-License-Identifier: Apache-2.0

/// The order of entries when there are more than a pack may contain: a weighted sum of decayed values as of the
/// publication's time. Entries of equal rank are ordered by number.
public struct Ranking: Sendable, Equatable {
  /// Weight of present complaints (half-life 14 days).
  public var heat: Double
  /// Weight of calls that phones counted (half-life 14 days).
  public var identifications: Double
  /// Weight of long-term complaints (half-life 125 days).
  public var evidence: Double

  /// - Parameters: weights, 0 or more.
  public init(heat: Double = 0, identifications: Double = 0, evidence: Double = 0) {
    self.heat = heat
    self.identifications = identifications
    self.evidence = evidence
  }

  /// A ranking by present complaints only.
  public static let heat = Ranking(heat: 1)
  /// A ranking by calls only.
  public static let identifications = Ranking(identifications: 1)
  /// A ranking by long-term complaints only.
  public static let evidence = Ranking(evidence: 1)

  /// The rank of an entry; greater ranks come first.
  public func score(heat: Double, identifications: Double, evidence: Double) -> Double {
    self.heat * heat + self.identifications * identifications + self.evidence * evidence
  }
}
