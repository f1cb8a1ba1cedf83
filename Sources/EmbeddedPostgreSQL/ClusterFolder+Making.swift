// SPDX-License-Identifier: Apache-2.0

import FileSupport
import Foundation

extension ClusterFolder {
  /// Creates a folder, or sets the owner, group and permissions of an existing one.
  static func makeFolder(
    _ path: String, owner: uid_t, group: gid_t, mode: mode_t
  ) throws(EmbeddedPostgresError) {
    if mkdir(path, 0o700) != 0, errno != EEXIST { throw .folderUnusable(folder: path, reason: SystemError.current) }
    let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard descriptor >= 0 else { throw .folderUnusable(folder: path, reason: SystemError.current) }
    defer { close(descriptor) }
    if geteuid() == 0, fchown(descriptor, owner, group) != 0 {
      throw .folderUnusable(folder: path, reason: SystemError.current)
    }
    guard fchmod(descriptor, mode) == 0 else { throw .folderUnusable(folder: path, reason: SystemError.current) }
  }

  /// A short path for the socket's folder that is the same at each start: in XDG_RUNTIME_DIR or /tmp.
  static func shortSocketFolder(
    for dataFolder: String, environment: [String: String] = ProcessInfo.processInfo.environment
  ) -> String {
    // FNV-1a: names must differ, but need not be secret.
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in dataFolder.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    let name = "ringfence-\(geteuid())-" + String(hash, radix: 16)
    if geteuid() != 0, let runtime = environment["XDG_RUNTIME_DIR"], runtime.hasPrefix("/"),
      FileStatus(runtime)?.uid == geteuid(), ClusterAddress.isUsable(socketFolder: "\(runtime)/\(name)")
    {
      return "\(runtime)/\(name)"
    }
    return "/tmp/\(name)"
  }

  /// Creates a folder where others may write too; an existing one must already belong to the account alone.
  static func makeForeignFolder(_ path: String, owner: Account) throws(EmbeddedPostgresError) {
    if mkdir(path, 0o700) == 0 {
      return try makeFolder(path, owner: owner.uid, group: owner.gid, mode: 0o700)
    }
    guard errno == EEXIST else { throw .socketFolderUnusable(folder: path, reason: SystemError.current) }
    guard let status = FileStatus(path), status.isFolder, status.uid == owner.uid || status.uid == geteuid(),
      status.mode & 0o077 == 0
    else { throw .socketFolderUnusable(folder: path, reason: "it is there and not private to \(owner.name)") }
    try makeFolder(path, owner: owner.uid, group: owner.gid, mode: 0o700)
  }

  /// Removes the socket's folder if it is outside and empty.
  func removeForeignSocketFolder() {
    if hasForeignSocketFolder { rmdir(socketFolder) }
  }

  /// Writes a file that the account may read, atomically.
  func write(_ text: String, to name: String) throws(EmbeddedPostgresError) {
    let path = "\(root)/\(name)"
    let temporary = path + ".new"
    unlink(temporary)
    let descriptor: Int32
    do { descriptor = try PrivateFile.open(new: temporary) } catch {
      throw .folderUnusable(folder: path, reason: error.reason)
    }
    defer { close(descriptor) }
    let bytes = Array(text.utf8)
    guard Glibc.write(descriptor, bytes, bytes.count) == bytes.count, fchmod(descriptor, 0o640) == 0,
      geteuid() != 0 || fchown(descriptor, geteuid(), account.gid) == 0, rename(temporary, path) == 0
    else { throw .folderUnusable(folder: path, reason: SystemError.current) }
  }

  /// The text of a file in the cluster's folder.
  func read(_ name: String) -> String? { try? String(contentsOfFile: "\(root)/\(name)", encoding: .utf8) }
}
