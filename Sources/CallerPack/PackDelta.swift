// SPDX-License-Identifier: Apache-2.0

/// A delta: a file that turns one pack into its successor.
///
/// ```swift
/// let delta = try PackDelta.open(path: "toxic-41-42.rfdelta")
/// let base = try PackReader.open(path: "toxic-41.rfpack")
/// try delta.apply(base: base, to: "toxic-42.rfpack")
/// ```
public final class PackDelta: Sendable {
  /// The header of the delta.
  public let header: PackDeltaHeader
  let source: PackSource
  let layout: DeltaLayout

  /// Opens a delta and checks its header.
  /// - Parameter path: the file.
  /// - Throws: ``PackError``, with the codes of ``PackReader/open(path:memoryLimit:)``.
  public static func open(path: String) throws(PackError) -> PackDelta {
    try PackDelta(source: PackSource.open(path: path))
  }

  /// Reads a delta that is in memory.
  /// - Parameter bytes: the complete delta.
  /// - Throws: ``PackError``, with the codes of ``PackReader/init(bytes:)``.
  public convenience init(bytes: [UInt8]) throws(PackError) {
    try self.init(source: PackSource(bytes: bytes))
  }

  package init(source: PackSource) throws(PackError) {
    self.source = source
    (header, layout) = try DeltaLayout.read(source)
  }

  /// Creates a cursor over the changes in the order of a Call Directory request: every removal, then every addition,
  /// each ascending.
  ///
  /// The base is needed because a delta names removed and changed entries by their position in it. The result is not
  /// written, so its SHA-256 is not checked; ``apply(base:to:)`` does that. It needs the memory of a cursor of the base
  /// and of the delta's columns.
  /// - Parameter base: the pack that the delta starts from.
  /// - Throws: ``PackError``: `wrongBase`, or an error of reading either file.
  public func makeChanges(base: PackReader) throws(PackError) -> PackChangeCursor {
    try check(base: base)
    return try PackChangeCursor(self, base)
  }

  /// Checks by SHA-256 that a pack is the base of this delta.
  /// - Throws: ``PackError`` with `wrongBase`.
  public func check(base: PackReader) throws(PackError) {
    let digest = try base.digest()
    guard digest == header.baseDigest else {
      throw PackError(
        .wrongBase, "the delta was made for another pack", expected: "SHA-256 \(header.baseDigest)", got: "\(digest)",
        remedy: "use the pack with serial \(header.baseSerial), or fetch the full pack")
    }
  }
}

/// The header of a delta.
public struct PackDeltaHeader: Sendable, Hashable {
  /// The version of the format: 1.
  public var version: UInt16
  /// The kind of both packs.
  public var kind: PackKind
  /// The region of the result.
  public var region: String
  /// The serial of the result.
  public var serial: UInt64
  /// The serial of the base.
  public var baseSerial: UInt64
  /// The creation time of the result: seconds since 1970-01-01 00:00 UTC; 0 when unknown.
  public var createdAt: Int64
  /// SHA-256 of the base.
  public var baseDigest: PackDigest
  /// SHA-256 of the result.
  public var resultDigest: PackDigest
  /// The number of entries of the base whose number is not in the result.
  public var removedCount: Int
  /// The number of entries of the result whose number is not in the base.
  public var addedCount: Int
  /// The number of entries in both packs whose label or roles differ.
  public var changedCount: Int
  /// The header of the result.
  public var result: PackHeader

  package init(
    version: UInt16, kind: PackKind, region: String, serial: UInt64, baseSerial: UInt64, createdAt: Int64,
    baseDigest: PackDigest, resultDigest: PackDigest, removedCount: Int, addedCount: Int, changedCount: Int,
    result: PackHeader
  ) {
    self.version = version
    self.kind = kind
    self.region = region
    self.serial = serial
    self.baseSerial = baseSerial
    self.createdAt = createdAt
    self.baseDigest = baseDigest
    self.resultDigest = resultDigest
    self.removedCount = removedCount
    self.addedCount = addedCount
    self.changedCount = changedCount
    self.result = result
  }
}

