// SPDX-License-Identifier: Apache-2.0

/// A rule that a decision, an appeal or another input breaks.
public struct RuleViolation: Error, CodedData, CustomStringConvertible {
  /// The rules.
  public enum Code: String, CaseIterable, Sendable {
    /// The field does not have 1 to `most` characters.
    case length
    /// The field is not one line, or has control or invisible characters.
    case notOneLine = "not_one_line"
    /// Blocking or identifying a number requires a reason.
    case reasonMissing = "reason_missing"
    /// Identifying a number requires a label.
    case labelMissing = "label_missing"
    /// An allowed number is in no pack, so it cannot have a label.
    case labelOfAllowed = "label_of_allowed"
    /// A blocked number cannot be legitimate.
    case categoryNotToxic = "category_not_toxic"
    /// The number is outside every numbering plan, and is not allowed by the decision.
    case numberInvalid = "number_invalid"
    /// The number is protected, and is not allowed by the decision.
    case numberProtected = "number_protected"
    /// The page does not offer the decision.
    case decisionNotOffered = "decision_not_offered"
    /// The answer leaves the appeal open.
    case answerOpen = "answer_open"
    /// To reject an appeal needs an answer to the owner.
    case answerMissing = "answer_missing"
    /// An appeal about the number is open; a decision would leave it without an answer.
    case appealOpen = "appeal_open"
    /// Triage may not allow a number that is held, listed, appealed or reported by more than `most` reporters.
    case allowNeedsModerator = "allow_needs_moderator"
    /// To allow such a number needs a reason.
    case allowNeedsReason = "allow_needs_reason"
    /// To block a number that a directory names, or beside a protected one, needs a confirmation.
    case blockNeedsConfirmation = "block_needs_confirmation"
    /// The form has a common reason and another one.
    case twoReasons = "two_reasons"
    /// The days until the expiry are none of ``Decision/lifetimes``.
    case expiryNotOffered = "expiry_not_offered"
  }

  /// The name of the message.
  public let code: Code
  /// The values of the message; see ``CodedData``.
  public let values: [String: CodedValue]

  /// - Parameters: see ``CodedData``.
  public init(code: Code, values: [String: CodedValue]) {
    self.code = code
    self.values = values
  }

  /// - Parameters:
  ///   - code: a rule without figures.
  ///   - field: the field that breaks it.
  public init(_ code: Code, field: String) {
    self.init(code: code, values: ["field": .text(field)])
  }

  /// The field.
  public var field: String { if case .text(let text) = values["field"] { text } else { "" } }

  /// A line without control characters and without characters that reverse or hide their neighbors, trimmed.
  /// - Parameters:
  ///   - field: the field's name in the error.
  ///   - most: the most characters (Unicode scalars), at least 1.
  public static func line(_ text: String, _ field: String, atMost most: Int) throws(RuleViolation) -> String {
    let line = try self.text(text, field, atMost: most)
    guard !line.unicodeScalars.contains(where: isRefusedInLines) else {
      throw RuleViolation(.notOneLine, field: field)
    }
    return line
  }

  private static func isRefusedInLines(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator: true
    // Persian, the scripts of India and emoji sequences need joiners.
    case .format: scalar != "\u{200C}" && scalar != "\u{200D}"
    default: false
    }
  }

  /// A text that is not blank, trimmed.
  public static func text(_ text: String, _ field: String, atMost most: Int) throws(RuleViolation) -> String {
    let range = RuleViolation(code: .length, values: ["field": .text(field), "most": CodedValue(most)])
    // Checked before any scan of the text.
    guard text.utf8.count <= most * 4 else { throw range }
    var rest = Substring(text)
    while rest.first?.isWhitespace == true { rest.removeFirst() }
    while rest.last?.isWhitespace == true { rest.removeLast() }
    guard (1...most).contains(rest.unicodeScalars.count), !rest.unicodeScalars.contains("\0") else { throw range }
    return String(rest)
  }
}
