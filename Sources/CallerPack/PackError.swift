/// Why a pack or a delta was refused, in words that may be shown to whoever runs the command.
public struct PackError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kinds of refusal.
  public enum Code: String, Sendable, Hashable, CaseIterable {
    /// The system could not open, read or write a file.
    case inputOutput
    /// The bytes are no pack (or no delta) at all.
    case notAPack
    /// The file has a version or a flag that this reader does not know.
    case unsupported
    /// The file ends before what it declares, or goes on after it.
    case wrongLength
    /// A checksum or a SHA-256 does not match.
    case corrupt
    /// A field or a coding breaks a rule of the format.
    case malformed
    /// A declared or real size is beyond a limit.
    case tooLarge
    /// An entry given to a writer breaks a rule.
    case badEntry
    /// A delta was given a pack that is not its base.
    case wrongBase
    /// A call came in the wrong order, such as an entry after the end.
    case misuse
  }

  /// The kind of refusal.
  public var code: Code
  /// The rule that was broken, as a sentence without a full stop.
  public var rule: String
  /// What was expected.
  public var expected: String?
  /// What was found.
  public var got: String?
  /// What to do about it.
  public var remedy: String?
  /// The position of the offending entry, from 0.
  public var entry: Int?
  /// The number of the offending entry.
  public var number: Int64?

  /// Makes an error.
  public init(
    _ code: Code, _ rule: String, expected: String? = nil, got: String? = nil, remedy: String? = nil,
    entry: Int? = nil, number: Int64? = nil
  ) {
    self.code = code
    self.rule = rule
    self.expected = expected
    self.got = got
    self.remedy = remedy
    self.entry = entry
    self.number = number
  }

  /// The error as plain English: the entry, the rule, expected and got, the remedy.
  public var description: String {
    var text = ""
    if let entry { text += "entry \(entry)" }
    if let number { text += text.isEmpty ? "number \(number)" : " (number \(number))" }
    text += text.isEmpty ? rule : ": \(rule)"
    if let expected { text += "; expected \(expected)" }
    if let got { text += expected == nil ? "; got \(got)" : ", got \(got)" }
    if let remedy { text += "; \(remedy)" }
    return text
  }
}
