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

/// The limits of format version 1. A reader refuses a file that exceeds them before it allocates memory.
public enum PackLimits {
  /// The least phone number.
  public static let minNumber: Int64 = 1
  /// The greatest phone number: 15 digits (E.164).
  public static let maxNumber: Int64 = 999_999_999_999_999
  /// The most bytes of UTF-8 in a label. Call Directory drops an entry with a longer or empty label.
  public static let labelBytes = 65_534
  /// The most bytes of all labels of a pack: the entries that identify, times the bytes of the longest label. Labels of at
  /// most 255 bytes are never limited by it.
  public static let totalLabelBytes = 0xFFFF_FFFF
  /// The most content of a published pack that a reader hashes, by ``PackHeader/contentBytes``: 1 GiB.
  public static let contentBytes = 1 << 30
  /// The most entries in a pack of any kind.
  public static let entries = 16_777_216
  /// The most additions (blocking plus identification) in one request of a Call Directory extension.
  public static let callDirectoryEntries = 1_999_999
  /// The most bytes of ASCII in a region's name.
  public static let regionBytes = 23
  /// The most bytes in a pack or a delta.
  public static let fileBytes = 0xFFFF_FFFF
  /// The most bytes of a stored block.
  public static let blockBytes = 524_288
  /// The most blocks of a pack, which limits the index to 256 KB.
  public static let blocks = 16_384
  /// The fewest entries of a full block.
  public static let minBlockEntries = 4
  /// The most entries of a block.
  public static let maxBlockEntries = 16_384
  /// The most tokens of a dictionary.
  public static let dictionaryTokens = 131_072
  /// The most bytes of text of a dictionary's tokens.
  public static let dictionaryTextBytes = 1_048_576
  /// The most bytes of a stored dictionary.
  public static let dictionaryStoredBytes = 1_572_864
  /// The most bytes of text of one token.
  public static let tokenBytes = 255
  /// The length of the longest code in bits.
  public static let codeBits = 24
}
