// SPDX-License-Identifier: Apache-2.0

internal import CallerPack

extension PackWriter {
  /// Log2 of the entries of a block, in a pack without labels and with labels in each profile.
  static let bareShift = 13
  private static func shift(_ profile: PackProfile) -> Int { profile == .lean ? 12 : 13 }

  /// Returns the limit of a reader's memory in a profile, in bytes.
  static func readerBytes(_ profile: PackProfile) -> Int { profile == .lean ? 400_000 : 1_250_000 }

  func header(shift: Int) -> PackHeader {
    .draft(
      kind: options.kind, profile: options.profile, region: options.region, serial: options.serial,
      baseSerial: options.baseSerial, createdAt: options.createdAt, blockEntries: 1 << shift)
  }

  /// Writes the spooled entries, in blocks as large as the profile's memory allows.
  func encodeSpool() throws(PackError) -> (PackEncoder, PackHeader) {
    let dictionary = try makeDictionary()
    var shift = Self.shift(options.profile)
    while true {
      do throws(PackError) {
        let encoder = try PackEncoder(header(shift: shift), dictionary, into: sink)
        try spool?.forEach { (number, roles, label) throws(PackError) in
          try encoder.append(number, roles: roles, label: label)
        }
        let written = try encoder.finish()
        guard written.readerBytes <= Self.readerBytes(options.profile) || shift == Self.leastShift else {
          throw PackError(.tooLarge, "the reader needs more memory than the profile allows")
        }
        return (encoder, written)
      } catch {
        guard error.code == .tooLarge, shift > Self.leastShift else { throw error }
        shift -= 1
        try sink.restart()
      }
    }
  }

  private static let leastShift = 2

  private func makeDictionary() throws(PackError) -> PackEncoder.Dictionary? {
    if let base = options.dictionary {
      guard let loaded = try base.dictionary() else {
        guard identifies else { return nil }
        throw PackError(
          .badEntry, "the pack whose dictionary is to be used has none",
          remedy: "write one with a dictionary of its own")
      }
      guard base.header.profile == .lean || options.profile == .standard else {
        throw PackError(
          .badEntry, "the dictionary of a standard pack is too large for a lean one", remedy: "take a lean pack's")
      }
      let stored = try base.storedDictionary()
      return .init(
        stored: stored.bytes, checksum: stored.checksum, loaded: loaded, tokens: base.header.dictionaryTokens)
    }
    guard sample.count > 0 else { return nil }
    return try DictionaryTrainer.train(sample, options.profile)
  }
}
