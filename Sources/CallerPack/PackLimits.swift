/// The limits of the format, version 1. A reader refuses what exceeds them before it takes memory.
public enum PackLimits {
  /// The least phone number.
  public static let leastNumber: Int64 = 1
  /// The greatest phone number: 15 digits, as E.164 has it.
  public static let greatestNumber: Int64 = 999_999_999_999_999
  /// Bytes of UTF-8 in a label; Call Directory drops what is longer or empty.
  public static let labelBytes = 65_534
  /// Entries in a pack of any kind.
  public static let entries = 16_777_216
  /// Additions (blocking plus identification) that one Call Directory extension takes.
  public static let callDirectoryEntries = 1_999_999
  /// Bytes of ASCII in a region's name.
  public static let regionBytes = 23
  /// Bytes in a pack or a delta.
  public static let fileBytes = 0xFFFF_FFFF
  /// Bytes of a stored block.
  public static let blockBytes = 524_288
  /// Blocks of a pack, which bounds the index at 256 KB.
  public static let blocks = 16_384
  /// The fewest entries of a full block.
  public static let leastBlockEntries = 4
  /// The most entries of a block.
  public static let greatestBlockEntries = 16_384
  /// Tokens of a dictionary.
  public static let dictionaryTokens = 131_072
  /// Bytes of text of a dictionary's tokens.
  public static let dictionaryTextBytes = 1_048_576
  /// Bytes of a dictionary as stored.
  public static let dictionaryStoredBytes = 1_572_864
  /// Bytes of text of one token.
  public static let tokenBytes = 255
  /// Bits of the longest code.
  public static let codeBits = 24
}
