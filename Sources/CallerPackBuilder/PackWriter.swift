// SPDX-License-Identifier: Apache-2.0

public import CallerPack

/// Writes a pack from entries in ascending order, in limited memory.
///
/// ```swift
/// let writer = try PackWriter(path: "toxic.rfpack", options: .init(kind: .identification, region: "DE", serial: 42))
/// try writer.append(49_30_1234, label: "Robocall")
/// try writer.append(49_30_5678, label: "Fraud")
/// let summary = try writer.finish()
/// print(summary.entries, summary.sha256.hex)
/// ```
///
/// The file gets its name only when ``finish()`` has completed it; a writer that is dropped before leaves nothing
/// behind. The same options and entries give the same bytes. Use a writer from one thread at a time.
public final class PackWriter {
  /// The header fields and settings of a new pack.
  public struct Options: Sendable {
    /// The roles that entries may have.
    public var kind: PackKind
    /// The region's name: at most 23 of `A-Z a-z 0-9 . _ -`; may be empty.
    public var region: String
    /// The serial number of this pack.
    public var serial: UInt64
    /// The serial of the pack that this one is derived from; 0 when there is none.
    public var baseSerial: UInt64
    /// The creation time: seconds since 1970-01-01 00:00 UTC; 0 for unknown.
    public var createdAt: Int64
    /// The limit of a reader's memory.
    public var profile: PackProfile
    /// The most additions (blocking plus identification), 1 to ``PackLimits/entries``.
    public var maximumEntries: Int
    /// A pack whose dictionary is used again, so that a delta from it needs no new one; `nil` trains a new dictionary.
    ///
    /// Labels change with time: a dictionary that is used for months fits them less and less. A lean pack can only use
    /// the dictionary of a lean pack.
    public var dictionary: PackReader?

    /// Creates options; by default for one Call Directory extension, with a new dictionary. Each parameter sets the
    /// property of its name.
    public init(
      kind: PackKind, region: String = "", serial: UInt64 = 0, baseSerial: UInt64 = 0, createdAt: Int64 = 0,
      profile: PackProfile = .standard, maximumEntries: Int = PackLimits.callDirectoryEntries,
      dictionary: PackReader? = nil
    ) {
      self.kind = kind
      self.region = region
      self.serial = serial
      self.baseSerial = baseSerial
      self.createdAt = createdAt
      self.profile = profile
      self.maximumEntries = maximumEntries
      self.dictionary = dictionary
    }
  }

  let options: Options
  let sink: PackSink
  private var rules: EntryRules
  /// A pack without labels is written directly; one with labels waits in a spool for its dictionary.
  private var encoder: PackEncoder?
  private(set) var spool: EntrySpool?
  private(set) var sample = LabelSample()
  private(set) var identifies = false

  /// Creates a temporary file in the folder of `path`.
  /// - Parameters:
  ///   - path: the file to write; an existing file is replaced by ``finish()``.
  ///   - options: the header fields and settings.
  /// - Throws: ``PackError``: `inputOutput`, or `badEntry` for an option that breaks a rule.
  public init(path: String, options: Options) throws(PackError) {
    try EntryRules.check(options)
    self.options = options
    rules = EntryRules(options)
    sink = try PackSink(path: path)
    if options.kind == .blocking {
      encoder = try PackEncoder(header(shift: Self.bareShift), nil, into: sink)
    } else {
      spool = try EntrySpool(beside: path)
    }
  }

  /// Appends an entry that blocks.
  /// - Parameter number: 1 to 999,999,999,999,999, greater than the previous number.
  /// - Throws: ``PackError``: `badEntry` with the entry and the rule; `inputOutput`; `misuse` after ``finish()``.
  public func append(_ number: Int64) throws(PackError) {
    try append(number, roles: .blocks, labelUTF8: UnsafeRawBufferPointer(start: nil, count: 0))
  }

