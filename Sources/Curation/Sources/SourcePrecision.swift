// SPDX-License-Identifier: Apache-2.0

/// How often moderators confirmed a source, over the numbers that it has or had complaints about and that have a
/// decision in force.
public struct SourcePrecision: Sendable, Equatable {
  /// The least decided numbers for a suspension.
  public static let leastDecided = 10
  /// The precision below which a source is suspended.
  public static let lowest = 0.5

  /// Numbers that decisions block or identify.
  public var confirmed: Int
  /// Numbers that decisions allow.
  public var wrong: Int

  /// - Parameters: see the properties.
  public init(confirmed: Int = 0, wrong: Int = 0) {
    self.confirmed = confirmed
    self.wrong = wrong
  }

  /// Numbers with a decision.
  public var decided: Int { confirmed + wrong }

  /// confirmed / (confirmed + wrong), 0 to 1; nil without decisions.
  public var share: Double? { decided > 0 ? Double(confirmed) / Double(decided) : nil }

  /// Whether the source is suspended: at least ``leastDecided`` numbers are decided, and the upper bound of the Wilson
  /// score interval at 95 % is below ``lowest``. See ``Confidence/wilsonUpperBound(toxic:legitimate:)`` for its source.
  /// Of 10 numbers at most 1 is confirmed then, of 100 at most 40.
  public var isTooLow: Bool {
    decided >= Self.leastDecided
      && Confidence.wilsonUpperBound(toxic: Double(confirmed), legitimate: Double(wrong)) < Self.lowest
  }
}
