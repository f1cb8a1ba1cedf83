// SPDX-License-Identifier: Apache-2.0

extension PackHeader {
  /// Size of a header in bytes.
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
