// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A decision without its number, author and time.
public struct DecisionValues: Sendable, Hashable, Codable {
  /// The treatment of the number.
  public var treatment: Decision.Treatment
  /// The label that phones show.
  public var label: String?
  /// The category; nil for the category with the most heat of the number.
  public var category: ReportCategory?
  /// The public reason.
  public var reason: String?
  /// A note for moderators only.
  public var note: String?
  /// When the decision expires; nil for never.
  public var expiresAt: Date?

  /// Creates a value from its properties.
  public init(
    treatment: Decision.Treatment, label: String? = nil, category: ReportCategory? = nil, reason: String? = nil,
    note: String? = nil, expiresAt: Date? = nil
  ) {
    (self.treatment, self.label, self.category) = (treatment, label, category)
    (self.reason, self.note, self.expiresAt) = (reason, note, expiresAt)
  }

  /// The values of a decision.
  public init(_ decision: Decision) {
    self.init(
      treatment: decision.treatment, label: decision.label, category: decision.category, reason: decision.reason,
      note: decision.note, expiresAt: decision.expiresAt)
  }
}

extension Decision.Treatment: Codable {}

/// A row of a file of decisions.
public struct DecisionRow: Sendable, Equatable {
  /// The first line of the row, from 1.
  public var line: Int
  /// E.164 digits.
  public var number: Int64
  /// The decision.
  public var values: DecisionValues

  /// Creates a value from its properties.
  public init(line: Int, number: Int64, values: DecisionValues) {
    (self.line, self.number, self.values) = (line, number, values)
  }
}

/// The reason why a row of a file is not decided.
public struct DecisionRowProblem: Sendable {
  /// The first line of the row, from 1.
  public var line: Int
  /// The value of the field, at most ``maxValue`` characters of it; empty for a missing one.
  public var value: String
  /// The rule, with the name of the field.
  public var violation: RuleViolation

  /// The most characters of a value that are repeated.
  static let maxValue = 80

  /// Creates a value from its properties; a long value is cut, and control characters are replaced.
  public init(line: Int, value: String, _ violation: RuleViolation) {
    self.line = line
    self.value = String(value.prefix(Self.maxValue).map { $0.isNewline || $0.asciiValue ?? 32 < 32 ? " " : $0 })
    self.violation = violation
  }
}
