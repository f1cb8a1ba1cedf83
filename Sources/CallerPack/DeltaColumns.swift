// SPDX-License-Identifier: Apache-2.0

/// The columns of a delta in memory.
final class DeltaColumns {
  private let memory: UnsafeMutableRawBufferPointer
  private let layout: DeltaLayout
  private let header: PackDeltaHeader
  private let scratch: UnsafeMutableRawPointer
  /// The dictionary of the result; `nil` when it has none.
  let dictionary: PackDictionary?

  /// Reads and checks the payload. `base` provides its dictionary when the delta has none of its own.
  init(_ delta: PackDelta, base: PackReader) throws(PackError) {
    layout = delta.layout
    header = delta.header
    memory = .allocate(byteCount: layout.end - DeltaLayout.byteCount + BitReader.padding, alignment: 16)
    memory.initializeMemory(as: UInt8.self, repeating: 0)
    scratch = .allocate(byteCount: LabelDecoder.scratchBytes(header.result.maximumLabelBytes), alignment: 16)
    var loaded: PackDictionary?
    do throws(PackError) {
      let payload = UnsafeMutableRawBufferPointer(rebasing: memory[0..<layout.end - DeltaLayout.byteCount])
      try delta.source.read(at: DeltaLayout.byteCount, into: payload)
      guard checksum(UnsafeRawBufferPointer(payload)) == layout.payloadChecksum else {
        throw PackError(.corrupt, "the delta's checksum does not match", remedy: "fetch it again")
      }
      loaded = try Self.dictionary(delta, base)
    } catch {
      memory.deallocate()
      scratch.deallocate()
      throw error
    }
    dictionary = loaded
  }

  deinit {
    memory.deallocate()
    scratch.deallocate()
  }

  private static func dictionary(_ delta: PackDelta, _ base: PackReader) throws(PackError) -> PackDictionary? {
    let result = delta.header.result
    if delta.layout.dictionary > 0 {
      return try PackDictionary.load(
        delta.source, at: delta.layout.dictionaryAt,
        .init(
          stored: result.dictionaryStoredBytes, text: result.dictionaryTextBytes, tokens: result.dictionaryTokens,
          checksum: delta.layout.dictionaryChecksum))
    }
    guard result.dictionaryStoredBytes > 0 else { return nil }
    guard base.header.dictionaryStoredBytes == result.dictionaryStoredBytes,
      base.header.dictionaryTextBytes == result.dictionaryTextBytes,
      base.header.dictionaryTokens == result.dictionaryTokens,
      base.dictionaryChecksum == delta.layout.dictionaryChecksum
    else { throw PackError(.malformed, "the delta needs its base's dictionary, but the base has a different one") }
    return try base.dictionary()
  }

  private func bits(_ at: Int, _ count: Int) -> BitReader {
    let from = at - DeltaLayout.byteCount
    return BitReader(UnsafeRawBufferPointer(memory), from: from, to: from + count)
  }

  private func stream(_ at: Int, _ bytes: Int, _ count: Int, _ low: Int64, _ high: Int64) throws(PackError)
    -> DeltaStream
  {
    guard count > 0 else { return DeltaStream(nil) }
    guard let variant = Interpolative.Variant(rawValue: memory[at - DeltaLayout.byteCount]) else {
      throw PackError(.malformed, "a column of the delta has an unknown coding")
    }
    guard high - low + 1 >= Int64(count) else { throw PackError(.malformed, "a column of the delta does not fit") }
    return DeltaStream(
      InterpolativeStream(bits(at + 1, bytes - 1), variant, count: count, low: low, high: high))
  }

  func removed() throws(PackError) -> DeltaStream {
    try stream(layout.removedAt, layout.removed, header.removedCount, 0, Int64(layout.baseEntries) - 1)
  }

  func changed() throws(PackError) -> DeltaStream {
    try stream(layout.changedAt, layout.changed, header.changedCount, 0, Int64(layout.baseEntries) - 1)
  }

  func added() throws(PackError) -> DeltaStream {
    try stream(layout.addedAt, layout.added, header.addedCount, 1, header.result.lastNumber)
  }

  /// The labels of added and changed entries, ascending by number; `nil` when the result has no dictionary.
  func labels() -> LabelDecoder? {
    guard let dictionary, layout.labels > 0 else { return nil }
    return LabelDecoder(
      bits(layout.labelsAt, layout.labels), dictionary, scratch: scratch, maximum: header.result.maximumLabelBytes,
      kind: header.kind)
  }
}

/// A column of a delta that shows its next value before it is consumed.
struct DeltaStream {
  private var stream: InterpolativeStream?
  /// The next value; `nil` at the end.
  private(set) var peek: Int64?

  init(_ stream: InterpolativeStream?) {
    self.stream = stream
    peek = self.stream?.next()
  }

  /// Whether the column has exactly the bytes that its values need.
  var endsCleanly: Bool { stream?.endsCleanly ?? true }

  mutating func advance() throws(PackError) {
    peek = stream?.next()
    guard stream?.isOverrun != true else {
      throw PackError(.malformed, "a column of the delta is longer than declared", remedy: "fetch it again")
    }
  }
}

