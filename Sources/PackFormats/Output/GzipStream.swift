// SPDX-License-Identifier: Apache-2.0

internal import CZlib

/// Compresses with gzip into an ``OutputFile``. The header has no name and no time, so the same bytes give the same
/// file.
final class GzipStream {
  private var stream = z_stream()
  private var buffer = [UInt8](repeating: 0, count: 65_536)
  private let output: OutputFile

  init(into output: OutputFile) throws {
    self.output = output
    // 15 + 16: the largest window, with gzip's header and trailer.
    let code = deflateInit2_(
      &stream, Z_BEST_COMPRESSION, Z_DEFLATED, 15 + 16, 9, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
      Int32(MemoryLayout<z_stream>.size))
    guard code == Z_OK else { throw PackFormatError.file(path: output.path, operation: "compress", code: code) }
  }

  func write(_ bytes: UnsafeRawBufferPointer) throws {
    guard let base = bytes.bindMemory(to: UInt8.self).baseAddress, !bytes.isEmpty else { return }
    // zlib's interface takes a mutable pointer but only reads from it.
    stream.next_in = UnsafeMutablePointer(mutating: base)
    stream.avail_in = UInt32(bytes.count)
    repeat { try deflateOnce(Z_NO_FLUSH) } while stream.avail_out == 0
  }

  func finish() throws {
    stream.next_in = nil
    stream.avail_in = 0
    while try deflateOnce(Z_FINISH) != Z_STREAM_END {}
  }

  @discardableResult
  private func deflateOnce(_ flush: Int32) throws -> Int32 {
    try buffer.withUnsafeMutableBytes { room in
      stream.next_out = room.bindMemory(to: UInt8.self).baseAddress
      stream.avail_out = UInt32(room.count)
      let code = deflate(&stream, flush)
      guard code != Z_STREAM_ERROR else {
        throw PackFormatError.file(path: output.path, operation: "compress", code: code)
      }
      try output.write(UnsafeRawBufferPointer(rebasing: room[..<(room.count - Int(stream.avail_out))]))
      return code
    }
  }

  deinit { deflateEnd(&stream) }
}
