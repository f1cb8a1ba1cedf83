// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// An appeal: the statement of a number's owner against its listing.
public struct Appeal: Sendable, Equatable {
  public enum State: String, Sendable, CaseIterable {
    case open
    case upheld
    case rejected
  }

  /// Chosen by the client; the same for every retry.
  public var id: UUID
  /// E.164 digits.
  public var number: Int64
  public var state: State
  public var statement: String
  public var filedAt: Date
  public var answeredBy: String?
  public var answeredAt: Date?
  /// Text for the owner.
  public var answer: String?
  /// Whether a person who proved control of the number objects to its processing.
  public var isObjection = false

  /// How long a rejection can be undone, and is not shown to the owner, in seconds: 5 minutes.
  public static let undoWindow: TimeInterval = 300

  /// Whether it was rejected just now: the rejection can be undone, and the owner does not see it yet.
  public func isRejectedJustNow(at time: Date) -> Bool {
    state == .rejected && answeredAt.map { time < $0 + Self.undoWindow } ?? false
  }

  /// The appeal as its owner sees it: a rejection that can be undone is not shown.
  public func shownToOwner(at time: Date) -> Appeal {
    guard isRejectedJustNow(at: time) else { return self }
    var appeal = self
    appeal.state = .open
    (appeal.answeredBy, appeal.answeredAt, appeal.answer) = (nil, nil, nil)
    return appeal
  }

  /// The most characters of an answer.
  public static let maxAnswer = 2_000

  /// - Throws: ``RuleViolation`` for the first rule that is broken.
  public init(id: UUID = UUID(), number: Int64, statement: String, filedAt: Date) throws(RuleViolation) {
    self.id = id
    self.number = number
    state = .open
    self.statement = try AppealFiling.statement(statement)
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
    guard !isObjection || answer != nil else { throw RuleViolation(.balanceMissing, field: "answer") }
    var appeal = self
    appeal.state = state
    appeal.answeredBy = try RuleViolation.line(moderator, "answered_by", atMost: TextLimit.author)
    appeal.answeredAt = time
    appeal.answer = try answer.map { (text) throws(RuleViolation) in
      try RuleViolation.text(text, "answer", atMost: Self.maxAnswer)
    }
    return appeal
  }
}

/// A person's statement against a number's listing, as a form sends it.
public struct AppealFiling: Sendable, Equatable {
  /// E.164 digits.
  public var number: Int64
  /// The statement, 1 to 2,000 characters.
  public var statement: String
  /// Contact of the person, a line of at most 200 characters; nil where none was given.
  public var contact: String?
  public var filedAt: Date
  /// The language of the form, such as `en`: a mail with the answer has it too.
  public var language: String
  /// Whether it is an objection by somebody who proved control of the number.
  public var isObjection = false

  public static let maxStatement = 2_000
  public static let maxContact = 200

  /// - Throws: ``RuleViolation`` for the first rule that is broken.
  public init(
    number: Int64, statement: String, contact: String?, filedAt: Date, language: String = "en"
  ) throws(RuleViolation) {
    self.number = number
    self.statement = try Self.statement(statement)
    self.contact = try Self.contact(contact)
    self.filedAt = filedAt
    self.language = language
  }

  /// A statement that follows its rules.
  public static func statement(_ text: String) throws(RuleViolation) -> String {
    try RuleViolation.text(text, "statement", atMost: maxStatement)
  }

  /// A contact that follows its rules; nil for a blank one.
  public static func contact(_ text: String?) throws(RuleViolation) -> String? {
    guard let text, !text.utf8.allSatisfy({ $0 == UInt8(ascii: " ") }) else { return nil }
    return try RuleViolation.line(text, "contact", atMost: maxContact)
  }
}

/// Protects owners of spoofed numbers from being blocked.
///
/// A spoofer uses a stranger's number for about a day and then the next one. The owner then sees one day of many
/// complaints between quiet days, and is the person who appeals. **A number with ten complaints or more on one day,
/// which are at least half of all complaints of the last 64 days, is identified and not blocked from the moment an
/// appeal is filed on that day or later, until the appeal is rejected.** Phones still show the category, and the
/// owner's calls ring. A decision takes precedence over this rule, as over all others.
public enum Spoofing {
  static let minOnOneDay = 10
  static let minShare = 0.5
  /// The days whose complaints are counted.
  public static let days = 64

  /// Whether a number must be identified and not blocked.
  /// - Parameters:
  ///   - complaintsByDay: complaints that are not withdrawn, by the UTC day on which they were made, in days since
  ///     1970, of the last ``days``.
  ///   - appealDays: days on which open or upheld appeals were filed.
  public static func isVictim(complaintsByDay: [Int32: Int], appealDays: [Int32]) -> Bool {
    guard let peak = complaintsByDay.max(by: { ($0.value, -$0.key) < ($1.value, -$1.key) }),
      peak.value >= minOnOneDay
    else { return false }
    let all = complaintsByDay.values.reduce(0, +)
    return Double(peak.value) >= minShare * Double(all) && appealDays.contains { $0 >= peak.key }
  }
}