/// The offsets of the columns of a delta, and the bytes of a delta's header.
package struct DeltaLayout: Sendable {
  /// Number of bytes before the payload.
  package static let byteCount = 264
  /// "RFDLTA", then two bytes that a text-mode transfer would change.
  package static let magic: [UInt8] = [0x52, 0x46, 0x44, 0x4C, 0x54, 0x41, 0x1A, 0x0A]
  /// Greatest size of a payload in bytes.
  static let payloadBytes = 64 << 20

  package var baseEntries = 0
  /// Sizes of the columns in bytes, in the order of the payload.
  package var removed = 0
  package var changed = 0
  package var added = 0
  package var dictionary = 0
  package var labels = 0
  var dictionaryChecksum: UInt32 = 0
  var payloadChecksum: UInt32 = 0
  /// The first bytes of the result.
  var resultHeader: [UInt8] = []

  package init() {}

  var removedAt: Int { Self.byteCount }
  var changedAt: Int { removedAt + removed }
  var addedAt: Int { changedAt + changed }
  var dictionaryAt: Int { addedAt + added }
  var labelsAt: Int { dictionaryAt + dictionary }
  var end: Int { labelsAt + labels }

  /// Returns the header's bytes; `result` is the first 128 bytes of the result.
  package static func encode(
    _ header: PackDeltaHeader, _ layout: DeltaLayout, payloadChecksum: UInt32, result: [UInt8]
  ) -> [UInt8] {
    var bytes = magic
    bytes.appendLittleEndian(UInt64(header.version), 2)
    bytes.appendLittleEndian(0, 2)
    bytes.appendLittleEndian(UInt64(layout.baseEntries), 4)
    bytes.appendLittleEndian(header.baseSerial, 8)
    bytes += header.baseDigest.bytes + header.resultDigest.bytes
    for value in [
      header.removedCount, header.addedCount, header.changedCount, layout.removed, layout.changed, layout.added,
      layout.dictionary, layout.labels, Int(payloadChecksum), layout.end, 0,
    ] {
      bytes.appendLittleEndian(UInt64(value), 4)
    }
    bytes += result
    bytes.appendLittleEndian(UInt64(checksum(bytes)), 4)
    return bytes
  }

  static func read(_ source: PackSource) throws(PackError) -> (PackDeltaHeader, DeltaLayout) {
    let bytes = try source.bytes(at: 0, count: min(byteCount, source.count))
    let input = try FileHead.open(bytes, magic: magic, count: byteCount, name: "delta")
    guard input.u16(10) == 0, input.u32(128) == 0 else {
      throw PackError(.unsupported, "the delta has flags that version 1 does not know", remedy: "use a newer reader")
    }
    let resultHeader = Array(bytes[132..<132 + PackHeader.byteCount])
    let (result, _, dictionaryChecksum) = try PackHeader.decode(resultHeader)
    guard let base = PackDigest(bytes[24..<56]), let digest = PackDigest(bytes[56..<88]) else {
      throw PackError(.malformed, "a SHA-256 has 32 bytes")
    }
    let header = PackDeltaHeader(
      version: 1, kind: result.kind, region: result.region, serial: result.serial, baseSerial: input.u64(16),
      createdAt: result.createdAt, baseDigest: base, resultDigest: digest, removedCount: input.int(88),
      addedCount: input.int(92), changedCount: input.int(96), result: result)
    var layout = DeltaLayout()
    layout.baseEntries = input.int(12)
    (layout.removed, layout.changed, layout.added) = (input.int(100), input.int(104), input.int(108))
    (layout.dictionary, layout.labels) = (input.int(112), input.int(116))
    layout.dictionaryChecksum = dictionaryChecksum
    layout.payloadChecksum = input.u32(120)
    layout.resultHeader = resultHeader
    guard input.int(124) == source.count, layout.end == source.count else {
      throw PackError(
        .wrongLength, "the delta has another length than its header declares", expected: "\(layout.end) bytes",
        got: "\(source.count)", remedy: "fetch it again")
    }
    try layout.check(header)
    return (header, layout)
  }

  private func check(_ header: PackDeltaHeader) throws(PackError) {
    guard end - Self.byteCount <= Self.payloadBytes else {
      throw PackError(
        .tooLarge, "the delta is too large", expected: "\(Self.payloadBytes) bytes at most",
        got: "\(end - Self.byteCount)", remedy: "fetch the full pack")
    }
    let kept = baseEntries - header.removedCount
    guard baseEntries <= PackLimits.entries, kept >= header.changedCount,
      kept + header.addedCount == header.result.entryCount
    else { throw PackError(.malformed, "the counts of the delta do not add up") }
    guard (removed == 0) == (header.removedCount == 0), (changed == 0) == (header.changedCount == 0),
      (added == 0) == (header.addedCount == 0)
    else { throw PackError(.malformed, "a column of the delta is missing, or there is one too many") }
    guard Int64(header.addedCount) <= header.result.lastNumber else {
      throw PackError(.malformed, "more numbers are added than there are")
    }
    guard dictionary == 0 || dictionary == header.result.dictionaryStoredBytes else {
      throw PackError(.malformed, "the delta's dictionary is not the one that the result's header declares")
    }
    let hasLabels = header.result.dictionaryStoredBytes > 0 && header.addedCount + header.changedCount > 0
    guard hasLabels == (labels > 0), header.kind != .blocking || header.changedCount == 0 else {
      throw PackError(.malformed, "the delta's labels do not fit its counts")
    }
  }
}
