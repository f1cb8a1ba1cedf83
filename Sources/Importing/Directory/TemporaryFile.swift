// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif
import Synchronization

/// An unlinked temporary file, which disappears when the process ends. Several tasks may write to it at once, each into
/// the part that it reserved.
final class TemporaryFile: Sendable {
  private let descriptor: Int32
  private let path: String
  private let end = Mutex(0)

  /// - Throws: ``ImportFileError/cannotWrite(path:reason:)``.
  init(folder: String) throws(ImportFileError) {
    path = "\(folder)/ringfence-import.XXXXXX"
    var name = Array(path.utf8CString)
    descriptor = mkstemp(&name)
    guard descriptor >= 0 else { throw .cannotWrite(path: path, reason: FileBytes.systemMessage()) }
    unlink(name)
  }

  deinit { close(descriptor) }

  /// Reserves the next bytes of the file for the caller.
  func reserve(_ count: Int) -> Range<Int> {
    end.withLock { end in
      defer { end += count }
      return end..<end + count
    }
  }

  func write(_ bytes: [UInt8], at offset: Int) throws(ImportFileError) {
    var done = 0
    while done < bytes.count {
      let count = bytes.withUnsafeBytes {
        pwrite(descriptor, $0.baseAddress.map { $0 + done }, bytes.count - done, off_t(offset + done))
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw .cannotWrite(path: path, reason: FileBytes.systemMessage()) }
      done += count
    }
  }

  /// Fills the buffer.
  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(ImportFileError) {
    var done = 0
    while done < buffer.count {
      let count = pread(descriptor, buffer.baseAddress.map { $0 + done }, buffer.count - done, off_t(offset + done))
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw .cannotRead(path: path, reason: FileBytes.systemMessage()) }
      done += count
    }
  }
}
