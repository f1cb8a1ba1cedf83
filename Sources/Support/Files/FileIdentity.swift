// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Identifies a regular file without reading it.
package struct FileIdentity: Hashable, Sendable {
  private let device: dev_t
  private let inode: ino_t
  /// Size in bytes.
  package let length: Int
  /// The time of the last change in seconds since 1970, without its fraction.
  package let seconds: Int
  private let nanoseconds: Int

  /// - Returns: nil if there is no regular file of this name. Blocks briefly.
  package init?(path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    self.init(status)
  }

  /// - Returns: nil if the descriptor is not of a regular file.
  package init?(descriptor: Int32) {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return nil }
    self.init(status)
  }

  private init?(_ status: stat) {
    guard status.st_mode & S_IFMT == S_IFREG else { return nil }
    device = status.st_dev
    inode = status.st_ino
    length = Int(status.st_size)
    #if canImport(Darwin)
      (seconds, nanoseconds) = (status.st_mtimespec.tv_sec, status.st_mtimespec.tv_nsec)
    #else
      (seconds, nanoseconds) = (status.st_mtim.tv_sec, status.st_mtim.tv_nsec)
    #endif
  }
}
