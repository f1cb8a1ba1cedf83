// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// Decides which numbers a moderator has to review.
///
/// A decided number has a case only if its owner has appealed since. A protected number has only its own cause. A
/// number that reports have listed, and that stays listed, has no threshold cause: its listing is settled.
public enum QueueRule {
  /// Number of reports of a protected number within ``protectedWindow`` that open a case.
  public static let leastProtectedReports = 10
  /// Seven days, in seconds.
  public static let protectedWindow: TimeInterval = 7 * 86_400
  /// The most cases whose only cause is a threshold; the least urgent are dropped.
  public static let mostByThreshold = 100_000
  /// Number of accounts that must pass a case on to raise it by a level.
  public static let passesThatRaise = 3

  /// The causes of a number's case; empty for none.
  public static func causes(_ facts: QueueFacts) -> QueueCauses {
    if let decidedAt = facts.decidedAt {
      return facts.appealedAt.map { $0 > decidedAt } == true ? QueueCauses([.appeal]) : []
    }
    if facts.isProtected {
      return facts.recentReports >= leastProtectedReports ? QueueCauses([.protected]) : []
    }
    var causes: [QueueCause] = []
    if facts.isHeld { causes.append(.held) }
    if facts.appealedAt != nil { causes.append(.appeal) }
    if facts.isRangeProposed { causes.append(.range) }
    if let score = facts.score, isStronglySplit(score), isWarm(facts) || isListedByHeat(facts) { causes.append(.split) }
    if !facts.isHeld, !staysListed(facts), isWarm(facts) { causes.append(.threshold) }
    return QueueCauses(causes)
  }

  /// Whether enough reporters call it a nuisance, and enough legitimate: the split of ``BrigadeDetection``.
  public static func isStronglySplit(_ score: Score) -> Bool {
    let legitimate = score.parts.reduce(0) { $0 + ($1.category.isToxic ? 0 : $1.reporters) }
    let least = min(score.reporters, legitimate)
    return least >= BrigadeDetection.leastOnEachSide
      && Double(least) >= BrigadeDetection.strongSplit * Double(score.reporters + legitimate)
  }

  /// Whether its heat reaches the review heat, or it meets its threshold.
  private static func isWarm(_ facts: QueueFacts) -> Bool {
    guard let evaluation = facts.evaluation, let score = facts.score else { return false }
    return evaluation.meetsThreshold || evaluation.needsReview(score.heat)
  }

  /// Whether reports have listed it, and its heat alone would keep it listed.
  private static func isListedByHeat(_ facts: QueueFacts) -> Bool {
    guard let score = facts.score, score.isListed, let threshold = facts.evaluation?.threshold else { return false }
    return score.heat >= threshold.leave.heat
  }

  /// Whether reports have listed it, and it still meets its threshold.
  private static func staysListed(_ facts: QueueFacts) -> Bool {
    facts.score?.isListed == true && facts.evaluation?.meetsThreshold == true
  }
}
