// SPDX-License-Identifier: Apache-2.0

import CZlib
import Support
import Foundation

/// The bytes of a file after decompression; gzip is recognized by its first bytes.
final class InputBytes {
  let file: FileBytes
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
      precondition(code == Z_OK, "zlib cannot be initialized")
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

/// The system's function, which the method of its name would hide.
private func readBytes(_ descriptor: Int32, _ buffer: UnsafeMutableRawPointer?, _ count: Int) -> Int {
  read(descriptor, buffer, count)
}

/// The raw bytes of a file or of standard input.
final class FileBytes {
  /// The file's name in errors.
  let name: String
  /// The file's length, nil for anything that is not a regular file.
  let totalBytes: UInt64?
  private(set) var bytesRead: UInt64 = 0
  private let descriptor: Int32
  private let ownsDescriptor: Bool
  private let isCancelled: @Sendable () -> Bool

  /// Opens `path`, `-` for standard input. `isCancelled` is called before each read, and ten times per second while a
  /// pipe has nothing to read; once it returns true, reading throws `CancellationError`.
  init(path: String, isCancelled: @escaping @Sendable () -> Bool) throws(ImportFileError) {
    self.isCancelled = isCancelled
    name = path == "-" ? "standard input" : path
    ownsDescriptor = path != "-"
    // Non-blocking, so that waiting for a named pipe without a writer can be canceled; regular files ignore it.
    descriptor = path == "-" ? 0 : open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw .cannotRead(path: name, reason: Self.systemMessage()) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else {
      let reason = Self.systemMessage()
      if ownsDescriptor { close(descriptor) }
      throw .cannotRead(path: name, reason: reason)
    }
    totalBytes = (status.st_mode & S_IFMT) == S_IFREG ? UInt64(max(0, status.st_size)) : nil
  }

  deinit {
    if ownsDescriptor { close(descriptor) }
  }

  /// Fills the start of `buffer`; 0 at the end of the file.
  /// - Throws: ``ImportFileError/cannotRead(path:reason:)``, `CancellationError`.
  func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    while true {
      if isCancelled() { throw CancellationError() }
      if totalBytes == nil { try waitUntilReadable() }
      let count = uninterrupted { readBytes(descriptor, buffer.baseAddress, buffer.count) }
      if count >= 0 {
        bytesRead += UInt64(count)
        return count
      }
      if errno != EAGAIN { throw ImportFileError.cannotRead(path: name, reason: Self.systemMessage()) }
    }
  }

  private func waitUntilReadable() throws {
    while true {
      if isCancelled() { throw CancellationError() }
      var item = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      if poll(&item, 1, 100) > 0 { return }
    }
  }

  static func systemMessage() -> String { String(cString: strerror(errno)) }
}

/// The reason why a file could not be read completely.
public enum ImportFileError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The operating system refused; `reason` is its message.
  case cannotRead(path: String, reason: String)
  /// Neither plain text nor gzip; `kind` is the detected format.
  case unsupportedCompression(path: String, kind: String)
  /// The gzip data ends early, after `line` complete lines.
  case truncated(path: String, line: Int)
  /// The gzip data is damaged after `line` complete lines; `reason` is zlib's message.
  case corrupt(path: String, line: Int, reason: String)
  /// A line that must be read completely is longer than the limit.
  case lineTooLong(path: String, line: Int, maximumBytes: Int)
  /// The header line lacks a column that the format needs.
  case missingColumn(path: String, column: String)
  /// A line of a configuration file cannot be used.
  case badTable(path: String, line: Int, reason: String)
  /// The file of rejected lines could not be written; `reason` is the system's message.
  case cannotWrite(path: String, reason: String)

  /// The cause and the remedy, in a sentence or two.
  public var description: String {
    switch self {
    case .cannotRead(let path, let reason): "Cannot read \(path): \(reason). Check its name and permissions."
    case .unsupportedCompression(let path, let kind):
      "\(path) is \(kind). Only plain text and gzip are supported. Decompress it into a pipe and import “-”."
    case .truncated(let path, let line):
      "The gzip data of \(path) ends early, after line \(line). Download the file again."
    case .corrupt(let path, let line, let reason):
      "The gzip data of \(path) is damaged after line \(line): \(reason). Download the file again."
    case .lineTooLong(let path, let line, let maximum):
      "Line \(line) of \(path) is longer than \(maximum) bytes. Write an entry in each line."
    case .missingColumn(let path, let column):
      "The header of \(path) has no column “\(column)”. Check the file and its format."
    case .badTable(let path, let line, let reason): "\(path), line \(line): \(reason)"
    case .cannotWrite(let path, let reason):
      "Cannot write \(path): \(reason). Check its folder, permissions and free space."
    }
  }
}
