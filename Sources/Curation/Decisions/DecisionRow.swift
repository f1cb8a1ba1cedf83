// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A decision without its number, author and time.
public struct DecisionValues: Sendable, Hashable, Codable {
  public var treatment: Decision.Treatment
  /// The label that phones show.
  public var label: String?
  /// The category; nil for the category with the most heat of the number.
  public var category: ReportCategory?
  /// The public reason.
  public var reason: String?
  /// A note for moderators only.
  public var note: String?
  /// Nil for never.
  public var expiresAt: Date?

  public init(
    treatment: Decision.Treatment, label: String? = nil, category: ReportCategory? = nil, reason: String? = nil,
    note: String? = nil, expiresAt: Date? = nil
  ) {
    (self.treatment, self.label, self.category) = (treatment, label, category)
    (self.reason, self.note, self.expiresAt) = (reason, note, expiresAt)
  }

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
  public var values: DecisionValues

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
  public var violation: RuleViolation

  /// The most characters of a value that are repeated.
  static let maxValue = 80

  /// Cuts a long value and replaces control characters.
  public init(line: Int, value: String, _ violation: RuleViolation) {
    self.line = line
    self.value = String(value.prefix(Self.maxValue).map { $0.isNewline || $0.asciiValue ?? 32 < 32 ? " " : $0 })
    self.violation = violation
  }
}
