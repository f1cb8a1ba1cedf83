// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

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

  /// Opens `path`, `-` for standard input. While a pipe has nothing to read, `isCancelled` is called ten times a
  /// second; once it returns true, reading throws `CancellationError`.
  init(path: String, isCancelled: @escaping @Sendable () -> Bool) throws(ImportFileError) {
    self.isCancelled = isCancelled
    name = path == "-" ? "standard input" : path
    ownsDescriptor = path != "-"
    // Non-blocking, so that waiting for a named pipe without a writer can be cancelled; regular files ignore it.
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
      if totalBytes == nil { try waitUntilReadable() }
      #if canImport(Darwin)
        let count = Darwin.read(descriptor, buffer.baseAddress, buffer.count)
      #elseif canImport(Musl)
        let count = Musl.read(descriptor, buffer.baseAddress, buffer.count)
      #else
        let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
      #endif
      if count >= 0 {
        bytesRead += UInt64(count)
        return count
      }
      if errno != EINTR, errno != EAGAIN { throw ImportFileError.cannotRead(path: name, reason: Self.systemMessage()) }
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
