public import Curation

/// A number of a block, with what decides whether the block's approval publishes it.
public struct RangeMember: Sendable, Equatable {
  /// E.164 digits.
  public var number: Int64
  /// Reports that stand; 0 where nobody has reported it.
  public var reports: Int64
  /// Decayed heat.
  public var heat: Double
  /// Whether the newest publication lists it already.
  public var isListed: Bool
  /// What stands about it; a decided number is left to its decision.
  public var decision: Decision.Treatment?
  /// Whether it is kept back for a moderator.
  public var isHeld: Bool
  /// Why it may never be published; nil where it may.
  public var protection: ProtectionReason?

  /// Whether approving its block puts it into the next publication.
  public var isPublishedByRange: Bool { decision == nil && !isHeld && protection == nil }
}
