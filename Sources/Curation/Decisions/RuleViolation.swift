// SPDX-License-Identifier: Apache-2.0

/// A rule that a decision, an appeal or another input breaks.
public struct RuleViolation: Error, CodedMessage, CustomStringConvertible {
  public enum Code: MessageCode {
    /// The field does not have 1 to `most` characters.
    case length
    /// The field is not one line, or has control or invisible characters.
    case notOneLine
    /// A program or an owner of a number has this name in the audit log.
    case nameReserved
    /// Blocking or identifying a number requires a reason.
    case reasonMissing
    /// Identifying a number requires a label.
    case labelMissing
    /// An allowed number is in no pack, so it cannot have a label.
    case labelOfAllowed
    /// A blocked number cannot be legitimate.
    case categoryNotToxic
    /// The number is outside every numbering plan, and is not allowed by the decision.
    case numberInvalid
    /// The number is protected, and is not allowed by the decision.
    case numberProtected
    case decisionNotOffered
    /// The answer leaves the appeal open.
    case answerOpen
    /// To reject an appeal needs an answer to the owner.
    case answerMissing
    /// The answer to an objection needs a note that balances the interests.
    case balanceMissing
    /// An appeal about the number is open; a decision would leave it without an answer.
    case appealOpen
    /// The case asks about a range, not about its first number.
    case rangeOpen
    /// A ready-made reason cannot be true of the number.
    case reasonUntrue
    /// Triage may not allow a number that is held, listed, appealed or reported by more than `most` reporters.
    case allowNeedsModerator
    case allowNeedsReason
    /// To block a number that a directory names, or a neighbor of a protected one, needs a confirmation.
    case blockNeedsConfirmation
    /// The form has a common reason and a typed one.
    case twoReasons
    /// The account that added rules which block many numbers cannot approve them.
    case ownProposal
    /// Another account has changed the rule since it was read.
    case rangeChanged
    /// A proposal would replace a rule that is in force.
    case rangeInForce
    /// The field is no day such as 2027-01-31.
    case notADay
    /// The end is not after the beginning and the present.
    case endTooEarly
    /// The days until the expiry are none of ``Decision/lifetimes``.
    case expiryNotOffered
    /// A row of a file is not a row of its format, or lacks a column.
    case notARow
    /// The field is no number in international form.
    case notANumber
    case categoryUnknown
    /// An earlier row of the file has the number.
    case numberRepeated
    /// The case has a higher level, or another account has claimed it.
    case caseWithheld
    case decisionInForce
    case tooManyRows
    case noRows
    /// The file is not UTF-8 text.
    case wrongEncoding
  }

  public let code: Code
  public let field: String
  /// The limit of a rule that has one.
  public let most: Int?

  public init(_ code: Code, field: String, most: Int? = nil) {
    self.code = code
    self.field = field
    self.most = most
  }

  /// The field, the limit, and the categories where there is no such one.
  public var values: [String: CodedValue] {
    var values: [String: CodedValue] = ["field": .text(field)]
    values["most"] = most.map { CodedValue($0) }
    if code == .categoryUnknown {
      values["known"] = .text(ReportCategory.allCases.map(\.slug).joined(separator: ", "))
    }
    return values
  }

  /// A line without control characters and without characters that reverse or hide their neighbors, trimmed.
  /// - Parameter most: the most characters (Unicode scalars), at least 1.
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
    let range = RuleViolation(.length, field: field, most: most)
    // Checked before any scan of the text.
    guard text.utf8.count <= most * 4 else { throw range }
    var rest = Substring(text)
    while rest.first?.isWhitespace == true { rest.removeFirst() }
    while rest.last?.isWhitespace == true { rest.removeLast() }
    guard (1...most).contains(rest.unicodeScalars.count), !rest.unicodeScalars.contains("\0") else { throw range }
    return String(rest)
  }
}

/// The most characters (Unicode scalars) of texts that pages, files, requests and commands take alike.
public enum TextLimit {
  /// A number's label.
  public static let label = 100
  /// The reason of a decision or of a rule for a range.
  public static let reason = 500
  /// A note of a moderator.
  public static let note = 2_000
  /// The name of an account or another author, an app, a list, a directory or a passkey.
  public static let author = 80
  /// The reason of a protection.
  public static let protectionReason = 200
  /// The reason to overrule a gate, or to withdraw the reports of a key.
  public static let overruling = 1_000
  /// An app's name for its user.
  public static let reporter = 200

  /// The beginning of a name, as long as an author's may be.
  public static func author(_ name: String) -> String {
    String(String.UnicodeScalarView(name.unicodeScalars.prefix(author)))
  }
}
