// SPDX-License-Identifier: Apache-2.0

import Support

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Bytes that can be read at any offset: a file, or an array in memory.
///
/// A file is read with `pread` and not mapped: a file that another process truncates then gives an error instead of a
/// fatal signal, and only the current block counts as memory of this process.
package final class PackSource: Sendable {
  private enum Store: Sendable {
    case file(Int32)
    case bytes([UInt8])
  }
  private let store: Store
  /// The total number of bytes.
  package let count: Int

  private init(_ store: Store, count: Int) {
    self.store = store
    self.count = count
  }

  package convenience init(bytes: [UInt8]) { self.init(.bytes(bytes), count: bytes.count) }

  deinit {
    if case .file(let descriptor) = store { _ = close(descriptor) }
  }

  /// Opens a file. `O_NONBLOCK` does nothing to regular files; with it, opening a pipe without a writer fails at once.
  package static func open(path: String) throws(PackError) -> PackSource {
    #if canImport(Darwin)
      let descriptor = Darwin.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    #elseif canImport(Musl)
      let descriptor = Musl.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    #else
      let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    #endif
    guard descriptor >= 0 else { throw .system("cannot open \(path)") }
    return try take(descriptor, path)
  }

  /// Takes ownership of an open descriptor and closes it at deinitialization, or at once when it is no regular file.
  static func take(_ descriptor: Int32, _ path: String) throws(PackError) -> PackSource {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else {
      let error = PackError.system("cannot read the size of \(path)")
      _ = close(descriptor)
      throw error
    }
    guard status.st_mode & S_IFMT == S_IFREG else {
      _ = close(descriptor)
      throw PackError(.inputOutput, "\(path) is not a regular file")
    }
    return PackSource(.file(descriptor), count: Int(status.st_size))
  }

  /// Fills `buffer` from `offset`; throws when the source ends before.
  package func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) throws(PackError) {
    guard offset >= 0, offset <= count, buffer.count <= count - offset else {
      throw PackError(
        .wrongLength, "the file ends early", expected: "\(buffer.count) bytes at \(offset)",
        got: "\(count) bytes in all")
    }
    guard buffer.count > 0 else { return }
    switch store {
    case .bytes(let bytes):
      bytes.withUnsafeBytes {
        buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[offset..<offset + buffer.count]))
      }
    case .file(let descriptor):
      let count = readAll(into: buffer, from: descriptor, at: offset)
      guard count >= 0 else { throw .system("cannot read") }
      guard count == buffer.count else {
        throw PackError(.wrongLength, "the file was cut short while it was read", remedy: "fetch it again")
      }
    }
  }

  package func bytes(at offset: Int, count: Int) throws(PackError) -> [UInt8] {
    guard offset >= 0, count >= 0, offset <= self.count, count <= self.count - offset else {
      throw PackError(
        .wrongLength, "the file ends early", expected: "\(count) bytes at \(offset)", got: "\(self.count) bytes in all")
    }
    var result = [UInt8](repeating: 0, count: count)
    var failure: PackError?
    result.withUnsafeMutableBytes { buffer in
      do throws(PackError) { try read(at: offset, into: buffer) } catch { failure = error }
    }
    if let failure { throw failure }
    return result
  }
}

extension PackError {
  /// Creates an error of the system with the meaning of `errno`.
  package static func system(_ what: String) -> PackError {
    PackError(.inputOutput, what, got: String(cString: strerror(errno)))
  }
}
