// SPDX-License-Identifier: Apache-2.0

import CZlib

/// The bytes of a file after decompression; gzip is recognized by its first bytes.
final class InputBytes {
  let file: FileBytes
  /// Whether the file is gzip.
  let isGzip: Bool
  private let input: UnsafeMutableRawBufferPointer
  private var pending: Range<Int>
  /// zlib keeps this address.
  private let stream: UnsafeMutablePointer<z_stream>
  private var state = State.member

  private enum State {
    /// Inside a gzip member.
    case member
    /// Between members, or at the end.
    case between
  }

  /// The reason why decompression stopped.
  enum Failure: Error, Equatable {
    case truncated
    case corrupt(String)
  }

  /// - Throws: ``ImportFileError/unsupportedCompression(path:kind:)`` and what reading throws.
  init(file: FileBytes, inputBytes: Int = 1 << 16) throws {
    self.file = file
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
    input = .allocate(byteCount: max(inputBytes, 16), alignment: 1)
    var filled = 0
    do {
      while filled < 6 {
        let count = try file.read(into: UnsafeMutableRawBufferPointer(rebasing: input[filled...]))
        if count == 0 { break }
        filled += count
      }
    } catch {
      stream.deallocate()
      input.deallocate()
      throw error
    }
    pending = 0..<filled
    let magic = [UInt8](input[..<min(filled, 6)])
    isGzip = magic.starts(with: [0x1F, 0x8B])
    if let kind = Self.unsupportedKind(magic) {
      throw ImportFileError.unsupportedCompression(path: file.name, kind: kind)
    }
    if isGzip {
      // 16 + 15: a gzip wrapper and the largest window.
      let code = inflateInit2_(stream, 31, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
      precondition(code == Z_OK, "zlib cannot be initialised")
    }
  }

  deinit {
    if isGzip { inflateEnd(stream) }
    stream.deallocate()
    input.deallocate()
  }

  private static func unsupportedKind(_ magic: [UInt8]) -> String? {
    let kinds: [([UInt8], String)] = [
      ([0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00], "xz-compressed"), ([0x28, 0xB5, 0x2F, 0xFD], "zstd-compressed"),
      ([0x42, 0x5A, 0x68], "bzip2-compressed"), ([0x50, 0x4B, 0x03, 0x04], "a zip archive"),
      ([0xFF, 0xFE], "UTF-16 text"), ([0xFE, 0xFF], "UTF-16 text"),
    ]
    return kinds.first { magic.starts(with: $0.0) }?.1
  }

  /// Fills the start of `buffer`; 0 at the end of the data.
  /// - Throws: ``Failure`` for gzip data that is damaged or ends early, and what reading throws.
  func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    guard isGzip else {
      guard !pending.isEmpty else { return try file.read(into: buffer) }
      let count = min(pending.count, buffer.count)
      buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: input[pending.prefix(count)]))
      pending = pending.lowerBound + count..<pending.upperBound
      return count
    }
    while true {
      if pending.isEmpty {
        let count = try file.read(into: input)
        pending = 0..<count
        if count == 0 {
          if state == .between { return 0 }
          throw Failure.truncated
        }
      }
      if state == .between {
        // gzip may pad members with zeros; anything else starts another member.
        while let first = pending.first, input[first] == 0 { pending = first + 1..<pending.upperBound }
        if pending.isEmpty { continue }
        inflateReset(stream)
        state = .member
      }
      let count = try inflateStep(into: buffer)
      if count > 0 { return count }
    }
  }

  private func inflateStep(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    stream.pointee.next_in = input.baseAddress!.advanced(by: pending.lowerBound).assumingMemoryBound(to: UInt8.self)
    stream.pointee.avail_in = UInt32(pending.count)
    stream.pointee.next_out = buffer.baseAddress!.assumingMemoryBound(to: UInt8.self)
    stream.pointee.avail_out = UInt32(min(buffer.count, 1 << 30))
    let room = stream.pointee.avail_out
    let code = inflate(stream, Z_NO_FLUSH)
    pending = pending.upperBound - Int(stream.pointee.avail_in)..<pending.upperBound
    switch code {
    case Z_STREAM_END: state = .between
    case Z_OK, Z_BUF_ERROR: break
    default: throw Failure.corrupt(stream.pointee.msg.map { String(cString: $0) } ?? "zlib error \(code)")
    }
    return Int(room - stream.pointee.avail_out)
  }
}
