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

extension PackHeader {
  package static let byteCount = 128
  /// Size of an entry of the index in bytes.
  package static let indexEntryBytes = 16
  /// "RFPACK", then two bytes that a text-mode transfer would change.
  package static let magic: [UInt8] = [0x52, 0x46, 0x50, 0x41, 0x43, 0x4B, 0x1A, 0x0A]

  /// Returns the header as bytes, with the checksums of the index and of the dictionary.
  package func encoded(indexChecksum: UInt32, dictionaryChecksum: UInt32) -> [UInt8] {
    var bytes = Self.magic
    bytes.appendLittleEndian(UInt64(version), 2)
    bytes.appendLittleEndian(UInt64(flags), 2)
    bytes += [kind.rawValue, profile.rawValue, UInt8(blockEntries.trailingZeroBitCount), 0]
    bytes.appendLittleEndian(serial, 8)
    bytes.appendLittleEndian(baseSerial, 8)
    bytes.appendLittleEndian(UInt64(bitPattern: createdAt), 8)
    for value in [
      entryCount, blockingCount, identificationCount, blockCount, dictionaryStoredBytes, dictionaryTextBytes,
      dictionaryTokens, maximumBlockBytes, maximumLabelBytes,
    ] {
      bytes.appendLittleEndian(UInt64(value), 4)
    }
    bytes.appendLittleEndian(UInt64(indexChecksum), 4)
    bytes.appendLittleEndian(UInt64(lastNumber), 8)
    bytes.append(UInt8(region.utf8.count))
    bytes += region.utf8
    bytes += [UInt8](repeating: 0, count: 112 - bytes.count)
    bytes.appendLittleEndian(UInt64(dictionaryChecksum), 4)
    bytes.appendLittleEndian(0, 4)
    bytes.appendLittleEndian(UInt64(fileBytes), 4)
    bytes.appendLittleEndian(UInt64(checksum(bytes)), 4)
    return bytes
  }

  /// Reads the header in `bytes` and checks it as far as possible without the rest of the file.
  static func decode(
    _ bytes: [UInt8]
  ) throws(PackError) -> (header: PackHeader, indexChecksum: UInt32, dictionaryChecksum: UInt32) {
    let input = try FileHead.open(bytes, magic: magic, count: byteCount, name: "pack")
    guard input.u16(10) == 0, input.u8(15) == 0, input.u32(116) == 0 else {
      throw PackError(.unsupported, "the header has flags that version 1 does not know", remedy: "use a newer reader")
    }
    guard let kind = PackKind(rawValue: input.u8(12)) else {
      throw PackError(.malformed, "the kind is unknown", expected: "1 to 3", got: "\(input.u8(12))")
    }
    guard let profile = PackProfile(rawValue: input.u8(13)) else {
      throw PackError(.malformed, "the profile is unknown", expected: "1 or 2", got: "\(input.u8(13))")
    }
    let regionBytes = Int(input.u8(88))
    guard regionBytes <= PackLimits.regionBytes else {
      throw PackError(.malformed, "the region's name is too long", expected: "23 bytes at most", got: "\(regionBytes)")
    }
    let region = bytes[89..<89 + regionBytes]
    guard region.allSatisfy(isRegionByte), bytes[(89 + regionBytes)..<112].allSatisfy({ $0 == 0 }) else {
      throw PackError(.malformed, "the region's name has other characters than A-Z a-z 0-9 . _ -")
    }
    let header = PackHeader(
      version: 1, flags: 0, kind: kind, profile: profile, region: String(decoding: region, as: UTF8.self),
      serial: input.u64(16), baseSerial: input.u64(24), createdAt: Int64(bitPattern: input.u64(32)),
      entryCount: input.int(40), blockingCount: input.int(44), identificationCount: input.int(48),
      blockEntries: 1 << min(Int(input.u8(14)), 20), blockCount: input.int(52),
      lastNumber: Int64(bitPattern: input.u64(80)), maximumBlockBytes: input.int(68),
      maximumLabelBytes: input.int(72), dictionaryStoredBytes: input.int(56), dictionaryTextBytes: input.int(60),
      dictionaryTokens: input.int(64), fileBytes: input.int(120))
    try header.check()
    guard header.dictionaryStoredBytes > 0 || input.u32(112) == 0 else {
      throw PackError(
        .malformed, "there is a checksum of a dictionary and no dictionary", expected: "0", got: "\(input.u32(112))")
    }
    return (header, input.u32(76), input.u32(112))
  }

  /// Returns whether a region's name may contain the byte.
  package static func isRegionByte(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F: true
    default: false
    }
  }
}

extension PackHeader {
  /// The memory that a cursor of this pack needs, in bytes, computed from the declared maxima. Profiles limit this
  /// value.
  public var readerBytes: Int {
    var bytes = 8 * blockEntries + maximumBlockBytes + indexBytes + 4096
    if dictionaryTokens > 0 {
      bytes += dictionaryTextBytes + 4 * dictionaryTokens + maximumLabelBytes + PackDictionary.fixedBytes
    }
    return bytes
  }

  /// The bytes that ``PackReader/contentDigest()`` hashes at most: each label counts with the bytes of the longest.
  public var contentBytes: Int { 11 * entryCount + identificationCount * maximumLabelBytes }

  /// Checks that readers of publications accept a pack of this size.
  /// - Throws: ``PackError`` with `tooLarge`.
  package func checkContent() throws(PackError) {
    guard contentBytes <= PackLimits.contentBytes else {
      throw PackError(
        .tooLarge, "the entries are too long in total for a publication",
        expected: "\(PackLimits.contentBytes) bytes at most", got: "\(contentBytes)",
        remedy: "publish fewer entries or shorter labels in one pack")
    }
  }

