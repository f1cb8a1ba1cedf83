// SPDX-License-Identifier: Apache-2.0

import Support
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

  /// Flushes a file, or the names in a folder.
  static func flush(_ path: String) throws(ClientError) {
    do { try flushToDisk(path) } catch { throw .file(operation: "flush a file", code: error.code) }
  }

  /// Writes a temporary file, flushes it, and renames it.
  static func replace(_ path: String, with data: Data) throws(ClientError) {
    try failing { () throws(FileFailure) in
      try CompleteFile.replace(path, with: data, temporary: path + ".new")
    }
  }

  static func move(_ path: String, to target: String) throws(ClientError) {
    try failing { () throws(FileFailure) in try CompleteFile.move(path, to: target, flushing: .fileAndFolder) }
  }

  /// Runs an operation on files with errors of ``ClientError``.
  static func failing<Result>(_ work: () throws(FileFailure) -> Result) throws(ClientError) -> Result {
    do { return try work() } catch { throw ClientError(error) }
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
    try flush(parentFolder(of: name))
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

extension ClientError {
  init(_ failure: FileFailure) {
    let operation =
      switch failure.operation {
      case .flush: "flush a file"
      case .rename: "replace a file"
      default: "write a file"
      }
    self = .file(operation: operation, code: failure.code)
  }
}
