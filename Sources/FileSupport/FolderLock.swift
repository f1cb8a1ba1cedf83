// SPDX-License-Identifier: Apache-2.0

import Foundation

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The lock of a folder, which the kernel frees when its holder ends in any way: an flock on the file `.lock`.
///
/// Only the owner may open the file. Everybody who can open a file can lock it, and a folder of publications may be
/// readable for all.
package final class FolderLock: Sendable {
  private let descriptor: Int32

  /// Takes the lock.
  /// - Parameter folder: a folder that exists.
  /// - Throws: ``FileFailure``, with the code `EWOULDBLOCK` when another process holds it.
  package init(folder: String) throws(FileFailure) {
    let path = "\(folder)/.lock"
    descriptor = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw FileFailure(path: path, code: errno) }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      let code = errno
      close(descriptor)
      throw FileFailure(path: path, code: code)
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

/// An operation of the system on a file or folder that failed.
package struct FileFailure: Error, CustomStringConvertible, Equatable {
  package let path: String
  /// The value of errno.
  package let code: Int32

  package init(path: String, code: Int32) {
    self.path = path
    self.code = code
  }

  /// The system's message, for example "Permission denied".
  package var reason: String { String(cString: strerror(code)) }

  package var description: String { "\(path): \(reason)" }
}

/// Flushes a file's content, or a folder's names, to disk.
/// - Throws: ``FileFailure``.
package func flushToDisk(_ path: String) throws(FileFailure) {
  let file = open(path, O_RDONLY | O_CLOEXEC)
  guard file >= 0 else { throw FileFailure(path: path, code: errno) }
  defer { close(file) }
  guard fsync(file) == 0 else { throw FileFailure(path: path, code: errno) }
}