  package var indexBytes: Int { blockCount * Self.indexEntryBytes }

  package var blocksOffset: Int { Self.byteCount + dictionaryStoredBytes }

  package var indexOffset: Int { fileBytes - indexBytes }

  /// Returns the number of entries of the block at `index`.
  package func entries(inBlock index: Int) -> Int { min(blockEntries, entryCount - index * blockEntries) }

  /// Checks every field against the limits and against the other fields, before any memory is allocated.
  func check() throws(PackError) {
    try limit("entries", entryCount, PackLimits.entries)
    try limit("blocks", blockCount, PackLimits.blocks)
    try limit("bytes of a block", maximumBlockBytes, PackLimits.blockBytes)
    try limit("bytes of a label", maximumLabelBytes, PackLimits.labelBytes)
    try limit("bytes of the dictionary's text", dictionaryTextBytes, PackLimits.dictionaryTextBytes)
    try limit("tokens of the dictionary", dictionaryTokens, PackLimits.dictionaryTokens)
    try limit("bytes of the dictionary", dictionaryStoredBytes, PackLimits.dictionaryStoredBytes)
    guard blockEntries >= PackLimits.minBlockEntries, blockEntries <= PackLimits.maxBlockEntries else {
      throw PackError(
        .malformed, "the entries of a block are out of range",
        expected: "\(PackLimits.minBlockEntries) to \(PackLimits.maxBlockEntries)", got: "\(blockEntries)")
    }
    let blocks = (entryCount + blockEntries - 1) / blockEntries
    guard blockCount == blocks else {
      throw PackError(.malformed, "blocks do not fit entries", expected: "\(blocks) blocks", got: "\(blockCount)")
    }
    let counts: Bool =
      switch kind {
      case .blocking: blockingCount == entryCount && identificationCount == 0
      case .identification: identificationCount == entryCount && blockingCount == 0
      case .both:
        blockingCount <= entryCount && identificationCount <= entryCount
          && blockingCount + identificationCount >= entryCount
      }
    guard counts else {
      throw PackError(
        .malformed, "the counts do not fit the kind", expected: "\(entryCount) entries of kind \(kind)",
        got: "\(blockingCount) blocking, \(identificationCount) identifying")
    }
    guard lastNumber >= 0, lastNumber <= PackLimits.maxNumber, (lastNumber == 0) == (entryCount == 0) else {
      throw PackError(.malformed, "the last number is out of range", got: "\(lastNumber)")
    }
    let hasLabels = identificationCount > 0
    let hasDictionary = dictionaryStoredBytes > 0
    guard hasLabels ? hasDictionary && maximumLabelBytes > 0 : maximumLabelBytes == 0 else {
      throw PackError(.malformed, "the dictionary and the longest label do not fit the counts")
    }
    try limit("bytes of all labels", identificationCount * maximumLabelBytes, PackLimits.totalLabelBytes)
    guard kind != .blocking || !hasDictionary, hasDictionary || dictionaryTextBytes + dictionaryTokens == 0 else {
      throw PackError(.malformed, "there is a dictionary where none belongs")
    }
    guard blocksOffset + blockCount * 4 + indexBytes <= fileBytes else {
      throw PackError(
        .malformed, "the parts do not fit the file", expected: "at least \(blocksOffset + indexBytes) bytes",
        got: "\(fileBytes)")
    }
  }

  /// Compares a declared value with the one that was counted.
  static func check(_ what: String, declared: Int, found: Int) throws(PackError) {
    guard declared == found else {
      throw PackError(.malformed, "the header declares \(what) wrongly", expected: "\(declared)", got: "\(found)")
    }
  }

  private func limit(_ what: String, _ value: Int, _ most: Int) throws(PackError) {
    guard value <= most else {
      throw PackError(.tooLarge, "too many \(what) are declared", expected: "\(most) at most", got: "\(value)")
    }
  }
}

/// The common start of packs and deltas: eight bytes that identify the kind of file, the version, and the header's
/// checksum at its end.
enum FileHead {
  /// Checks the common fields of a file's header.
  /// - Parameters:
  ///   - bytes: the start of the file: at least a header, or the complete file when it is shorter.
  ///   - count: size of a header in bytes.
  ///   - name: the kind of file, for errors.
  /// - Returns: the header's integers.
  /// - Throws: ``PackError``: `notAPack`, `unsupported`, `wrongLength`, `corrupt`.
  static func open(
    _ bytes: [UInt8], magic: [UInt8], count: Int, name: String
  ) throws(PackError) -> LittleEndian {
    guard bytes.count >= 8, Array(bytes[..<8]) == magic else {
      let letters = String(decoding: magic[..<6], as: UTF8.self)
      throw PackError(
        .notAPack, "this is no \(name): the first 8 bytes are not \(letters)", remedy: "check the file's name")
    }
    guard bytes.count >= count else {
      throw PackError(
        .wrongLength, "a \(name) starts with a header", expected: "\(count) bytes", got: "\(bytes.count)",
        remedy: "fetch it again")
    }
    let input = LittleEndian(bytes)
    guard input.u16(8) == 1 else {
      throw PackError(
        .unsupported, "the version of the format is unknown", expected: "1", got: "\(input.u16(8))",
        remedy: "use a newer reader")
    }
    let sum = checksum(Array(bytes[..<(count - 4)]))
    guard input.u32(count - 4) == sum else {
      throw PackError(
        .corrupt, "the header's checksum does not match", expected: "\(input.u32(count - 4))", got: "\(sum)",
        remedy: "fetch it again")
    }
    return input
  }
}
