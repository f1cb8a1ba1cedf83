public import Foundation

/// Decides what a moderator has to look at.
///
/// What a decision stands about does not wait, unless its owner has appealed since. A protected number waits for nothing but
/// its own cause. A number that reports have listed waits only for a split or an appeal: its listing is settled.
public enum QueueRule {
  /// So many reports of a protected number within ``protectedWindow`` are heavy.
  public static let leastProtectedReports = 10
  /// Seven days, in seconds.
  public static let protectedWindow: TimeInterval = 7 * 86_400
  /// The most cases that wait for nothing but a threshold; the least urgent do without a place.
  public static let mostByThreshold = 100_000
  /// So many who were not sure raise a case by a level.
  public static let passesThatRaise = 3

  /// Why a number waits; nothing when it does not.
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

  /// Whether enough reporters say that it is a nuisance, and enough that it is not: the split of ``BrigadeDetection``.
  public static func isStronglySplit(_ score: Score) -> Bool {
    let legitimate = score.parts.reduce(0) { $0 + ($1.category.isToxic ? 0 : $1.reporters) }
    let least = min(score.reporters, legitimate)
    return least >= BrigadeDetection.leastOnEachSide
      && Double(least) >= BrigadeDetection.strongSplit * Double(score.reporters + legitimate)
  }

  /// Whether it is hot enough to look at, or over its entering threshold.
  private static func isWarm(_ facts: QueueFacts) -> Bool {
    guard let evaluation = facts.evaluation, let score = facts.score, let threshold = evaluation.threshold else {
      return false
    }
    return evaluation.meetsThreshold || score.heat >= threshold.reviewHeat
  }

  /// Whether the last publication lists it because of its reports, and its heat alone would keep it there.
  private static func isListedByHeat(_ facts: QueueFacts) -> Bool {
    guard let score = facts.score, score.isListed, let threshold = facts.evaluation?.threshold else { return false }
    return score.heat >= threshold.leave.heat
  }

  /// Whether the last publication lists it because of its reports, and the next one will.
  private static func staysListed(_ facts: QueueFacts) -> Bool {
    facts.score?.isListed == true && facts.evaluation?.meetsThreshold == true
  }
}
