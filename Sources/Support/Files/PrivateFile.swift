// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Files and folders that only their owner may open, from the moment they exist and under every umask.
///
/// Foundation creates a file first and sets its permissions then: in between, other accounts can open it.
package enum PrivateFile {
  /// Creates a file with mode 0600 and opens it for writing. The caller closes the descriptor.
  /// - Throws: ``FileFailure``, with the code `EEXIST` where something has the name, even a symbolic link.
  package static func open(new path: String) throws(FileFailure) -> Int32 {
    let descriptor = systemOpen(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC)
    guard descriptor >= 0 else { throw FileFailure(path: path, code: errno) }
    return descriptor
  }

  /// Creates a file with mode 0600, writes its content and flushes it to disk. A file that cannot be written is removed.
  /// - Throws: ``FileFailure``, with the code `EEXIST` where something has the name.
  package static func create(_ path: String, _ content: some Collection<UInt8>) throws(FileFailure) {
    let descriptor = try open(new: path)
    defer { close(descriptor) }
    guard writeAll(content, to: descriptor), flushToDisk(descriptor) else {
      let code = errno
      unlink(path)
      throw FileFailure(path: path, code: code)
    }
  }

  /// Makes a folder with mode 0700, and the folders above it with the usual one. A folder that is there stays as it
  /// is.
  package static func makeFolder(_ path: String) throws(FileFailure) {
    let parent = URL(fileURLWithPath: path).standardizedFileURL.deletingLastPathComponent().path
    do {
      try FileManager.default.createDirectory(atPath: parent, withIntermediateDirectories: true)
    } catch {
      let code = ((error as? CocoaError)?.underlying as? POSIXError)?.code.rawValue
      throw FileFailure(path: parent, code: code ?? EIO)
    }
    guard mkdir(path, 0o700) != 0 else { return }
    let code = errno
    var status = stat()
    guard code == EEXIST, stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
      throw FileFailure(path: path, code: code == EEXIST ? ENOTDIR : code)
    }
  }
}

private func systemOpen(_ path: String, _ flags: Int32) -> Int32 { open(path, flags, 0o600) }

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
    descriptor = try Self.lock("\(folder)/\(name)")
  }

  /// - Returns: the descriptor of the locked file. An initializer that throws after it has set the descriptor would run
  ///   `deinit`, which closes it again: by then another file or connection may have its number.
  private static func lock(_ path: String) throws(FileFailure) -> Int32 {
    let descriptor = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw FileFailure(path: path, code: errno, operation: .open) }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      let code = errno
      close(descriptor)
      throw FileFailure(path: path, code: code, operation: .lock)
    }
    return descriptor
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
