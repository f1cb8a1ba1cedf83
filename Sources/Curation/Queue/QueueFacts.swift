public import Foundation

/// Everything that decides whether a number waits for a moderator.
public struct QueueFacts: Sendable, Equatable {
  /// What its reports amount to; nil when nobody ever reported it.
  public var score: Score?
  /// What thresholds and others say to that.
  public var evaluation: Evaluation?
  /// Whether it is protected.
  public var isProtected: Bool
  /// When the decision was made that stands.
  public var decidedAt: Date?
  /// Whether a rule against brigades keeps it back.
  public var isHeld: Bool
  /// When its newest open appeal was filed.
  public var appealedAt: Date?
  /// Whether a block that begins with it is proposed.
  public var isRangeProposed: Bool
  /// Whether the last publication blocks or names it, whatever the cause.
  public var isPublished: Bool
  /// Reports of the last ``QueueRule/protectedWindow``, counted for protected numbers alone.
  public var recentReports: Int
  /// 0 everybody, 1 moderators, 2 administrators: who shall look at it.
  public var level: Int16
  /// Since when it has been waiting.
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
