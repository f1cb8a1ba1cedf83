// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Flushes a file's content, or a folder's names, to disk.
/// - Throws: ``FileFailure``.
package func flushToDisk(_ path: String) throws(FileFailure) {
  let file = open(path, O_RDONLY | O_CLOEXEC)
  guard file >= 0 else { throw FileFailure(path: path, code: errno) }
  defer { close(file) }
  guard fsync(file) == 0 else { throw FileFailure(path: path, code: errno) }
}
