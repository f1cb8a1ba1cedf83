// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A person's statement against a number's listing, as a form sends it.
public struct AppealFiling: Sendable, Equatable {
  /// E.164 digits.
  public var number: Int64
  /// The statement, 1 to 2,000 characters.
  public var statement: String
  /// Contact of the person, a line of at most 200 characters; nil where none was given.
  public var contact: String?
  /// When it was sent.
  public var filedAt: Date

  /// The most characters of ``statement``.
  public static let mostStatement = 2_000
  /// The most characters of ``contact``.
  public static let mostContact = 200

  /// - Throws: ``RuleViolation`` for the first rule that is broken.
  public init(number: Int64, statement: String, contact: String?, filedAt: Date) throws(RuleViolation) {
    self.number = number
    self.statement = try Self.statement(statement)
    self.contact = try Self.contact(contact)
    self.filedAt = filedAt
  }

  /// A statement that follows its rules.
  public static func statement(_ text: String) throws(RuleViolation) -> String {
    try RuleViolation.text(text, "statement", atMost: mostStatement)
  }

  /// A contact that follows its rules; nil for a blank one.
  public static func contact(_ text: String?) throws(RuleViolation) -> String? {
    guard let text, !text.utf8.allSatisfy({ $0 == UInt8(ascii: " ") }) else { return nil }
    return try RuleViolation.line(text, "contact", atMost: mostContact)
  }
}
