/// What the first 128 bytes of a pack say.
public struct PackHeader: Sendable, Hashable {
  /// The version of the format: 1.
  public var version: UInt16
  /// Flags; version 1 defines none, so 0.
  public var flags: UInt16
  /// What the entries do.
  public var kind: PackKind
  /// The memory profile that the pack was written for.
  public var profile: PackProfile
  /// The region's name: at most 23 of `A-Z a-z 0-9 . _ -`; may be empty.
  public var region: String
  /// The serial number of this pack; rises with every publication.
  public var serial: UInt64
  /// The serial of the pack that this one was derived from; 0 when there is none.
  public var baseSerial: UInt64
  /// Seconds since 1970-01-01 00:00 UTC; 0 when the maker does not say.
  public var createdAt: Int64
  /// Entries in the pack, 0 to ``PackLimits/entries``.
  public var entryCount: Int
  /// Entries that block.
  public var blockingCount: Int
  /// Entries that identify.
  public var identificationCount: Int
  /// Entries a block, a power of two; the last block may hold fewer.
  public var blockEntries: Int
  /// Blocks in the pack.
  public var blockCount: Int
  /// The greatest number of the pack; 0 when it is empty.
  public var lastNumber: Int64
  /// Declared maximum: bytes of the largest stored block.
  public var maximumBlockBytes: Int
  /// Declared maximum: bytes of UTF-8 of the longest label.
  public var maximumLabelBytes: Int
  /// Bytes of the dictionary as stored.
  public var dictionaryStoredBytes: Int
  /// Bytes of text in the dictionary's tokens when expanded.
  public var dictionaryTextBytes: Int
  /// Tokens in the dictionary.
  public var dictionaryTokens: Int
  /// Bytes of the whole file.
  public var fileBytes: Int

  /// A header for a pack that is to be written: what its maker chooses; the rest is found out.
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
