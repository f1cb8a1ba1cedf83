// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// An operation of the system on a file or folder that failed.
package struct FileFailure: Error, CustomStringConvertible, Equatable {
  /// The operation that failed; its text fits before a path.
  package enum Operation: String, Sendable {
    case open, create, read, write, flush, lock, replace, resolve
    case rename = "rename to"
  }

  package let path: String
  /// The value of errno.
  package let code: Int32
  package let operation: Operation

  package init(path: String, code: Int32, operation: Operation = .write) {
    self.path = path
    self.code = code
    self.operation = operation
  }

  /// The system's message, for example "Permission denied".
  package var reason: String { String(cString: strerror(code)) }

  package var description: String { "\(path): \(reason)" }
}

/// Repeats a system call that a signal interrupts.
/// - Returns: the result of the call; when it is negative, `errno` has the reason.
package func uninterrupted(_ call: () -> Int) -> Int {
  while true {
    let result = call()
    if result >= 0 || errno != EINTR { return result }
  }
}

/// - Parameter offset: nil for the file's current position.
/// - Returns: false when the bytes could not be written; `errno` has the reason.
package func writeAll(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32, at offset: Int? = nil) -> Bool {
  var done = 0
  while done < bytes.count {
    let rest = UnsafeRawBufferPointer(rebasing: bytes[done...])
    let count = uninterrupted {
      if let offset {
        pwrite(descriptor, rest.baseAddress, rest.count, off_t(offset + done))
      } else {
        write(descriptor, rest.baseAddress, rest.count)
      }
    }
    if count == 0 { errno = EIO }
    guard count > 0 else { return false }
    done += count
  }
  return true
}

/// - Returns: false when the bytes could not be written; `errno` has the reason.
package func writeAll(_ bytes: some Collection<UInt8>, to descriptor: Int32) -> Bool {
  bytes.withContiguousStorageIfAvailable { writeAll(UnsafeRawBufferPointer($0), to: descriptor) }
    ?? Array(bytes).withUnsafeBytes { writeAll($0, to: descriptor) }
}

/// Reads from an offset until the buffer is full or the file ends.
/// - Returns: the count of bytes; -1 when they could not be read, and `errno` has the reason.
package func readAll(into buffer: UnsafeMutableRawBufferPointer, from descriptor: Int32, at offset: Int) -> Int {
  var done = 0
  while done < buffer.count {
    let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[done...])
    let count = uninterrupted { pread(descriptor, rest.baseAddress, rest.count, off_t(offset + done)) }
    if count < 0 { return -1 }
    if count == 0 { break }
    done += count
  }
  return done
}

/// Copies from one file's current position to its end.
/// - Returns: the operation that failed, and `errno` has the reason; nil for a complete copy.
package func copyContent(of input: Int32, to output: Int32) -> FileFailure.Operation? {
  var buffer = [UInt8](repeating: 0, count: 1 << 16)
  while true {
    let count = buffer.withUnsafeMutableBytes { piece in
      uninterrupted { read(input, piece.baseAddress, piece.count) }
    }
    guard count >= 0 else { return .read }
    if count == 0 { return nil }
    guard writeAll(buffer[..<count], to: output) else { return .write }
  }
}

/// Flushes an open file to disk. On Apple's systems fsync alone leaves the data in the drive's cache.
/// - Returns: false when it failed; `errno` has the reason.
package func flushToDisk(_ descriptor: Int32) -> Bool {
  #if canImport(Darwin)
    if fcntl(descriptor, F_FULLFSYNC) == 0 { return true }
  #endif
  return fsync(descriptor) == 0
}

/// Flushes a file's content, or a folder's names, to disk.
package func flushToDisk(_ path: String) throws(FileFailure) {
  let file = open(path, O_RDONLY | O_CLOEXEC)
  guard file >= 0 else { throw FileFailure(path: path, code: errno, operation: .open) }
  defer { close(file) }
  guard flushToDisk(file) else { throw FileFailure(path: path, code: errno, operation: .flush) }
}

package func parentFolder(of path: String) -> String {
  guard let slash = path.lastIndex(of: "/") else { return "." }
  return slash == path.startIndex ? "/" : String(path[..<slash])
}
