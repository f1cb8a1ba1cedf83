/// A rule that a ruling, an appeal or another decision breaks.
public struct RulingProblem: Error, Sendable, Equatable, CustomStringConvertible {
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

  /// A line without control characters, trimmed.
  static func line(_ text: String, _ field: String, atMost most: Int) throws(RulingProblem) -> String {
    let line = try self.text(text, field, atMost: most)
    guard !line.unicodeScalars.contains(where: { $0.properties.generalCategory == .control || $0 == "\u{2028}" }) else {
      throw RulingProblem(field: field, rule: "is one line without control characters")
    }
    return line
  }

  /// A text that is not blank, trimmed.
  static func text(_ text: String, _ field: String, atMost most: Int) throws(RulingProblem) -> String {
    let range = RulingProblem(field: field, rule: "has 1 to \(most) characters")
    // Before anything walks the text.
    guard text.utf8.count <= most * 4 else { throw range }
    var rest = Substring(text)
    while rest.first?.isWhitespace == true { rest.removeFirst() }
    while rest.last?.isWhitespace == true { rest.removeLast() }
    guard (1...most).contains(rest.unicodeScalars.count), !rest.unicodeScalars.contains("\0") else { throw range }
    return String(rest)
  }
}
