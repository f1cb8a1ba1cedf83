// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A moderator's decision about a number.
public struct Decision: Sendable, Equatable {
  /// Reports have no effect on the number while the decision is in force.
  public enum Treatment: String, Sendable, CaseIterable {
    /// Blocking packs and identification packs contain it.
    case block
    /// Only identification packs contain it, with the decision's label.
    case identify
    /// No pack blocks or identifies it because of reports; a directory may name it.
    case allow
  }

  /// Chosen by the client; the same for every retry.
  public var id: UUID
  /// E.164 digits.
  public var number: Int64
  public var treatment: Treatment
  /// The label that phones show; required to identify; nil for the category's own label when it is blocked.
  public var label: String?
  /// The category of a nuisance number; nil for a decision that only names it.
  public var category: ReportCategory?
  /// The public reason; required except for ``Treatment/allow``.
  public var reason: String?
  /// A note for moderators only.
  public var note: String?
  public var decidedBy: String
  public var decidedAt: Date
  /// Nil for never.
  public var expiresAt: Date?

  /// - Throws: ``RuleViolation`` for the first rule that is broken.
  public init(
    id: UUID = UUID(), number: Int64, treatment: Treatment, label: String? = nil, category: ReportCategory? = nil,
    reason: String? = nil, note: String? = nil, decidedBy: String, decidedAt: Date, expiresAt: Date? = nil
  ) throws(RuleViolation) {
    (self.id, self.number, self.treatment, self.category) = (id, number, treatment, category)
    self.label = try label.map { (text) throws(RuleViolation) in
      try RuleViolation.line(text, "label", atMost: TextLimit.label)
    }
    self.reason = try reason.map { (text) throws(RuleViolation) in
      try RuleViolation.line(text, "reason", atMost: TextLimit.reason)
    }
    self.note = try note.map { (text) throws(RuleViolation) in
      try RuleViolation.text(text, "note", atMost: TextLimit.note)
    }
    self.decidedBy = try RuleViolation.line(decidedBy, "decided_by", atMost: TextLimit.author)
    self.decidedAt = decidedAt
    self.expiresAt = expiresAt
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

  /// Reads the texts of a program or of a file.
  /// - Parameter texts: `decision`, `label`, `category`, `reason`, `note` and `expires_days`; only the first is required.
  ///   A number that is allowed has no category.
  /// - Throws: ``RuleViolation`` for the first rule that is broken, with one of these names as its field.
  public init(
    id: UUID = UUID(), number: Int64, texts: [String: String], decidedBy: String, decidedAt: Date
  ) throws(RuleViolation) {
    guard let treatment = texts["decision"].flatMap({ Treatment(rawValue: $0) }) else {
      throw RuleViolation(.decisionNotOffered, field: "decision")
    }
    let category = texts["category"].flatMap { ReportCategory(slug: $0) }
    guard category != nil || texts["category"] == nil else { throw RuleViolation(.categoryUnknown, field: "category") }
    try self.init(
      id: id, number: number, treatment: treatment, label: texts["label"],
      category: treatment == .allow ? nil : category, reason: texts["reason"], note: texts["note"],
      decidedBy: decidedBy, decidedAt: decidedAt,
      expiresAt: try Self.expiry(afterDays: texts["expires_days"], from: decidedAt, field: "expires_days"))
  }

  /// The days after which a decision may expire.
  public static let lifetimes = [30, 90, 365]

  /// The expiry of a decision from the days that a moderator has chosen.
  /// - Parameters:
  ///   - days: one of ``lifetimes``; nil and an empty text for a decision that never expires.
  ///   - time: the time of the decision.
  ///   - field: the caller's name of the days.
  /// - Throws: ``RuleViolation`` for any other text.
  public static func expiry(
    afterDays days: String?, from time: Date, field: String = "expires"
  ) throws(RuleViolation) -> Date? {
    guard let days, !days.isEmpty else { return nil }
    guard let count = Int(days), lifetimes.contains(count) else { throw RuleViolation(.expiryNotOffered, field: field) }
    return time + Double(count) * 86_400
  }

  /// Rounded days; nil for a decision that never expires.
  public static func lifetime(from decidedAt: Date, to expiresAt: Date?) -> Int? {
    expiresAt.map { Int(($0.timeIntervalSince(decidedAt) / 86_400).rounded()) }
  }
}

/// The decision in force for a number.
public struct StandingDecision: Sendable, Equatable {
  /// E.164 digits.
  public var number: Int64
  public var treatment: Decision.Treatment
  /// The label that phones show; nil for the category's label.
  public var label: String?
  public var category: ReportCategory?
  public var decisionID: UUID
  public var decidedAt: Date
  /// Nil for never.
  public var expiresAt: Date?

  public init(
    number: Int64, treatment: Decision.Treatment, label: String? = nil, category: ReportCategory? = nil,
    decisionID: UUID,
    decidedAt: Date, expiresAt: Date? = nil
  ) {
    self.number = number
    self.treatment = treatment
    self.label = label
    self.category = category
    self.decisionID = decisionID
    self.decidedAt = decidedAt
    self.expiresAt = expiresAt
  }
}
