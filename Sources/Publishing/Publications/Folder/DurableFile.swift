import Foundation

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Files that are there whole or not at all, also after a power cut.
enum DurableFile {
  /// Writes beside, flushes to disk, renames into place, and flushes the folder.
  static func replace(_ path: String, with data: Data) throws {
    let temporary = "\(path).\(UUID().uuidString).tmp"
    do {
      do {
        try data.write(to: URL(filePath: temporary))
      } catch let error as CocoaError {
        throw PublishingError.cannotWrite(path, errno: (error.underlying as? POSIXError)?.code.rawValue ?? EIO)
      }
      try flush(temporary)
      guard rename(temporary, path) == 0 else { throw PublishingError.cannotWrite(path, errno: errno) }
    } catch {
      unlink(temporary)
      throw error
    }
    try flush(URL(filePath: path).deletingLastPathComponent().path)
  }

  /// Puts a file in the place of another; the folder is flushed with the rest of it.
  static func move(_ path: String, to target: String) throws {
    guard rename(path, target) == 0 else { throw PublishingError.cannotWrite(target, errno: errno) }
  }

  /// Length in bytes.
  static func length(_ path: String) throws -> Int {
    var status = stat()
    guard stat(path, &status) == 0 else { throw PublishingError.cannotWrite(path, errno: errno) }
    return Int(status.st_size)
  }

  /// Flushes a file's content, or a folder's names, to disk.
  static func flush(_ path: String) throws {
    let file = open(path, O_RDONLY)
    guard file >= 0 else { throw PublishingError.cannotWrite(path, errno: errno) }
    defer { close(file) }
    guard fsync(file) == 0 else { throw PublishingError.cannotWrite(path, errno: errno) }
  }
}

/// One publisher at a time in a folder: a lock that the kernel frees when its holder dies.
final class FolderLock {
  private let file: Int32

  /// - Throws: ``PublishingError/busy`` when another process holds it.
  init(folder: String) throws {
    file = open("\(folder)/.lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
    guard file >= 0 else { throw PublishingError.cannotWrite("\(folder)/.lock", errno: errno) }
    guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
      close(file)
      throw PublishingError.busy
    }
  }

  deinit {
    // A child that is just being started has the file open until it becomes another program: closing alone would leave
    // the lock to it.
    flock(file, LOCK_UN)
    close(file)
  }
}
