// SPDX-License-Identifier: Apache-2.0

import Foundation

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// A file of known length that is being written, and that a later attempt continues.
final class PartialFile: @unchecked Sendable {
  // Unchecked: `count` and the file's offset are accessed only under the lock.
  private let lock = NSLock()
  private let descriptor: Int32
  /// The length of the complete file in bytes.
  let limit: Int
  private var count: Int

  /// Opens or creates the file; a file that is longer than `limit` is emptied.
  init(_ path: String, limit: Int) throws(ClientError) {
    self.limit = limit
    descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw ClientFiles.failure("write a file") }
    count = Int(lseek(descriptor, 0, SEEK_END))
    if count > limit { try restart() }
  }

  deinit { close(descriptor) }

  /// The number of bytes written so far.
  var length: Int { lock.withLock { count } }

  /// Empties the file.
  func restart() throws(ClientError) {
    lock.lock()
    defer { lock.unlock() }
    guard ftruncate(descriptor, 0) == 0, lseek(descriptor, 0, SEEK_SET) == 0 else {
      throw ClientFiles.failure("write a file")
    }
    count = 0
  }

  func append(_ data: Data) throws(ClientError) {
    lock.lock()
    defer { lock.unlock() }
    guard count + data.count <= limit else { throw .network("The response is longer than announced.") }
    let bytes = [UInt8](data)
    var written = 0
    while written < bytes.count {
      let result = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress.map { $0 + written }, $0.count - written) }
      if result < 0, errno == EINTR { continue }
      guard result > 0 else { throw ClientFiles.failure("write a file") }
      written += result
    }
    count += bytes.count
  }

  /// Flushes the file to the disk.
  func finish() throws(ClientError) {
    guard ClientFiles.sync(descriptor) else { throw ClientFiles.failure("flush a file") }
  }
}
