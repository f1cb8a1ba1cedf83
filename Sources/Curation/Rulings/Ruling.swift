public import Foundation

/// What a moderator decided about a number.
public struct Ruling: Sendable, Equatable {
  /// What is to be done with the number; reports have no say in it while the ruling stands.
  public enum Decision: String, Sendable, CaseIterable {
    /// Packs that block and packs that identify hold it.
    case block
    /// Only packs that identify hold it, under the ruling's label.
    case identify
    /// No pack holds it.
    case allow
  }

  /// Chosen by whoever records it; the same for every retry.
  public var id: UUID
  /// E.164 digits.
  public var number: Int64
  /// What is to be done.
  public var decision: Decision
  /// What a phone shows; needed to identify, and nil for the category's own label when it is blocked.
  public var label: String?
  /// What the number is, where it is a nuisance of a kind; nil for a mere name.
  public var category: ReportCategory?
  /// Why, for everybody who may look the number up; needed for all but ``Decision/allow``.
  public var reason: String?
  /// For moderators alone.
  public var note: String?
  /// Who decided.
  public var moderator: String
  /// When.
  public var ruledAt: Date

  /// - Throws: ``RulingProblem`` for the first rule that is broken.
  public init(
    id: UUID = UUID(), number: Int64, decision: Decision, label: String? = nil, category: ReportCategory? = nil,
    reason: String? = nil, note: String? = nil, moderator: String, ruledAt: Date
  ) throws(RulingProblem) {
    (self.id, self.number, self.decision, self.category) = (id, number, decision, category)
    self.label = try label.map { (text) throws(RulingProblem) in try RulingProblem.line(text, "label", atMost: 100) }
    self.reason = try reason.map { (text) throws(RulingProblem) in try RulingProblem.line(text, "reason", atMost: 500) }
    self.note = try note.map { (text) throws(RulingProblem) in try RulingProblem.text(text, "note", atMost: 2_000) }
    self.moderator = try RulingProblem.line(moderator, "moderator", atMost: 80)
    self.ruledAt = ruledAt
    guard decision == .allow || self.reason != nil else {
      throw RulingProblem(field: "reason", rule: "says why a number is to be blocked or identified; it is needed")
    }
    guard decision != .block || category?.isToxic != false else {
      throw RulingProblem(field: "category", rule: "of a number that is to be blocked is a nuisance's, or is left out")
    }
    guard decision != .identify || self.label != nil else {
      throw RulingProblem(field: "label", rule: "says what a phone shows; it is needed to identify a number")
    }
    guard decision != .allow || self.label == nil else {
      throw RulingProblem(field: "label", rule: "has no place in a ruling that allows a number: no pack will hold it")
    }
  }
}

/// The ruling that stands for a number.
public struct StandingRuling: Sendable, Equatable {
  /// E.164 digits.
  public var number: Int64
  /// What is to be done with it.
  public var decision: Ruling.Decision
  /// What a phone shows; nil: the category's label.
  public var label: String?
  /// What the number is; nil where the ruling names none.
  public var category: ReportCategory?
  /// The ruling.
  public var rulingID: UUID
  /// When it was made.
  public var ruledAt: Date

  /// - Parameters: see the properties.
  public init(
    number: Int64, decision: Ruling.Decision, label: String? = nil, category: ReportCategory? = nil, rulingID: UUID,
    ruledAt: Date
  ) {
    self.number = number
    self.decision = decision
    self.label = label
    self.category = category
    self.rulingID = rulingID
    self.ruledAt = ruledAt
  }
}
