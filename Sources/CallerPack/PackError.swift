// SPDX-License-Identifier: Apache-2.0

/// The error of reading or writing a pack or a delta. Its description may be shown to a user of the command line.
public struct PackError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kinds of errors.
  public enum Code: String, Sendable, Hashable, CaseIterable {
    /// The system could not open, read or write a file.
    case inputOutput
    /// The bytes are neither a pack nor a delta.
    case notAPack
    /// The file has a version or a flag that this reader does not know.
    case unsupported
    /// The file is shorter or longer than it declares.
    case wrongLength
    /// A checksum or a SHA-256 does not match.
    case corrupt
    /// A field or a coding breaks a rule of the format.
    case malformed
    /// A declared or real size is beyond a limit.
    case tooLarge
    /// An entry given to a writer breaks a rule.
    case badEntry
    /// The pack is not the base of the delta.
    case wrongBase
    /// A method was called in the wrong order, such as an entry after the end.
    case misuse
  }

  /// The kind of error.
  public var code: Code
  /// The rule that was broken, as a sentence without a full stop.
  public var rule: String
  /// The expected value; `nil` when the rule says it.
  public var expected: String?
  /// The value that was found.
  public var got: String?
  /// The remedy: an instruction for the reader of the error.
  public var remedy: String?
  /// The position of the faulty entry, from 0.
  public var entry: Int?
  /// The number of the faulty entry.
  public var number: Int64?

  /// Creates an error.
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

  /// The error in plain English: the entry, the rule, the expected and the actual value, the remedy.
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
