// SPDX-License-Identifier: Apache-2.0

import Foundation

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Files that are complete or absent, even if the process is killed.
enum ClientFiles {
  /// Creates an error from the current `errno`.
  static func failure(_ operation: String) -> ClientError { .file(operation: operation, code: errno) }

  /// Flushes a file to the disk; on Apple's systems fsync alone leaves the data in the drive's cache.
  static func sync(_ descriptor: Int32) -> Bool {
    #if canImport(Darwin)
      if fcntl(descriptor, F_FULLFSYNC) == 0 { return true }
    #endif
    return fsync(descriptor) == 0
  }

  /// Flushes a file, or the names in a folder.
  static func flush(_ path: String) throws(ClientError) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw failure("flush a file") }
    defer { close(descriptor) }
    guard sync(descriptor) else { throw failure("flush a file") }
  }

  /// Writes a temporary file, flushes it, and renames it.
  static func replace(_ path: String, with data: Data) throws(ClientError) {
    let temporary = path + ".new"
    unlink(temporary)
    let file = try PartialFile(temporary, limit: data.count)
    try file.append(data)
    try file.finish()
    try move(temporary, to: path)
  }

  static func move(_ path: String, to target: String) throws(ClientError) {
    guard rename(path, target) == 0 else { throw failure("replace a file") }
    try flush(URL(fileURLWithPath: target).deletingLastPathComponent().path)
  }

  /// Gives a file a second name, which replaces an older file of that name. Copies the file where hard links are
  /// impossible. Without either, the older file stays: that is no reason to refuse new reports.
  static func keep(_ path: String, as name: String) throws(ClientError) {
    let fresh = name + ".new"
    unlink(fresh)
    if link(path, fresh) != 0 {
      guard (try? FileManager.default.copyItem(atPath: path, toPath: fresh)) != nil else { return }
    }
    guard rename(fresh, name) == 0 else { return }
    try flush(URL(fileURLWithPath: name).deletingLastPathComponent().path)
  }

  /// Creates a folder that can be used while a phone is locked, and that is excluded from backups.
  static func makeFolder(_ path: String) throws(ClientError) {
    do {
      try FileManager.default.createDirectory(
        atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
      #if os(iOS)
        try FileManager.default.setAttributes(
          [.protectionKey: FileProtectionType.completeUntilFirstUserAuthentication], ofItemAtPath: path)
        var url = URL(fileURLWithPath: path)
        var values = URLResourceValues()
        values.isExcludedFromBackup = true
        try url.setResourceValues(values)
      #endif
    } catch {
      throw .file(operation: "make a folder", code: Int32(truncatingIfNeeded: (error as NSError).code))
    }
  }

  /// Reads a short file.
  /// - Returns: nil when the file is missing, or longer than `limit`.
  static func read(_ path: String, limit: Int) -> Data? {
    guard let file = FileHandle(forReadingAtPath: path) else { return nil }
    defer { try? file.close() }
    guard let data = try? file.read(upToCount: limit + 1), data.count <= limit else { return nil }
    return data
  }
}

/// The lock of a folder, held by one process at a time; the system releases it when the process ends.
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
    // Closing alone would keep the lock in a child process that is being started.
    flock(descriptor, LOCK_UN)
    close(descriptor)
  }
}
