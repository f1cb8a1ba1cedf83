public import Foundation

/// What a moderator decided about a number.
public struct Decision: Sendable, Equatable {
  /// What is to be done with the number; reports have no say in it while the decision stands.
  public enum Treatment: String, Sendable, CaseIterable {
    /// Packs that block and packs that identify hold it.
    case block
    /// Only packs that identify hold it, under the decision's label.
    case identify
    /// No pack blocks it or names it because of reports; a directory may name it.
    case allow
  }

  /// Chosen by whoever records it; the same for every retry.
  public var id: UUID
  /// E.164 digits.
  public var number: Int64
  /// What is to be done.
  public var treatment: Treatment
  /// What a phone shows; needed to identify, and nil for the category's own label when it is blocked.
  public var label: String?
  /// What the number is, where it is a nuisance of a kind; nil for a mere name.
  public var category: ReportCategory?
  /// Why, for everybody who may look the number up; needed for all but ``Treatment/allow``.
  public var reason: String?
  /// For moderators alone.
  public var note: String?
  /// Who decided.
  public var decidedBy: String
  /// When.
  public var decidedAt: Date

  /// - Throws: ``RuleViolation`` for the first rule that is broken.
  public init(
    id: UUID = UUID(), number: Int64, treatment: Treatment, label: String? = nil, category: ReportCategory? = nil,
    reason: String? = nil, note: String? = nil, decidedBy: String, decidedAt: Date
  ) throws(RuleViolation) {
    (self.id, self.number, self.treatment, self.category) = (id, number, treatment, category)
    self.label = try label.map { (text) throws(RuleViolation) in try RuleViolation.line(text, "label", atMost: 100) }
    self.reason = try reason.map { (text) throws(RuleViolation) in try RuleViolation.line(text, "reason", atMost: 500) }
    self.note = try note.map { (text) throws(RuleViolation) in try RuleViolation.text(text, "note", atMost: 2_000) }
    self.decidedBy = try RuleViolation.line(decidedBy, "decided_by", atMost: 80)
    self.decidedAt = decidedAt
    guard treatment == .allow || self.reason != nil else {
      throw RuleViolation(.reasonMissing, field: "reason")
    }
    guard treatment != .block || category?.isToxic != false else {
      throw RuleViolation(.categoryNotToxic, field: "category")
    }
    guard treatment != .identify || self.label != nil else {
      throw RuleViolation(.labelMissing, field: "label")
    }
    guard treatment != .allow || self.label == nil else {
      throw RuleViolation(.labelOfAllowed, field: "label")
    }
  }
}

/// The decision that stands for a number.
public struct StandingDecision: Sendable, Equatable {
  /// E.164 digits.
  public var number: Int64
  /// What is to be done with it.
  public var treatment: Decision.Treatment
  /// What a phone shows; nil: the category's label.
  public var label: String?
  /// What the number is; nil where the decision names none.
  public var category: ReportCategory?
  /// The decision.
  public var decisionID: UUID
  /// When it was made.
  public var decidedAt: Date

  /// - Parameters: see the properties.
  public init(
    number: Int64, treatment: Decision.Treatment, label: String? = nil, category: ReportCategory? = nil,
    decisionID: UUID,
    decidedAt: Date
  ) {
    self.number = number
    self.treatment = treatment
    self.label = label
    self.category = category
    self.decisionID = decisionID
    self.decidedAt = decidedAt
  }
}
