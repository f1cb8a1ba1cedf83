// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// The space of the file system of a file or a folder.
package struct FolderSpace: Sendable {
  package let freeBytes: Int64
  package let bytes: Int64
  /// Nil for a file system without a limit.
  package let freeFiles: Int64?
  /// Identifies the file system.
  package let device: UInt64

  /// - Returns: nil for a path that cannot be read, and for a file without a size, such as a pipe.
  package init?(_ path: String) {
    var (space, status) = (statvfs(), stat())
    guard statvfs(path, &space) == 0, stat(path, &status) == 0, space.f_blocks > 0 else { return nil }
    (freeBytes, bytes) = (Int64(space.f_bavail * space.f_frsize), Int64(space.f_blocks * space.f_frsize))
    freeFiles = space.f_files > 0 ? Int64(space.f_favail) : nil
    device = UInt64(status.st_dev)
  }
}
