import CallerPack
import Foundation
import Synchronization

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A file in the making, which a later attempt, or a later run, goes on with.
final class PartialFile: Sendable {
  /// The bytes that it shall have.
  let limit: Int
  private let path: String
  private let descriptor: Int32
  private let count: Mutex<Int>

  /// Opens or makes it; what is longer than it may be is begun anew.
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

  /// The bytes that are there.
  var length: Int { count.withLock { $0 } }

  /// The error for a sender that has more than the manifest says.
  var tooLong: FetchError {
    .refused(
      .wrongFile(path: URL(filePath: path).lastPathComponent, expected: "\(limit) bytes", got: "more than that"))
  }

  /// Forgets what is there.
  func restart() throws {
    try count.withLock { count in
      guard ftruncate(descriptor, 0) == 0, lseek(descriptor, 0, SEEK_SET) == 0 else {
        throw LocalFile.failure("write", path)
      }
      count = 0
    }
  }

  /// - Throws: ``FetchError`` when the disk is full, or more comes than the manifest says.
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
