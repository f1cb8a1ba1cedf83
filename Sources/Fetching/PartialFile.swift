// SPDX-License-Identifier: Apache-2.0

import CallerPack
import Foundation
import Synchronization

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A partial download, which a later attempt or run can resume.
final class PartialFile: Sendable {
  /// The expected length in bytes.
  let limit: Int
  private let path: String
  private let descriptor: Int32
  private let count: Mutex<Int>

  /// Opens or creates the file; a file that is too long is truncated.
  init(path: String, limit: Int) throws {
    self.path = path
    self.limit = limit
    descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o644)
    guard descriptor >= 0 else { throw LocalFile.failure("write", path) }
    let end = Int(lseek(descriptor, 0, SEEK_END))
    count = Mutex(end)
    if end > limit { try restart() }
  }

  deinit { close(descriptor) }

  /// The present length in bytes.
  var length: Int { count.withLock { $0 } }

  /// The error for a sender with more bytes than in the manifest.
  var tooLong: FetchError {
    .refused(
      .wrongFile(path: URL(filePath: path).lastPathComponent, expected: "\(limit) bytes", got: "more than that"))
  }

  /// Truncates the file to start again.
  func restart() throws {
    try count.withLock { count in
      guard ftruncate(descriptor, 0) == 0, lseek(descriptor, 0, SEEK_SET) == 0 else {
        throw LocalFile.failure("write", path)
      }
      count = 0
    }
  }

  /// - Throws: ``FetchError`` when the disk is full, or more bytes arrive than in the manifest.
  func append(_ data: Data) throws {
    try count.withLock { count in
      guard count + data.count <= limit else { throw tooLong }
      try data.withUnsafeBytes { bytes in
        var written = 0
        while written < bytes.count {
          let result = write(descriptor, bytes.baseAddress.map { $0 + written }, bytes.count - written)
          if result < 0, errno == EINTR { continue }
          guard result > 0 else { throw LocalFile.failure("write", path) }
          written += result
        }
      }
      count += data.count
    }
  }

  /// Flushes it to disk.
  func finish() throws {
    guard fsync(descriptor) == 0 else { throw LocalFile.failure("write", path) }
  }
}
