// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// The lock of a folder, which the kernel frees when its holder ends in any way: an flock on a file in it.
///
/// Only the owner may open the file. Everybody who can open a file can lock it, and a folder of publications may be
/// readable for all.
package final class FolderLock: Sendable {
  private let descriptor: Int32

  /// Takes the lock.
  /// - Parameters:
  ///   - folder: a folder that exists.
  ///   - name: the file.
  /// - Throws: ``FileFailure``, with the code `EWOULDBLOCK` when another process holds it.
  package init(folder: String, name: String = ".lock") throws(FileFailure) {
    let path = "\(folder)/\(name)"
    descriptor = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw FileFailure(path: path, code: errno, operation: .open) }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      let code = errno
      close(descriptor)
      throw FileFailure(path: path, code: code, operation: .lock)
    }
  }

  deinit {
    // A child that is just being started has the file open until it becomes another program: closing alone would leave
    // the lock to it.
    flock(descriptor, LOCK_UN)
    close(descriptor)
  }
}

extension FileFailure {
  /// Whether another process holds a ``FolderLock``.
  package var isHeld: Bool { code == EWOULDBLOCK }
}
