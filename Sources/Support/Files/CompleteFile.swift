// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// A file that is complete or absent: its bytes go to a temporary file in the same folder, which ``commit(flushing:)``
/// flushes to disk and renames. Without a commit, the temporary file is removed with this object.
///
/// On Linux the file has no name before the commit, where the file system can do that. A process that ends by a signal
/// then leaves nothing.
package final class CompleteFile {
  /// The content that is on disk after a commit.
  package enum Flush {
    /// The file survives the end of the process, and not a power failure.
    case nothing
    /// The file survives a power failure, and its name too where the file system can flush a folder.
    case file
    /// The file and its name survive a power failure; otherwise the commit throws.
    case fileAndFolder
  }

  package let path: String
  package private(set) var descriptor: Int32
  private let temporary: String
  private(set) var isNamed = true

  /// Creates the temporary file.
  /// - Parameters:
  ///   - temporary: its name; a file that is left from a killed process is replaced. Nil for a unique name, which
  ///     ends in `.tmp`.
  ///   - mode: the permissions, reduced by the process's umask.
  package init(_ path: String, temporary: String? = nil, mode: UInt16 = 0o600) throws(FileFailure) {
    self.path = path
    self.temporary = temporary ?? "\(path).\(String(UInt64.random(in: 0 ... .max), radix: 36)).tmp"
    #if os(Linux)
      // Linux's O_TMPFILE, which Swift does not import.
      let nameless = O_DIRECTORY | 0o20_000_000
      descriptor = temporary == nil ? open(parentFolder(of: path), nameless | O_RDWR | O_CLOEXEC, mode_t(mode)) : -1
      isNamed = descriptor < 0 || access(Self.link(to: descriptor), F_OK) != 0
      guard isNamed else { return }
      if descriptor >= 0 { close(descriptor) }
    #endif
    if temporary != nil { unlink(self.temporary) }
    descriptor = open(self.temporary, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode_t(mode))
    guard descriptor >= 0 else { throw FileFailure(path: path, code: errno, operation: .create) }
  }

  deinit { discard() }

  /// Replaces a file by one with this content.
  /// - Throws: ``FileFailure``; the file is unchanged then.
  package static func replace(
    _ path: String, with content: some Collection<UInt8>, temporary: String? = nil, mode: UInt16 = 0o600,
    flushing: Flush = .fileAndFolder
  ) throws(FileFailure) {
    let file = try CompleteFile(path, temporary: temporary, mode: mode)
    guard writeAll(content, to: file.descriptor) else { throw file.failure(.write) }
    try file.commit(flushing: flushing)
  }

  package func write(_ bytes: UnsafeRawBufferPointer) throws(FileFailure) {
    guard writeAll(bytes, to: descriptor) else { throw failure(.write) }
  }

  /// Flushes the file and renames it.
  package func commit(flushing: Flush = .fileAndFolder) throws(FileFailure) {
    if flushing != .nothing {
      guard flushToDisk(descriptor) else { throw failure(.flush) }
    }
    #if os(Linux)
      guard isNamed || linkat(AT_FDCWD, Self.link(to: descriptor), AT_FDCWD, temporary, AT_SYMLINK_FOLLOW) == 0 else {
        throw failure(.rename)
      }
    #endif
    try Self.move(temporary, to: path, flushing: flushing)
    close(descriptor)
    descriptor = -1
  }

  /// The path by which a file without a name gets one.
  private static func link(to descriptor: Int32) -> String { "/proc/self/fd/\(descriptor)" }

  /// Renames a file that was flushed within its folder, and flushes the folder.
  package static func move(_ temporary: String, to path: String, flushing: Flush) throws(FileFailure) {
    guard rename(temporary, path) == 0 else { throw FileFailure(path: path, code: errno, operation: .rename) }
    switch flushing {
    case .nothing: break
    case .file: try? flushToDisk(parentFolder(of: path))
    case .fileAndFolder: try flushToDisk(parentFolder(of: path))
    }
  }

  /// Removes the temporary name: the file exists as long as it is open, and a crash leaves nothing behind.
  package func forgetName() { unlink(temporary) }

  /// Closes and removes the temporary file; without effect after ``commit(flushing:)``.
  package func discard() {
    guard descriptor >= 0 else { return }
    close(descriptor)
    unlink(temporary)
    descriptor = -1
  }

  private func failure(_ operation: FileFailure.Operation) -> FileFailure {
    FileFailure(path: path, code: errno, operation: operation)
  }

  /// The file to replace: for a symbolic link, its target; the link stays.
  /// - Throws: ``FileFailure`` with the operation `replace` for anything but a regular file, because a rename would
  ///   replace it; `resolve`.
  package static func target(of path: String) throws(FileFailure) -> String {
    var status = stat()
    guard stat(path, &status) == 0 else { return path }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw FileFailure(
        path: path, code: status.st_mode & S_IFMT == S_IFDIR ? EISDIR : EINVAL, operation: .replace)
    }
    guard let resolved = realpath(path, nil) else {
      throw FileFailure(path: path, code: errno, operation: .resolve)
    }
    defer { free(resolved) }
    return String(cString: resolved)
  }
}

/// A file of known length that is being written, and that a later attempt or run continues.
///
/// One task at a time writes to it. Its length is the file's position, so the object has no state of its own.
package final class PartialFile: Sendable {
  package let path: String
  /// The length of the complete file in bytes.
  package let limit: Int
  private let descriptor: Int32

  /// Opens or creates the file; a file that is longer than `limit` is emptied.
  package init(_ path: String, limit: Int, mode: UInt16 = 0o600) throws(FileFailure) {
    self.path = path
    self.limit = limit
    descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, mode_t(mode))
    guard descriptor >= 0, lseek(descriptor, 0, SEEK_END) >= 0 else { throw FileFailure(path: path, code: errno) }
    if length > limit { try restart() }
  }

  deinit { close(descriptor) }

  /// The number of bytes written so far.
  package var length: Int { Int(lseek(descriptor, 0, SEEK_CUR)) }

  /// Empties the file.
  package func restart() throws(FileFailure) {
    guard ftruncate(descriptor, 0) == 0, lseek(descriptor, 0, SEEK_SET) == 0 else {
      throw FileFailure(path: path, code: errno)
    }
  }

  /// - Returns: false when the file would be longer than its limit; nothing is written then.
  package func append(_ bytes: some Collection<UInt8>) throws(FileFailure) -> Bool {
    guard length + bytes.count <= limit else { return false }
    guard writeAll(bytes, to: descriptor) else { throw FileFailure(path: path, code: errno) }
    return true
  }

  /// Flushes the file to disk.
  package func finish() throws(FileFailure) {
    guard flushToDisk(descriptor) else { throw FileFailure(path: path, code: errno, operation: .flush) }
  }
}
