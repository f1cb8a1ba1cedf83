// SPDX-License-Identifier: Apache-2.0

/// The rule for allowing a number: to allow a number that is held, listed, appealed or reported by many needs a
/// moderator and a reason.
public struct AllowRule: Sendable, Equatable {
  /// The most reporters of a number that triage may allow. The default thresholds need at most 5 reporters for a
  /// listing, so four times as many are more than a coincidence.
  public static let maxReporters = 20

  public var isHeld: Bool
  /// Whether the newest publication lists the number.
  public var isListed: Bool
  public var isAppealed: Bool
  /// Distinct reporters with a complaint; the decision discounts them.
  public var reporters: Int

  public init(isHeld: Bool, isListed: Bool, isAppealed: Bool, reporters: Int) {
    (self.isHeld, self.isListed, self.isAppealed, self.reporters) = (isHeld, isListed, isAppealed, reporters)
  }

  public init(_ explanation: Explanation) {
    self.init(
      isHeld: explanation.hold != nil, isListed: explanation.listing != nil, isAppealed: explanation.openAppeals > 0,
      reporters: explanation.score?.reporters ?? 0)
  }

  /// Whether allowing the number needs a moderator and a reason.
  public var isGuarded: Bool { isHeld || isListed || isAppealed || reporters > Self.maxReporters }

  public func isOpen(to role: Role) -> Bool { role >= .moderator || !isGuarded }

  /// - Throws: ``RuleViolation`` of the code `allow_needs_moderator` or `allow_needs_reason`.
  public func check(reason: String?, role: Role) throws(RuleViolation) {
    guard isGuarded else { return }
    guard isOpen(to: role) else { throw violation(.allowNeedsModerator) }
    guard reason != nil else { throw violation(.allowNeedsReason) }
  }

  private func violation(_ code: RuleViolation.Code) -> RuleViolation {
    RuleViolation(code, field: "allow", most: Self.maxReporters)
  }
}

/// The facts about a number with which a ready-made reason must agree.
public struct ReasonFacts: Sendable, Equatable {
  /// The fewest people that "many independent people" are.
  public static let manyReporters = 3

  /// Reporters with a complaint; entries where only lists have the number.
  public var reporters: Int
  /// Whether there is any report.
  public var hasReports: Bool

  public init(reporters: Int, hasReports: Bool) {
    (self.reporters, self.hasReports) = (reporters, hasReports)
  }

  public init(_ explanation: Explanation) {
    let entries = explanation.evaluation?.conditions.filter { $0.kind == .listComplaints }.map(\.have).max() ?? 0
    self.init(
      reporters: max(explanation.score?.reporters ?? 0, Int(entries)),
      hasReports: explanation.score?.parts.contains { $0.reports > 0 } ?? false)
  }

  /// Whether a stored reason can be true of the number. Texts that people write are not checked.
  public func allow(_ reason: String) -> Bool {
    switch reason {
    case "many_reporters": reporters >= Self.manyReporters
    case "fraud_quoted", "automatic_calls", "not_credible": hasReports
    default: true
    }
  }
}

/// The rule for blocking a number on a page: to block a number that a directory names, that has a protected number in the
/// same block of 100, or about which there is no report, needs a confirmation.
public struct BlockRule: Sendable, Equatable {
  /// Whether a directory names the number.
  public var isNamed: Bool
  /// Whether a number of the same block of 100 is protected.
  public var hasProtectedNeighbour: Bool
  /// Whether a page blocks a number without reports. Programs name their numbers one by one.
  public var isUnreported = false

  public init(isNamed: Bool, hasProtectedNeighbour: Bool) {
    (self.isNamed, self.hasProtectedNeighbour) = (isNamed, hasProtectedNeighbour)
  }

  /// Whether blocking the number needs a confirmation.
  public var isGuarded: Bool { isNamed || hasProtectedNeighbour || isUnreported }

  /// - Parameter isConfirmed: whether the moderator has confirmed the effect.
  /// - Throws: ``RuleViolation`` of the code `block_needs_confirmation`.
  public func check(isConfirmed: Bool) throws(RuleViolation) {
    guard !isGuarded || isConfirmed else { throw RuleViolation(.blockNeedsConfirmation, field: "confirm") }
  }
}
