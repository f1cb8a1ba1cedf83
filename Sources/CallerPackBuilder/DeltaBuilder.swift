// SPDX-License-Identifier: Apache-2.0

public import CallerPack

/// Creates deltas.
///
/// ```swift
/// let base = try PackReader.open(path: "toxic-41.rfpack")
/// let result = try PackReader.open(path: "toxic-42.rfpack")
/// try DeltaBuilder.build(from: base, to: result, out: "toxic-41-42.rfdelta")
/// ```
public enum DeltaBuilder {
  /// Writes the delta that turns `base` into `result`.
  ///
  /// Both packs must have the same kind. The delta is much smaller when `result` was written with the dictionary of
  /// `base` (``PackWriter/Options/dictionary``). The positions and numbers of the changes are kept in memory, 8 bytes
  /// each.
  /// - Parameters:
  ///   - base: the older pack.
  ///   - result: the newer pack.
  ///   - path: the file to write; an existing file is replaced.
  ///   - checks: whether the delta is applied once, in an unnamed file in the same folder, to prove that it gives
  ///     `result`.
  /// - Returns: the changes, size and SHA-256 of the delta.
  /// - Throws: ``PackError``: `malformed` when the kinds differ; errors of reading either pack; `inputOutput`.
  @discardableResult
  public static func build(
    from base: PackReader, to result: PackReader, out path: String, checks: Bool = true
  ) throws(PackError) -> PackSummary {
    guard base.header.kind == result.header.kind else {
      throw PackError(
        .malformed, "a delta joins two packs of one kind", expected: "\(base.header.kind)",
        got: "\(result.header.kind)")
    }
    var changes = try DeltaChanges(base, result)
    let sink = try PackSink(path: path)
    defer { sink.cancel() }
    try changes.write(to: sink)
    if checks { try PackDelta(source: try sink.source()).prove(base: base, beside: path) }
    let summary = PackSummary(
      entries: changes.count, bytes: sink.count, sha256: try sink.digest(), first: nil, last: nil)
    try sink.publish()
    return summary
  }
}

/// The differences between two packs, found in one walk over both.
struct DeltaChanges {
  private let base: PackReader
  private let result: PackReader
  private var removed: [Int64] = []
  private var changed: [Int64] = []
  private var added: [Int64] = []
  private var labels = BitWriter()
  private var encoder: LabelEncoder?

  /// The number of changes of all sorts.
  var count: Int { removed.count + changed.count + added.count }

  init(_ base: PackReader, _ result: PackReader) throws(PackError) {
    self.base = base
    self.result = result
    encoder = try result.dictionary().map { LabelEncoder($0, kind: result.header.kind) }
    let old = try base.makeCursor(), new = try result.makeCursor()
    var hasOld = try old.next(), hasNew = try new.next()
    while hasOld || hasNew {
      if hasOld, !hasNew || old.number < new.number {
        removed.append(Int64(old.rank))
        hasOld = try old.next()
      } else if !hasOld || new.number < old.number {
        added.append(new.number)
        try append(new)
        hasNew = try new.next()
      } else {
        if !Self.isSame(old, new) {
          changed.append(Int64(old.rank))
          try append(new)
        }
        hasOld = try old.next()
        hasNew = try new.next()
      }
    }
    labels.align()
  }

  private static func isSame(_ old: PackCursor, _ new: PackCursor) -> Bool {
    guard old.roles == new.roles else { return false }
    return old.withLabel { a in new.withLabel { b in a.count == b.count && a.elementsEqual(b) } }
  }

  private mutating func append(_ cursor: PackCursor) throws(PackError) {
    guard encoder != nil else { return }
    let roles = cursor.roles
    let isWritten = cursor.withLabel { encoder?.append($0, roles: roles, into: &labels) ?? true }
    guard isWritten else {
      throw PackError(.malformed, "the dictionary of the result cannot write one of its labels", number: cursor.number)
    }
  }

  /// Returns the smaller coding of a column, with the variant as its first byte; empty for no values.
  private static func column(_ values: [Int64], _ low: Int64, _ high: Int64) -> [UInt8] {
    guard !values.isEmpty else { return [] }
    var best: [UInt8] = []
    for variant in Interpolative.Variant.allCases {
      var bits = BitWriter()
      bits.append(UInt64(variant.rawValue), count: 8)
      values.withUnsafeBufferPointer { Interpolative.encode($0, low, high, variant, into: &bits) }
      bits.align()
      if best.isEmpty || bits.bytes.count < best.count { best = bits.bytes }
    }
    return best
  }

  mutating func write(to sink: PackSink) throws(PackError) {
    var layout = DeltaLayout()
    layout.baseEntries = base.header.entryCount
    let ranks = Int64(layout.baseEntries) - 1
    let columns = [
      Self.column(removed, 0, ranks), Self.column(changed, 0, ranks),
      Self.column(added, 1, result.header.lastNumber),
    ]
    (layout.removed, layout.changed, layout.added) = (columns[0].count, columns[1].count, columns[2].count)
    let old = try base.storedDictionary(), new = try result.storedDictionary()
    let dictionary = old.bytes == new.bytes ? [] : new.bytes
    layout.dictionary = dictionary.count
    layout.labels = labels.bytes.count
    let payload = columns[0] + columns[1] + columns[2] + dictionary + labels.bytes
    let header = PackDeltaHeader(
      version: 1, kind: result.header.kind, region: result.header.region, serial: result.header.serial,
      baseSerial: base.header.serial, createdAt: result.header.createdAt, baseDigest: try base.digest(),
      resultDigest: try result.digest(), removedCount: removed.count, addedCount: added.count,
      changedCount: changed.count, result: result.header)
    let start = try result.source.bytes(at: 0, count: PackHeader.byteCount)
    try sink.write(DeltaLayout.encode(header, layout, payloadChecksum: checksum(payload), result: start))
    try sink.write(payload)
  }
}
