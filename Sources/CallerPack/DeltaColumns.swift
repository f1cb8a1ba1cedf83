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
    else { throw PackError(.malformed, "the delta needs its base's dictionary, but the base has another one") }
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
