// SPDX-License-Identifier: Apache-2.0

/// The header of a pack: its first 128 bytes.
public struct PackHeader: Sendable, Hashable {
  /// The version of the format: 1.
  public var version: UInt16
  /// The flags; version 1 defines none, so 0.
  public var flags: UInt16
  /// The kind of the entries.
  public var kind: PackKind
  /// The memory profile that the pack was written for.
  public var profile: PackProfile
  /// The region's name: at most 23 of `A-Z a-z 0-9 . _ -`; may be empty.
  public var region: String
  /// The serial number of this pack. It rises with every publication.
  public var serial: UInt64
  /// The serial of the pack that this one was derived from; 0 when there is none.
  public var baseSerial: UInt64
  /// The creation time: seconds since 1970-01-01 00:00 UTC; 0 when unknown.
  public var createdAt: Int64
  /// The number of entries, 0 to ``PackLimits/entries``.
  public var entryCount: Int
  /// The number of entries that block.
  public var blockingCount: Int
  /// The number of entries that identify.
  public var identificationCount: Int
  /// The number of entries a block, a power of two; the last block may have fewer.
  public var blockEntries: Int
  /// The number of blocks.
  public var blockCount: Int
  /// The greatest number of the pack; 0 when it is empty.
  public var lastNumber: Int64
  /// Declared maximum: bytes of the largest stored block.
  public var maximumBlockBytes: Int
  /// Declared maximum: bytes of UTF-8 of the longest label.
  public var maximumLabelBytes: Int
  /// Size of the stored dictionary in bytes.
  public var dictionaryStoredBytes: Int
  /// Size of the text of the dictionary's tokens in bytes, when expanded.
  public var dictionaryTextBytes: Int
  /// The number of tokens in the dictionary.
  public var dictionaryTokens: Int
  /// Size of the file in bytes.
  public var fileBytes: Int

  /// Creates a header for a pack that is to be written, with the fields that its maker chooses. The encoder computes
  /// the rest.
  package static func draft(
    kind: PackKind, profile: PackProfile, region: String, serial: UInt64, baseSerial: UInt64, createdAt: Int64,
    blockEntries: Int
  ) -> PackHeader {
    PackHeader(
      version: 1, flags: 0, kind: kind, profile: profile, region: region, serial: serial, baseSerial: baseSerial,
      createdAt: createdAt, entryCount: 0, blockingCount: 0, identificationCount: 0, blockEntries: blockEntries,
      blockCount: 0, lastNumber: 0, maximumBlockBytes: 0, maximumLabelBytes: 0, dictionaryStoredBytes: 0,
      dictionaryTextBytes: 0, dictionaryTokens: 0, fileBytes: 0)
  }
}
