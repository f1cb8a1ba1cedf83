public import Foundation

/// What the owner of a number says of its being listed.
public struct Appeal: Sendable, Equatable {
  /// Where it stands.
  public enum State: String, Sendable, CaseIterable {
    /// Nobody has answered it yet.
    case open
    /// The owner was right.
    case upheld
    /// The owner was not believed.
    case rejected
  }

  /// Chosen by whoever files it; the same for every retry.
  public var id: UUID
  /// E.164 digits.
  public var number: Int64
  /// Where it stands.
  public var state: State
  /// The owner's words.
  public var statement: String
  /// When it was filed.
  public var filedAt: Date
  /// Who answered; nil while it is open.
  public var answeredBy: String?
  /// When; nil while it is open.
  public var answeredAt: Date?
  /// What was answered, for the owner; nil where nothing was.
  public var answer: String?

  /// - Throws: ``RuleViolation`` for the first rule that is broken.
  public init(id: UUID = UUID(), number: Int64, statement: String, filedAt: Date) throws(RuleViolation) {
    self.id = id
    self.number = number
    state = .open
    self.statement = try RuleViolation.text(statement, "statement", atMost: 2_000)
    self.filedAt = filedAt
  }

  /// As it was stored.
  public init(
    id: UUID, number: Int64, state: State, statement: String, filedAt: Date, answeredBy: String?, answeredAt: Date?,
    answer: String?
  ) {
    (self.id, self.number, self.state, self.statement, self.filedAt) = (id, number, state, statement, filedAt)
    (self.answeredBy, self.answeredAt, self.answer) = (answeredBy, answeredAt, answer)
  }

  /// The same with an answer.
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