  /// Appends an entry that identifies and, in a `.both` pack, may also block.
  /// - Parameters:
  ///   - number: 1 to 999,999,999,999,999, greater than the previous number.
  ///   - label: 1 to 65,534 bytes of UTF-8.
  ///   - roles: must contain `.identifies`.
  /// - Throws: the same as ``append(_:)-(Int64)``.
  public func append(_ number: Int64, label: String, roles: PackRoles = .identifies) throws(PackError) {
    var label = label
    var failure: PackError?
    label.withUTF8 { bytes in
      do throws(PackError) {
        try append(number, roles: roles, labelUTF8: UnsafeRawBufferPointer(bytes))
      } catch { failure = error }
    }
    if let failure { throw failure }
  }

  /// Appends an entry.
  /// - Throws: the same as ``append(_:)-(Int64)``.
  public func append(_ entry: PackEntry) throws(PackError) {
    try append(entry.number, label: entry.label ?? "", roles: entry.roles)
  }

  /// Appends an entry whose label is given as UTF-8 bytes; empty for an entry that only blocks.
  /// - Throws: the same as ``append(_:)-(Int64)``.
  public func append(_ number: Int64, roles: PackRoles, labelUTF8: UnsafeRawBufferPointer) throws(PackError) {
    try append(number...number, roles: roles, labelUTF8: labelUTF8)
  }

  /// Appends the entries of another pack.
  /// - Throws: the same as ``append(_:)-(Int64)``, and the errors of reading the pack.
  package func append(contentsOf reader: PackReader) throws(PackError) {
    let cursor = try reader.makeCursor()
    while try cursor.next() {
      var failure: PackError?
      cursor.withLabel { label in
        do throws(PackError) {
          try append(cursor.number, roles: cursor.roles, labelUTF8: label)
        } catch { failure = error }
      }
      if let failure { throw failure }
    }
  }

  /// Appends an entry for each of some numbers that follow each other, all with the same roles and label. In a pack that
  /// only blocks this takes next to no time for each number.
  /// - Throws: the same as ``append(_:)-(Int64)``; no entry is appended then.
  public func append(
    _ numbers: ClosedRange<Int64>, roles: PackRoles = .blocks,
    labelUTF8: UnsafeRawBufferPointer = UnsafeRawBufferPointer(start: nil, count: 0)
  ) throws(PackError) {
    try rules.accept(numbers, roles: roles, label: labelUTF8)
    if roles.contains(.identifies) { identifies = true }
    if let encoder, options.kind == .blocking { return try encoder.append(blocking: numbers) }
    var number = numbers.lowerBound
    while number <= numbers.upperBound {
      if options.dictionary == nil, roles.contains(.identifies) { sample.add(labelUTF8) }
      try spool?.append(number, roles: roles, label: labelUTF8)
      number += 1
    }
  }

  /// Completes the file and renames it to its path.
  /// - Returns: the entries, size and SHA-256 of the pack.
  /// - Throws: ``PackError``: `inputOutput`, or `misuse` when it is called twice.
  @discardableResult
  public func finish() throws(PackError) -> PackSummary {
    try rules.end()
    let (encoder, written) = if let encoder { (encoder, try encoder.finish()) } else { try encodeSpool() }
    self.encoder = nil
    let digest = try sink.digest()
    try sink.publish()
    spool?.cancel()
    return PackSummary(
      entries: written.entryCount, bytes: written.fileBytes, sha256: digest, first: encoder.firstNumber,
      last: written.entryCount > 0 ? written.lastNumber : nil)
  }

  /// Discards everything that was written.
  public func cancel() {
    sink.cancel()
    spool?.cancel()
    rules.close()
  }
}

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
        guard written.readerBytes <= Self.readerBytes(options.profile) || shift == Self.minShift else {
          throw PackError(.tooLarge, "the reader needs more memory than the profile allows")
        }
        return (encoder, written)
      } catch {
        guard error.code == .tooLarge, shift > Self.minShift else { throw error }
        shift -= 1
        try sink.restart()
      }
    }
  }

  private static let minShift = 2

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
