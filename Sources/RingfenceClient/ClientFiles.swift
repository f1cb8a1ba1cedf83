import Foundation

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Files that are whole or absent, whenever the process is killed.
enum ClientFiles {
  /// The error for what the system has just said.
  static func failure(_ operation: String) -> ClientError { .file(operation: operation, code: errno) }

  /// Flushes to the disk itself; on Apple's systems fsync alone stops at the drive's cache.
  static func sync(_ descriptor: Int32) -> Bool {
    #if canImport(Darwin)
      if fcntl(descriptor, F_FULLFSYNC) == 0 { return true }
    #endif
    return fsync(descriptor) == 0
  }

  /// Flushes a file, or a folder's names.
  static func flush(_ path: String) throws(ClientError) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw failure("flush a file") }
    defer { close(descriptor) }
    guard sync(descriptor) else { throw failure("flush a file") }
  }

  /// Writes beside, flushes, renames.
  static func replace(_ path: String, with data: Data) throws(ClientError) {
    let temporary = path + ".new"
    unlink(temporary)
    let file = try SinkFile(temporary, limit: data.count)
    try file.append(data)
    try file.finish()
    try move(temporary, to: path)
  }

  static func move(_ path: String, to target: String) throws(ClientError) {
    guard rename(path, target) == 0 else { throw failure("replace a file") }
    try flush(URL(filePath: target).deletingLastPathComponent().path)
  }

  /// Gives a file a second name, in the place of what had it; a copy where files cannot have two. Where neither can be
  /// made, what had the name keeps it: that is no reason to accept nothing more.
  static func keep(_ path: String, as name: String) throws(ClientError) {
    let fresh = name + ".new"
    unlink(fresh)
    if link(path, fresh) != 0 {
      guard (try? FileManager.default.copyItem(atPath: path, toPath: fresh)) != nil else { return }
    }
    guard rename(fresh, name) == 0 else { return }
    try flush(URL(filePath: name).deletingLastPathComponent().path)
  }

  /// Makes a folder that survives a phone's lock screen and stays out of its backups.
  static func makeFolder(_ path: String) throws(ClientError) {
    do {
      try FileManager.default.createDirectory(
        atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
      #if os(iOS)
        try FileManager.default.setAttributes(
          [.protectionKey: FileProtectionType.completeUntilFirstUserAuthentication], ofItemAtPath: path)
        var url = URL(filePath: path)
        var values = URLResourceValues()
        values.isExcludedFromBackup = true
        try url.setResourceValues(values)
      #endif
    } catch {
      throw .file(operation: "make a folder", code: Int32(truncatingIfNeeded: (error as NSError).code))
    }
  }

  /// A short file.
  /// - Returns: nil when there is none, or it is longer than `limit`.
  static func read(_ path: String, limit: Int) -> Data? {
    guard let file = FileHandle(forReadingAtPath: path) else { return nil }
    defer { try? file.close() }
    guard let data = try? file.read(upToCount: limit + 1), data.count <= limit else { return nil }
    return data
  }
}

/// One process at a time in a folder; the system frees it when its holder dies.
final class FolderLock: Sendable {
  private let descriptor: Int32

  init(_ folder: String) throws(ClientError) {
    descriptor = open("\(folder)/lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw ClientFiles.failure("open the lock") }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      close(descriptor)
      throw .busy
    }
  }

  deinit {
    // Closing alone would leave the lock to a child that is just being started.
    flock(descriptor, LOCK_UN)
    close(descriptor)
  }
}
