import Foundation

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// A file in the making, of known length, that a later attempt goes on with.
final class SinkFile: @unchecked Sendable {
  // Unchecked: `count` and the file's place are touched under the lock only.
  private let lock = NSLock()
  private let descriptor: Int32
  /// The bytes that it shall have.
  let limit: Int
  private var count: Int

  /// Opens or makes it; what is longer than it may be is begun anew.
  init(_ path: String, limit: Int) throws(ClientError) {
    self.limit = limit
    descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw ClientFiles.failure("write a file") }
    count = Int(lseek(descriptor, 0, SEEK_END))
    if count > limit { try restart() }
  }

  deinit { close(descriptor) }

  /// The bytes that are there.
  var length: Int { lock.withLock { count } }

  /// Forgets what is there.
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
    guard count + data.count <= limit else { throw .network("More came than was announced.") }
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

  /// Flushes it to the disk.
  func finish() throws(ClientError) {
    guard ClientFiles.sync(descriptor) else { throw ClientFiles.failure("flush a file") }
  }
}
