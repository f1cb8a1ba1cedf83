/// A rule that a decision, an appeal or another treatment breaks.
public struct RuleViolation: Error, Sendable, Equatable, CustomStringConvertible {
  /// The field.
  public let field: String
  /// The rule, as the end of a sentence that begins with the field.
  public let rule: String

  /// - Parameters: see the properties.
  public init(field: String, rule: String) {
    self.field = field
    self.rule = rule
  }

  /// Field and rule in one sentence.
  public var description: String { "The \(field) \(rule)." }

  /// A line without control characters and without characters that turn or hide what stands beside them, trimmed.
  /// - Parameters:
  ///   - field: how the problem names it.
  ///   - most: the most characters (Unicode scalars), at least 1.
  public static func line(_ text: String, _ field: String, atMost most: Int) throws(RuleViolation) -> String {
    let line = try self.text(text, field, atMost: most)
    guard !line.unicodeScalars.contains(where: isRefusedInLines) else {
      throw RuleViolation(field: field, rule: "is one line without control or invisible characters")
    }
    return line
  }

  private static func isRefusedInLines(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator: true
    // Persian, the scripts of India and families of emoji are not written rightly without joiners.
    case .format: scalar != "\u{200C}" && scalar != "\u{200D}"
    default: false
    }
  }

  /// A text that is not blank, trimmed.
  public static func text(_ text: String, _ field: String, atMost most: Int) throws(RuleViolation) -> String {
    let range = RuleViolation(field: field, rule: "has 1 to \(most) characters")
    // Before anything walks the text.
    guard text.utf8.count <= most * 4 else { throw range }
    var rest = Substring(text)
    while rest.first?.isWhitespace == true { rest.removeFirst() }
    while rest.last?.isWhitespace == true { rest.removeLast() }
    guard (1...most).contains(rest.unicodeScalars.count), !rest.unicodeScalars.contains("\0") else { throw range }
    return String(rest)
  }
}
