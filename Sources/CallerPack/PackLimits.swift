// SPDX-License-Identifier: Apache-2.0

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
