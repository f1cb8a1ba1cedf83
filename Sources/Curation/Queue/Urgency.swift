public import Foundation

/// How soon a case is to be looked at: a number that is smaller for what is more urgent.
///
/// First comes its ``Rank``. Within a rank the case that has waited longest comes first, and heat counts as waiting: each
/// doubling of a number's heat over its review heat puts it ``doubling`` ahead. So nothing waits for ever behind what
/// is hotter, and the order of two cases does not change by waiting: no row is written for it.
public enum Urgency {
  /// What is at stake.
  public enum Rank: Int64, Sendable, CaseIterable {
    /// Somebody may be harmed now: published and strongly split, a published number's appeal, or escalated.
    case harm
    /// About to be published, or kept from it, while most of what was ever said is fresh; appeals; protected numbers.
    case rising
    /// All else.
    case waiting
  }

  /// What a doubling of the heat is worth, in seconds of waiting: six hours.
  public static let doubling: TimeInterval = 21_600
  /// The most doublings that count.
  public static let mostDoublings = 20
  /// So much of a number's evidence must be fresh for its heat to rise: half-lives of 14 and 125 days make one old
  /// burst's share 0.5 after 16 days.
  public static let freshShare = 0.5

  private static let span: Int64 = 100_000_000_000
  /// 2020-01-01T00:00:00Z; every case is younger.
  private static let origin: TimeInterval = 1_577_836_800

  /// Ascending order of urgency, 0 or more.
  /// - Parameter causes: as ``QueueRule`` finds them.
  public static func of(_ facts: QueueFacts, causes: QueueCauses) -> Int64 {
    let waitingSince = facts.since.timeIntervalSince1970 - origin - Double(doublings(facts)) * doubling
    let place = min(max(0, waitingSince), Double(span - 1))
    return rank(facts, causes: causes).rawValue * span + Int64(place)
  }

  /// The rank that an urgency has.
  public static func rank(of urgency: Int64) -> Rank { Rank(rawValue: urgency / span) ?? .waiting }

  /// What is at stake.
  public static func rank(_ facts: QueueFacts, causes: QueueCauses) -> Rank {
    if facts.level > 0 { return .harm }
    if facts.isPublished, causes.contains(.split) || causes.contains(.appeal) { return .harm }
    if causes.contains(.appeal) || causes.contains(.protected) { return .rising }
    let isBound = facts.evaluation?.meetsThreshold == true && facts.score?.isListed == false
    if isBound, let score = facts.score, score.heat >= freshShare * score.evidence { return .rising }
    return .waiting
  }

  private static func doublings(_ facts: QueueFacts) -> Int {
    guard let heat = facts.score?.heat, let review = facts.evaluation?.threshold?.reviewHeat, heat > review else {
      return 0
    }
    return min(mostDoublings, Int(log2(heat / review)))
  }
}
