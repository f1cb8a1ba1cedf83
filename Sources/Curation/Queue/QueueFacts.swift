// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The facts that decide whether a number has a case.
public struct QueueFacts: Sendable, Equatable {
  /// The score of its reports; nil when it was never reported.
  public var score: Score?
  /// The evaluation by thresholds and overrides.
  public var evaluation: Evaluation?
  /// Whether it is protected.
  public var isProtected: Bool
  /// When the decision in force was made; nil for none.
  public var decidedAt: Date?
  /// Whether a rule against brigading holds it.
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

  /// - Parameters: see the properties.
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
