// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// Decides which numbers a moderator has to review.
///
/// A decided number has a case only if its owner has appealed since, and a protected one only its own cause. Neither decides
/// about a range that begins with the number. A number that reports have listed, and that stays listed, has no threshold
/// cause, unless reports only label it: its listing is settled.
public enum QueueRule {
  /// Number of reports of a protected number within ``protectedWindow`` that open a case.
  public static let minProtectedReports = 10
  /// Seven days, in seconds.
  public static let protectedWindow: TimeInterval = 7 * 86_400
  /// The most cases whose only cause is a threshold; the least urgent are dropped.
  public static let maxByThreshold = 100_000
  /// Number of accounts that must pass a case on to raise it by a level.
  public static let passesThatRaise = 3

  public static func causes(_ facts: QueueFacts) -> QueueCauses {
    let range: [QueueCause] = facts.isRangeProposed ? [.range] : []
    if let decidedAt = facts.decidedAt {
      return QueueCauses((facts.appealedAt.map { $0 > decidedAt } == true ? [.appeal] : []) + range)
    }
    if facts.isProtected {
      return QueueCauses((facts.recentReports >= minProtectedReports ? [.protected] : []) + range)
    }
    var causes: [QueueCause] = []
    if facts.isHeld { causes.append(.held) }
    if facts.appealedAt != nil { causes.append(.appeal) }
    causes += range
    if let score = facts.score, isStronglySplit(score), isWarm(facts) || isListedByHeat(facts) { causes.append(.split) }
    if !facts.isHeld, !staysListed(facts), isWarm(facts) { causes.append(.threshold) }
    return QueueCauses(causes)
  }

  /// See ``BrigadeDetection/isStronglySplit(toxic:legitimate:)``.
  static func isStronglySplit(_ score: Score) -> Bool {
    let legitimate = score.parts.reduce(0) { $0 + ($1.category.isToxic ? 0 : $1.reporters) }
    return BrigadeDetection.isStronglySplit(toxic: score.reporters, legitimate: legitimate)
  }

  /// Whether its heat reaches the review heat, or it meets its threshold.
  private static func isWarm(_ facts: QueueFacts) -> Bool {
    facts.evaluation.map { $0.meetsThreshold || $0.needsReview } ?? false
  }

  /// Whether reports have listed it, and its heat alone would keep it listed.
  private static func isListedByHeat(_ facts: QueueFacts) -> Bool {
    guard let score = facts.score, score.isListed, let threshold = facts.evaluation?.threshold else { return false }
    return score.heat >= threshold.leave.heat
  }

  /// Whether reports have listed it, and it still meets its threshold. A number that reports only label is not settled.
  private static func staysListed(_ facts: QueueFacts) -> Bool {
    guard let evaluation = facts.evaluation else { return false }
    return facts.score?.isListed == true && evaluation.meetsThreshold && !evaluation.isIdentifiedByReports
  }
}

/// The facts that decide whether a number has a case.
public struct QueueFacts: Sendable, Equatable {
  /// Nil when it was never reported.
  public var score: Score?
  public var evaluation: Evaluation?
  public var isProtected: Bool
  /// When the decision in force was made; nil for none.
  public var decidedAt: Date?
  public var isHeld: Bool
  /// When its newest open appeal was filed.
  public var appealedAt: Date?
  /// Whether a range that begins with it is proposed.
  public var isRangeProposed: Bool
  /// Whether the last publication blocks or identifies it, for any cause.
  public var isPublished: Bool
  /// Reports of the last ``QueueRule/protectedWindow``, counted only for protected numbers.
  public var recentReports: Int
  /// The level of its case: 0 everybody, 1 moderators, 2 administrators.
  public var level: Int16
  /// When its case was opened.
  public var since: Date

  public init(
    score: Score? = nil, evaluation: Evaluation? = nil, isProtected: Bool = false, decidedAt: Date? = nil,
    isHeld: Bool = false, appealedAt: Date? = nil, isRangeProposed: Bool = false, isPublished: Bool = false,
    recentReports: Int = 0, level: Int16 = 0, since: Date
  ) {
    self.score = score
    self.evaluation = evaluation
    self.isProtected = isProtected
    self.decidedAt = decidedAt
    self.isHeld = isHeld
    self.appealedAt = appealedAt
    self.isRangeProposed = isRangeProposed
    self.isPublished = isPublished
    self.recentReports = recentReports
    self.level = level
    self.since = since
  }
}

public enum QueueCause: String, CaseIterable, Sendable {
  /// Its heat reached the review heat, or it meets the threshold for the next publication.
  case threshold
  case held
  /// Its owner has appealed, and it was not decided since.
  case appeal
  /// A range that begins with it is proposed.
  case range
  /// Many votes call it a nuisance and many legitimate, listed or not.
  case split
  /// It is protected, but has many recent reports.
  case protected

  /// Its bit in ``QueueCauses``: 1, 2, 4, 8, 16, 32, as in the table `queue`.
  public var bit: Int16 {
    switch self {
    case .threshold: 1
    case .held: 2
    case .appeal: 4
    case .range: 8
    case .split: 16
    case .protected: 32
    }
  }
}

public struct QueueCauses: OptionSet, Hashable, Sendable {
  /// Sum of ``QueueCause/bit``.
  public let rawValue: Int16

  /// - Parameter rawValue: 0 to 63.
  public init(rawValue: Int16) {
    self.rawValue = rawValue
  }

  public init(_ causes: [QueueCause]) {
    rawValue = causes.reduce(0) { $0 | $1.bit }
  }

  /// The causes, in the order of ``QueueCause``.
  public var all: [QueueCause] { QueueCause.allCases.filter { rawValue & $0.bit != 0 } }

  public func contains(_ cause: QueueCause) -> Bool { rawValue & cause.bit != 0 }
}
