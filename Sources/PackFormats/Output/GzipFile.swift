// SPDX-License-Identifier: Apache-2.0

import CZlib
import Support

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

public enum GzipFile {
  /// The same content gives the same bytes.
  ///
  /// - Parameter target: the file to write; it appears under its name when it is complete.
  /// - Throws: ``PackFormatError/file(path:operation:code:)``, or an error of Foundation for an unreadable source.
  public static func compress(_ source: URL, to target: URL) throws {
    let input = try OutputFile.failing { try InputFile(source.path) }
    let output = try OutputFile(.file(target))
    let stream = try GzipStream(into: output)
    while true {
      let piece = try OutputFile.failing { try input.read(upTo: 256 << 10) }
      if piece.isEmpty { break }
      try piece.withUnsafeBytes { try stream.write($0) }
    }
    try stream.finish()
    try output.commit()
  }
}

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

/// Writes a file that is compressed with gzip. The same content gives the same bytes.
public final class GzipFileWriter {
  private let output: OutputFile
  private let stream: GzipStream

  /// - Parameter target: the file; it appears under its name when it is complete.
  /// - Throws: ``PackFormatError/file(path:operation:code:)``.
  public init(_ target: URL) throws {
    output = try OutputFile(.file(target))
    stream = try GzipStream(into: output)
  }

  /// - Throws: ``PackFormatError/file(path:operation:code:)``.
  public func write(_ bytes: [UInt8]) throws {
    try bytes.withUnsafeBytes { try stream.write($0) }
  }

  /// Completes the file, flushes it to disk and renames it.
  /// - Throws: ``PackFormatError/file(path:operation:code:)``.
  public func finish() throws {
    try stream.finish()
    try output.commit()
  }
}

/// Reads a file that ``GzipFileWriter`` wrote, in bounded memory.
public final class GzipFileReader {
  private let file: InputFile
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
    file = try OutputFile.failing { try InputFile(source.path) }
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
    // 15 + 16: the largest window, with gzip's header and trailer.
    let code = inflateInit2_(stream, 15 + 16, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
    precondition(code == Z_OK, "zlib cannot be initialized")
  }

  deinit {
    inflateEnd(stream)
    stream.deallocate()
  }

  /// Returns the next bytes of the content; nil at the end.
  /// - Throws: ``PackFormatError/file(path:operation:code:)`` for a file that is damaged or ends early, and errors of
  ///   Foundation.
  public func read() throws -> [UInt8]? {
    while !isAtEnd {
      if used == input.count, !hasMore {
        input = try OutputFile.failing { try file.read(upTo: Self.piece) }
        used = 0
        guard !input.isEmpty else {
          throw PackFormatError.file(path: file.path, operation: "decompress", code: Z_BUF_ERROR)
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
      default: throw PackFormatError.file(path: file.path, operation: "decompress", code: code)
      }
    }
  }
}
