// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// A file that grows by lines.
package enum AppendableFile {
  /// Checks that lines can be added to a file, or that it can be created. Nothing is written.
  /// - Throws: ``FileFailure``, with the code `ENOSPC` on a full disk.
  package static func check(_ path: String) throws(FileFailure) {
    let file = open(path, O_RDWR | O_APPEND | O_NONBLOCK | O_CLOEXEC)
    guard file < 0 else {
      close(file)
      if FolderSpace(path)?.freeBytes == 0 { throw FileFailure(path: path, code: ENOSPC) }
      return
    }
    let code = errno
    guard code == ENOENT, access(parentFolder(of: path), W_OK | X_OK) == 0 else {
      throw FileFailure(path: path, code: code == ENOENT ? errno : code, operation: .open)
    }
  }
}
