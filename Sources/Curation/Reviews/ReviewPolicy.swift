// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The decisions that another moderator reviews.
public struct ReviewPolicy: Sendable, Equatable {
  public enum Cause: String, Sendable, CaseIterable {
    /// It affects many reporters, or a number that is held, listed or appealed.
    case reach
    case sample
  }

  /// The fewest moderators of a team with reviews: an author, a reviewer, and a person who settles a dispute.
  public static let minModerators = 3

  /// The share of all decisions in the random sample, 0 to 1.
  public var share: Double
  /// The most reporters of a number that is blocked or identified without a review.
  public var maxReporters: Int

  /// After so many reviews, an account's list contains a golden case; at least 1.
  public var goldenInterval = 10

  /// The default: 2 % of all decisions, and numbers with more than 100 reporters, because an error about a number that
  /// so many people know is seen by many.
  public static let standard = ReviewPolicy(share: 0.02, maxReporters: 100)

  public init(share: Double, maxReporters: Int) {
    self.share = share
    self.maxReporters = maxReporters
  }

  /// Whether an account's next list contains a golden case.
  /// - Parameters:
  ///   - reviews: reviews of the account so far.
  ///   - golden: the golden cases among them.
  public func needsGoldenCase(reviews: Int, golden: Int) -> Bool { reviews / max(1, goldenInterval) > golden }

  /// Why a decision is reviewed; nil if it is not.
  ///
  /// To allow a number for which ``AllowRule`` needs a moderator has reach always: reporters would lose their weight.
  /// - Parameter rule: the state of the number before the decision.
  public func cause(of id: UUID, _ treatment: Decision.Treatment, _ rule: AllowRule) -> Cause? {
    if hasReach(treatment, rule) { return .reach }
    return Self.position(of: id) < share ? .sample : nil
  }

  /// Whether a decision has reach; see ``cause(of:_:_:)``.
  public func hasReach(_ treatment: Decision.Treatment, _ rule: AllowRule) -> Bool {
    treatment == .allow ? rule.isGuarded : rule.reporters > maxReporters
  }

  /// The position of a decision in the random order of all decisions, 0 to 1: a function of its id.
  public static func position(of id: UUID) -> Double {
    let mixed = withUnsafeBytes(of: id.uuid) { bytes in
      // FNV-1a of the bytes.
      bytes.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }.splitMix
    }
    return Double(mixed >> 11) / Double(1 << 53 as UInt64)
  }
}
