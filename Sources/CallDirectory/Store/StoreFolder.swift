// SPDX-License-Identifier: Apache-2.0

internal import Support
internal import Foundation

#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

/// A folder whose files are complete or absent, even if the process is killed.
struct StoreFolder: Sendable {
  let path: String
  let killSwitch: KillSwitch?

  private static let temporarySuffix = ".part"

  func path(of name: String) -> String { path + "/" + name }

  /// Counts a step of the process; false when it was killed before this step.
  private func lives() -> Bool { killSwitch?.step() ?? true }

  /// Creates the folder when it is missing.
  func create() throws(CallDirectoryError) {
    guard lives() else { return }
    do {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    } catch {
      throw .file(path: path, operation: "create", code: Int32(truncatingIfNeeded: (error as NSError).code))
    }
  }

  /// Reads a small file; nil when there is none.
  func read(_ name: String) -> [UInt8]? {
    FileManager.default.contents(atPath: path(of: name)).map { Array($0) }
  }

  /// Replaces a file with bytes that are flushed to the disk before the rename.
  func replace(_ name: String, with bytes: [UInt8]) throws(CallDirectoryError) {
    let temporary = temporaryName()
    guard lives() else { return }
    let descriptor: Int32
    do { descriptor = try PrivateFile.open(new: temporary) } catch { throw fault("create", name) }
    defer { close(descriptor) }
    guard lives() else { return }
    guard writeAll(bytes, to: descriptor) else { throw fault("write", name) }
    try settle(descriptor, temporary, as: name)
  }

  /// Adds another file under a new name: a hard link where possible, otherwise a copy.
  /// - Parameters:
  ///   - source: the path of the file.
  ///   - check: receives the temporary path of the file and returns its name.
  func adopt(_ source: String, check: (String) throws -> String) throws -> String {
    let temporary = temporaryName()
    // Links the file that a symbolic link leads to, because the link may change.
    if lives(), linkat(AT_FDCWD, source, AT_FDCWD, temporary, AT_SYMLINK_FOLLOW) != 0 {
      try copy(source, to: temporary)
    }
    let name = try check(temporary)
    let descriptor = open(temporary, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw fault("open", name) }
    defer { close(descriptor) }
    try settle(descriptor, temporary, as: name)
    return name
  }

  /// Removes every file that `isNeeded` rejects, and the temporary files of killed processes.
  func sweep(keeping isNeeded: (String) -> Bool) {
    for name in (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? [] where !isNeeded(name) {
      guard lives() else { return }
      unlink(path(of: name))
    }
  }

  private func temporaryName() -> String { path(of: UUID().uuidString + Self.temporarySuffix) }

  private func settle(_ descriptor: Int32, _ temporary: String, as name: String) throws(CallDirectoryError) {
    guard lives() else { return }
    guard flushToDisk(descriptor) else { throw fault("flush", name) }
    guard lives() else { return }
    guard rename(temporary, path(of: name)) == 0 else { throw fault("rename to", name) }
    guard lives() else { return }
    do {
      try flushToDisk(path)
    } catch {
      // A file system that cannot flush a folder returns an error; the file itself is safe at this point.
      if error.operation == .open { throw fault("open the folder of", name) }
    }
  }

  private func copy(_ source: String, to temporary: String) throws(CallDirectoryError) {
    let input = open(source, O_RDONLY | O_CLOEXEC)
    guard input >= 0 else { throw .file(path: source, operation: "open", code: errno) }
    defer { close(input) }
    let output: Int32
    do { output = try PrivateFile.open(new: temporary) } catch {
      throw .file(path: temporary, operation: "create", code: error.code)
    }
    defer { close(output) }
    switch copyContent(of: input, to: output) {
    case .none: return
    case .read: throw .file(path: source, operation: "read", code: errno)
    default: throw .file(path: temporary, operation: "write", code: errno)
    }
  }

  private func fault(_ operation: String, _ name: String) -> CallDirectoryError {
    .file(path: path(of: name), operation: operation, code: errno)
  }
}
