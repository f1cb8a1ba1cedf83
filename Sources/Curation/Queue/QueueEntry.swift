// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A case to be written to the queue.
public struct QueueEntry: Sendable, Equatable {
  /// E.164 digits.
  public var number: Int64
  /// Not empty.
  public var causes: QueueCauses
  /// Smaller is more urgent; see ``Urgency``.
  public var urgency: Int64
  /// The category of the evaluation; nil without complaints.
  public var category: ReportCategory?
  /// When the case was opened.
  public var since: Date

  /// - Returns: nil when the number has no cause.
  public init?(number: Int64, facts: QueueFacts) {
    let causes = QueueRule.causes(facts)
    guard !causes.isEmpty else { return nil }
    self.number = number
    self.causes = causes
    urgency = Urgency.of(facts, causes: causes)
    category = facts.evaluation?.category
    since = facts.since
  }
}

/// The urgency of a case: smaller values are more urgent.
///
/// The order is first by ``Rank``. Within a rank the oldest case comes first, and heat counts as age: each doubling of
/// a number's heat over its review heat puts it ``doubling`` ahead. So no case waits forever behind hotter ones, and
/// the order of two cases does not change with time, so that no row is updated for it.
public enum Urgency {
  public enum Rank: Int64, Sendable, CaseIterable {
    /// Harm is possible now: a published number with a split or an appeal, or an escalated case.
    case harm
    /// About to be published with mostly fresh complaints; appeals; protected numbers.
    case rising
    /// All others.
    case waiting
  }

  /// The value of a doubling of heat, in seconds of waiting: six hours.
  public static let doubling: TimeInterval = 21_600
  static let maxDoublings = 20
  /// The least share of heat in a number's evidence for its heat to count as rising: with half-lives of 14 and 125 days
  /// the share of one old burst is 0.5 after 16 days.
  static let freshShare = 0.5

  private static let span: Int64 = 100_000_000_000
  /// 2020-01-01T00:00:00Z; every case is younger.
  private static let origin: TimeInterval = 1_577_836_800

  /// The urgency, 0 or more; smaller is more urgent.
  /// - Parameter causes: the causes that ``QueueRule`` finds.
  public static func of(_ facts: QueueFacts, causes: QueueCauses) -> Int64 {
    let waitingSince = facts.since.timeIntervalSince1970 - origin - Double(doublings(facts)) * doubling
    let place = min(max(0, waitingSince), Double(span - 1))
    return rank(facts, causes: causes).rawValue * span + Int64(place)
  }

  public static func rank(of urgency: Int64) -> Rank { Rank(rawValue: urgency / span) ?? .waiting }

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
    return min(maxDoublings, Int(log2(heat / review)))
  }
}
