// SPDX-License-Identifier: Apache-2.0

internal import CZlib
public import Foundation

/// Reads a file that ``GzipFileWriter`` wrote, in bounded memory.
public final class GzipFileReader {
  private let path: String
  private let file: FileHandle
  /// zlib keeps this address.
  private let stream: UnsafeMutablePointer<z_stream>
  private var input: [UInt8] = []
  private var used = 0
  /// Whether zlib may have more content without further input.
  private var hasMore = false
  private var isAtEnd = false

  private static let piece = 64 << 10

  /// - Throws: errors of Foundation for a file that cannot be opened.
  public init(_ source: URL) throws {
    path = source.path
    file = try FileHandle(forReadingFrom: source)
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
    // 15 + 16: the largest window, with gzip's header and trailer.
    let code = inflateInit2_(stream, 15 + 16, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
    precondition(code == Z_OK, "zlib cannot be initialized")
  }

  deinit {
    inflateEnd(stream)
    stream.deallocate()
    try? file.close()
  }

  /// Returns the next bytes of the content; nil at the end.
  /// - Throws: ``PackFormatError/file(path:operation:code:)`` for a file that is damaged or ends early, and errors of
  ///   Foundation.
  public func read() throws -> [UInt8]? {
    while !isAtEnd {
      if used == input.count, !hasMore {
        input = [UInt8](try file.read(upToCount: Self.piece) ?? Data())
        used = 0
        guard !input.isEmpty else {
          throw PackFormatError.file(path: path, operation: "decompress", code: Z_BUF_ERROR)
        }
      }
      let content = try inflateOnce()
      if !content.isEmpty { return content }
    }
    return nil
  }

  private func inflateOnce() throws -> [UInt8] {
    try [UInt8](unsafeUninitializedCapacity: Self.piece) { room, count in
      let code = input.withUnsafeMutableBufferPointer { bytes in
        stream.pointee.next_in = bytes.baseAddress?.advanced(by: used)
        stream.pointee.avail_in = UInt32(bytes.count - used)
        stream.pointee.next_out = room.baseAddress
        stream.pointee.avail_out = UInt32(Self.piece)
        let code = inflate(stream, Z_NO_FLUSH)
        used = bytes.count - Int(stream.pointee.avail_in)
        return code
      }
      count = Self.piece - Int(stream.pointee.avail_out)
      hasMore = stream.pointee.avail_out == 0
      switch code {
      case Z_STREAM_END: isAtEnd = true
      case Z_OK, Z_BUF_ERROR: break
      default: throw PackFormatError.file(path: path, operation: "decompress", code: code)
      }
    }
  }
}
