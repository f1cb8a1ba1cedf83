// SPDX-License-Identifier: Apache-2.0

internal import CZlib

/// Streams the bytes of a dictionary, stored as they are or as raw deflate, in at most 40 KB of memory.
struct ByteInflater: ~Copyable {
  private let source: PackSource
  private var offset: Int
  private let end: Int
  private let isDeflated: Bool
  /// On the heap, because zlib keeps the address.
  private let stream: UnsafeMutablePointer<z_stream>
  private let input: UnsafeMutableRawBufferPointer
  private let output: UnsafeMutableRawBufferPointer
  private var outputAt = 0
  private var outputCount = 0
  /// The number of bytes that were not produced yet.
  private(set) var left: Int

  private static let piece = 4096

  /// Creates a stream of `count` bytes from the `stored` bytes at `offset`.
  init(_ source: PackSource, at offset: Int, stored: Int, isDeflated: Bool, count: Int) throws(PackError) {
    self.source = source
    self.offset = offset
    self.end = offset + stored
    self.isDeflated = isDeflated
    left = count
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
    input = .allocate(byteCount: Self.piece, alignment: 16)
    output = .allocate(byteCount: Self.piece, alignment: 16)
    guard isDeflated else { return }
    guard inflateInit2_(stream, -15, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else {
      throw PackError(.inputOutput, "zlib could not be started")
    }
  }

  deinit {
    if isDeflated { _ = inflateEnd(stream) }
    stream.deallocate()
    input.deallocate()
    output.deallocate()
  }

  mutating func next() throws(PackError) -> UInt8 {
    if outputAt == outputCount { try refill() }
    defer { outputAt += 1 }
    return output[outputAt]
  }

  /// Reads an unsigned integer in groups of seven bits, the least significant first; at most 28 bits.
  mutating func varint() throws(PackError) -> Int {
    var value = 0
    for shift in [0, 7, 14, 21] {
      let byte = Int(try next())
      value |= (byte & 127) << shift
      if byte < 128 { return value }
    }
    throw PackError(.malformed, "a count of the dictionary is too long")
  }

  /// Checks that all bytes were returned and that the stored bytes end there.
  mutating func finish() throws(PackError) {
    guard outputAt == outputCount, left == 0 else {
      throw PackError(.malformed, "the dictionary goes on after its tokens")
    }
    guard isDeflated else {
      guard offset == end else { throw PackError(.malformed, "the dictionary goes on after its tokens") }
      return
    }
    // The end mark of the deflated bytes may still be unread; no further byte may follow.
    var spare: UInt8 = 0
    while true {
      try feed()
      let status = withUnsafeMutablePointer(to: &spare) { pointer in
        stream.pointee.next_out = pointer
        stream.pointee.avail_out = 1
        return inflate(stream, Z_NO_FLUSH)
      }
      guard stream.pointee.avail_out == 1, status == Z_STREAM_END || status == Z_OK else {
        throw PackError(.malformed, "the dictionary does not end where it should")
      }
      if status == Z_STREAM_END { break }
    }
    guard stream.pointee.avail_in == 0, offset == end else {
      throw PackError(.malformed, "the dictionary goes on after its end")
    }
  }

  private mutating func feed() throws(PackError) {
    guard stream.pointee.avail_in == 0, offset < end else { return }
    let part = UnsafeMutableRawBufferPointer(rebasing: input[0..<min(Self.piece, end - offset)])
    try source.read(at: offset, into: part)
    offset += part.count
    stream.pointee.next_in = part.baseAddress?.assumingMemoryBound(to: UInt8.self)
    stream.pointee.avail_in = UInt32(part.count)
  }

  private mutating func refill() throws(PackError) {
    let want = min(Self.piece, left)
    guard want > 0 else { throw PackError(.malformed, "the dictionary ends early") }
    if isDeflated {
      stream.pointee.next_out = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
      stream.pointee.avail_out = UInt32(want)
      while stream.pointee.avail_out > 0 {
        try feed()
        let status = inflate(stream, Z_NO_FLUSH)
        guard status == Z_OK || status == Z_STREAM_END, status == Z_OK || stream.pointee.avail_out == 0 else {
          throw PackError(.malformed, "the dictionary's deflated bytes are broken", got: "zlib status \(status)")
        }
      }
    } else {
      guard want <= end - offset else { throw PackError(.malformed, "the dictionary ends early") }
      try source.read(at: offset, into: UnsafeMutableRawBufferPointer(rebasing: output[0..<want]))
      offset += want
    }
    left -= want
    outputAt = 0
    outputCount = want
  }
}
