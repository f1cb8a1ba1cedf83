// SPDX-License-Identifier: Apache-2.0

/// The limits that a number must reach to be listed or to stay listed.
public struct ThresholdLimits: Sendable, Equatable, Codable {
  /// Least decayed heat, in units of a fresh complaint of full weight: 3 means three today, or six 14 days ago. Above
  /// 0.
  public var heat: Double
  /// Least decayed evidence (125 days) of complaints, in the same unit; 0 for no limit.
  public var evidence: Double
  /// Least confidence, 0 to 1; see ``Confidence``.
  public var confidence: Double
  /// Least number of distinct reporters whose vote is a complaint; 0 for no limit.
  public var reporters: Int
  /// Least distinct networks, 0 to 64; see ``NetworkSketch``.
  public var networks: Int
  /// Least distinct days with a complaint, 0 to 64; see ``ComplaintDays``.
  public var days: Int

  /// - Parameters: see the properties.
  public init(heat: Double, evidence: Double, confidence: Double, reporters: Int, networks: Int, days: Int) {
    self.heat = heat
    self.evidence = evidence
    self.confidence = confidence
    self.reporters = reporters
    self.networks = networks
    self.days = days
  }
}
