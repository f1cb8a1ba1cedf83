// SPDX-License-Identifier: Apache-2.0

import CallerPack

/// Several streams of records in one unnamed temporary file. Each is written in blocks and can be read from its start
/// any number of times. Memory: one block for each stream.
final class BlockSpool {
  private struct Block {
    var offset: Int
    var count: Int
  }

  private struct Stream {
    var pending: [UInt8] = []
    var blocks: [Block] = []
  }

  private let sink: PackSink
  private let blockBytes: Int
  private var streams: [Stream] = []
  private var source: PackSource?

  /// - Parameter blockBytes: a block is written when it reaches this size; a record is never divided.
  init(folder: String, blockBytes: Int = 16 << 10) throws {
    sink = try PackSink(path: "\(folder)/assembling.spool")
    sink.forgetName()
    self.blockBytes = blockBytes
  }

  func addStream() -> Int {
    streams.append(Stream())
    return streams.count - 1
  }

  /// Appends a record; `write` adds it after the existing bytes.
  func append(to stream: Int, _ write: (inout [UInt8]) -> Void) throws {
    write(&streams[stream].pending)
    if streams[stream].pending.count >= blockBytes { try flush(stream) }
  }

  /// After that no stream accepts records.
  func reader(of stream: Int) throws -> BlockReader {
    let source = try self.source ?? finish()
    return BlockReader(source: source, blocks: streams[stream].blocks.map { ($0.offset, $0.count) })
  }

  private func finish() throws -> PackSource {
    for stream in streams.indices {
      try flush(stream)
      streams[stream].pending = []
    }
    let source = try sink.source()
    self.source = source
    return source
  }

  private func flush(_ stream: Int) throws {
    guard !streams[stream].pending.isEmpty else { return }
    streams[stream].blocks.append(Block(offset: sink.count, count: streams[stream].pending.count))
    try sink.write(streams[stream].pending)
    streams[stream].pending.removeAll(keepingCapacity: true)
  }

  deinit { sink.cancel() }
}

/// Reads a stream's records block by block. It does not check them, because the spool wrote them.
final class BlockReader {
  private let source: PackSource
  private let blocks: [(offset: Int, count: Int)]
  private var next = 0
  private var buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 0, alignment: 16)
  private var at = 0
  private var end = 0

  init(source: PackSource, blocks: [(offset: Int, count: Int)]) {
    self.source = source
    self.blocks = blocks
    let largest = blocks.lazy.map(\.count).max() ?? 0
    buffer.deallocate()
    buffer = .allocate(byteCount: largest, alignment: 16)
  }

  deinit { buffer.deallocate() }

  /// Invalidates the bytes that ``take(_:)`` returned.
  func hasMore() throws -> Bool {
    guard at == end else { return true }
    guard next < blocks.count else { return false }
    let block = blocks[next]
    try source.read(at: block.offset, into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<block.count]))
    (at, end) = (0, block.count)
    next += 1
    return true
  }

  func integer<I: FixedWidthInteger>(_: I.Type = I.self) -> I {
    defer { at += MemoryLayout<I>.size }
    return I(littleEndian: UnsafeRawBufferPointer(buffer).loadUnaligned(fromByteOffset: at, as: I.self))
  }

  func double() -> Double { Double(bitPattern: integer()) }

  func take(_ count: Int) -> UnsafeRawBufferPointer {
    defer { at += count }
    return UnsafeRawBufferPointer(rebasing: buffer[at..<at + count])
  }
}

extension [UInt8] {
  mutating func append<I: FixedWidthInteger>(littleEndian value: I) {
    Swift.withUnsafeBytes(of: value.littleEndian) { append(contentsOf: $0) }
  }

  /// Appends a text after its length in two bytes.
  mutating func append(spooling text: String) {
    append(littleEndian: UInt16(truncatingIfNeeded: text.utf8.count))
    append(contentsOf: text.utf8)
  }
}