extension PackDelta {
  /// Writes the successor of `base` to `path`, bit for bit as the maker of the delta had it.
  ///
  /// The file gets its name only after its SHA-256 was checked; until then it has a temporary name in the same folder.
  /// - Parameters:
  ///   - base: the pack that the delta starts from.
  ///   - path: the file to write; an existing file is replaced.
  /// - Returns: the entries, size and SHA-256 of the result.
  /// - Throws: ``PackError``: `wrongBase` before anything is written, `corrupt` when the result differs from the
  ///   declared one, `inputOutput`, `malformed`.
  @discardableResult
  public func apply(base: PackReader, to path: String) throws(PackError) -> PackSummary {
    try check(base: base)
    let columns = try DeltaColumns(self, base: base)
    let sink = try PackSink(path: path)
    defer { sink.cancel() }
    let summary = try write(columns, base, to: sink)
    try sink.publish()
    return summary
  }

  /// Applies the delta in an unnamed file in the folder of `path`, and discards the result.
  /// - Throws: the same as ``apply(base:to:)``.
  package func prove(base: PackReader, beside path: String) throws(PackError) {
    try check(base: base)
    let columns = try DeltaColumns(self, base: base)
    let sink = try PackSink(path: path)
    sink.forgetName()
    defer { sink.cancel() }
    _ = try write(columns, base, to: sink)
  }

  /// Writes the result and checks its SHA-256.
  private func write(_ columns: DeltaColumns, _ base: PackReader, to sink: PackSink) throws(PackError) -> PackSummary {
    let declared = header.result
    let encoder = try PackEncoder(declared, dictionary(columns, base), into: sink)
    let merger = try DeltaMerger(self, columns, base, visitsAll: true)
    while let event = try merger.next() {
      switch event {
      case .removed: continue
      case .kept: try Self.append(merger.base, to: encoder)
      case .changed, .added:
        try Self.check(merger.number, declared)
        try encoder.append(merger.number, roles: merger.roles, label: merger.label)
      }
    }
    let written = try encoder.finish()
    let digest = try sink.digest()
    guard written == declared, digest == header.resultDigest else {
      throw PackError(
        .corrupt, "the delta did not give the pack that it declares", expected: "SHA-256 \(header.resultDigest)",
        got: "\(digest)", remedy: "fetch the full pack")
    }
    guard try sink.source().bytes(at: 0, count: PackHeader.byteCount) == layout.resultHeader else {
      throw PackError(
        .malformed, "the delta has another header of its result than the result", remedy: "fetch the full pack")
    }
    return PackSummary(
      entries: written.entryCount, bytes: written.fileBytes, sha256: digest, first: encoder.firstNumber,
      last: written.entryCount > 0 ? written.lastNumber : nil)
  }

  private static func check(_ number: Int64, _ declared: PackHeader) throws(PackError) {
    guard number <= declared.lastNumber else {
      throw PackError(.malformed, "the delta goes beyond the last number of its result", number: number)
    }
  }

  private static func append(_ cursor: PackCursor, to encoder: PackEncoder) throws(PackError) {
    var failure: PackError?
    let number = cursor.number, roles = cursor.roles
    cursor.withLabel { label in
      do throws(PackError) { try encoder.append(number, roles: roles, label: label) } catch { failure = error }
    }
    if let failure { throw failure }
  }

  private func dictionary(_ columns: DeltaColumns, _ base: PackReader) throws(PackError) -> PackEncoder.Dictionary? {
    guard let loaded = columns.dictionary else { return nil }
    let stored: [UInt8]
    if layout.dictionary > 0 {
      stored = try source.bytes(at: layout.dictionaryAt, count: layout.dictionary)
    } else {
      stored = try base.storedDictionary().bytes
    }
    return .init(
      stored: stored, checksum: layout.dictionaryChecksum, loaded: loaded, tokens: header.result.dictionaryTokens)
  }
}
