// SPDX-License-Identifier: Apache-2.0

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
