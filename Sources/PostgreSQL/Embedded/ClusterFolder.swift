// SPDX-License-Identifier: Apache-2.0

import Support
import Foundation

/// The cluster's folder in the data folder, and how PostgreSQL reaches it.
///
/// As root, PostgreSQL runs as another account. That account owns only `data` and `socket`; files that root writes are
/// in a folder of root's, so that no planted link can redirect root. Other accounts cannot enter.
///
/// A data folder is often where that account has no access, such as a checkout under /root. PostgreSQL then gets the
/// open folder and accesses its files through /proc/self/fd, which requires no permission on the folders above.
struct ClusterFolder: Sendable {
  /// The data folder, absolute, without links.
  let dataFolder: String
  let account: Account
  /// Whether the account cannot access the folders above, so that the folder must be passed open.
  let isHandedOver: Bool
  let socketFolder: String
  /// Whether the socket's folder is outside, because the data folder's path is too long.
  let hasForeignSocketFolder: Bool

  static func root(in dataFolder: String) -> String { dataFolder + "/postgresql" }

  var root: String { Self.root(in: dataFolder) }
  var data: String { root + "/data" }
  var log: String { root + "/postgresql.log" }
  var address: ClusterAddress { ClusterAddress(socketFolder: socketFolder) }
  var postmasterFile: String { data + "/postmaster.pid" }

  /// The folder's path as seen by PostgreSQL.
  var rootForServer: String { isHandedOver ? "/proc/self/fd/\(ChildProcess.handedFolder)" : root }
  var socketFolderForServer: String {
    isHandedOver && !hasForeignSocketFolder ? rootForServer + "/socket" : socketFolder
  }

  /// Creates the data folder unless it exists, and returns its absolute path without links.
  ///
  /// A folder of root's gets search permission for others, but not read permission, because PostgreSQL's account must
  /// pass it.
  static func prepareDataFolder(_ path: String) throws(EmbeddedPostgresError) -> String {
    let absolute = URL(filePath: path).standardizedFileURL.path(percentEncoded: false).withoutTrailingSlash
    do {
      try PrivateFile.makeFolder(absolute)
    } catch {
      throw .folderUnusable(folder: absolute, reason: error.reason)
    }
    guard let resolved = realpath(absolute, nil) else {
      throw .folderUnusable(folder: absolute, reason: SystemError.current)
    }
    defer { free(resolved) }
    return String(cString: resolved)
  }

  /// Creates the cluster's folder and the socket's, or corrects their owners and permissions.
  init(dataFolder: String) throws(EmbeddedPostgresError) {
    let root = Self.root(in: dataFolder)
    let account = try Account.forCluster(existing: root + "/data")
    self.dataFolder = dataFolder
    self.account = account

    let blocking = Self.ancestors(of: root).first { !(FileStatus($0)?.isPassable(for: account) ?? false) }
    isHandedOver = geteuid() == 0 && blocking != nil
    if let blocking, isHandedOver, access("/proc/self/fd", X_OK) != 0 {
      throw .folderNotPassable(folder: blocking, account: account.name)
    }

    // In a regular user's data folder it stays that user's, who would otherwise lose access.
    let isRoots = geteuid() == 0 && FileStatus(dataFolder)?.uid != account.uid
    try Self.makeFolder(
      root, owner: isRoots ? 0 : account.uid, group: account.gid, mode: isRoots ? 0o710 : 0o700)
    let inside = root + "/socket"
    hasForeignSocketFolder = !ClusterAddress.isUsable(socketFolder: inside)
    socketFolder = hasForeignSocketFolder ? Self.shortSocketFolder(for: dataFolder) : inside
    if hasForeignSocketFolder {
      try Self.makeForeignFolder(socketFolder, owner: account)
    } else {
      try Self.makeFolder(inside, owner: account.uid, group: account.gid, mode: 0o700)
    }
  }

  /// The folders above a path, from the top.
  private static func ancestors(of path: String) -> [String] {
    var folders = ["/"]
    for name in path.split(separator: "/").dropLast() {
      folders.append(folders[folders.count - 1].withoutTrailingSlash + (folders.count == 1 ? "" : "/") + name)
    }
    return folders
  }
}

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
    do throws(FileFailure) {
      let file = try CompleteFile(path, temporary: path + ".new")
      guard writeAll(text.utf8, to: file.descriptor), fchmod(file.descriptor, 0o640) == 0,
        geteuid() != 0 || fchown(file.descriptor, geteuid(), account.gid) == 0
      else { throw FileFailure(path: path, code: errno) }
      try file.commit(flushing: .nothing)
    } catch {
      throw .folderUnusable(folder: path, reason: error.reason)
    }
  }

  func read(_ name: String) -> String? { try? String(contentsOfFile: "\(root)/\(name)", encoding: .utf8) }
}
