// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// An appeal: the statement of a number's owner against its listing.
public struct Appeal: Sendable, Equatable {
  /// The state of the appeal.
  public enum State: String, Sendable, CaseIterable {
    /// Not answered yet.
    case open
    /// The appeal succeeded.
    case upheld
    /// The appeal failed.
    case rejected
  }

  /// Chosen by the client; the same for every retry.
  public var id: UUID
  /// E.164 digits.
  public var number: Int64
  /// The state of the appeal.
  public var state: State
  /// The owner's statement.
  public var statement: String
  /// When it was filed.
  public var filedAt: Date
  /// The account that answered; nil while it is open.
  public var answeredBy: String?
  /// When it was answered; nil while it is open.
  public var answeredAt: Date?
  /// The answer's text for the owner; nil where there is none.
  public var answer: String?

  /// - Throws: ``RuleViolation`` for the first rule that is broken.
  public init(id: UUID = UUID(), number: Int64, statement: String, filedAt: Date) throws(RuleViolation) {
    self.id = id
    self.number = number
    state = .open
    self.statement = try RuleViolation.text(statement, "statement", atMost: 2_000)
    self.filedAt = filedAt
  }

  /// An appeal from its stored columns.
  public init(
    id: UUID, number: Int64, state: State, statement: String, filedAt: Date, answeredBy: String?, answeredAt: Date?,
    answer: String?
  ) {
    (self.id, self.number, self.state, self.statement, self.filedAt) = (id, number, state, statement, filedAt)
    (self.answeredBy, self.answeredAt, self.answer) = (answeredBy, answeredAt, answer)
  }

  /// A copy with an answer.
  /// - Throws: ``RuleViolation``; also for an answer that leaves it open.
  public func answered(
    _ state: State, by moderator: String, at time: Date, answer: String?
  ) throws(RuleViolation) -> Appeal {
    guard state != .open else { throw RuleViolation(.answerOpen, field: "answer") }
    var appeal = self
    appeal.state = state
    appeal.answeredBy = try RuleViolation.line(moderator, "answered_by", atMost: 80)
    appeal.answeredAt = time
    appeal.answer = try answer.map { (text) throws(RuleViolation) in
      try RuleViolation.text(text, "answer", atMost: 2_000)
    }
    return appeal
  }
}
