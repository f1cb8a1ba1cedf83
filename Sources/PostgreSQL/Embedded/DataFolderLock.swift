// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The lock of a data folder: an flock on the file `server.lock`, which contains the holder's process id and, once the
/// cluster answers, the folder of its socket.
///
/// The kernel releases it when the process ends. The file stays, because removing it would let two servers lock two
/// different files.
struct DataFolderLock: Sendable {
  private let descriptor: Int32

  /// The number of attempts, and the pause between them in microseconds: a process that checks whether the folder is
  /// locked holds the lock for a moment itself.
  private static let (tries, pause) = (40, UInt32(5_000))

  /// Takes the lock, or throws an error with its holder.
  /// - Throws: ``EmbeddedPostgresError`` `folderInUse` or `folderUnusable`.
  init(folder: String) throws(EmbeddedPostgresError) {
    let path = folder + "/server.lock"
    let descriptor = Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw .folderUnusable(folder: path, reason: SystemError.current) }
    var isOurs = false
    for attempt in 1...Self.tries {
      isOurs = flock(descriptor, LOCK_EX | LOCK_NB) == 0
      if isOurs || errno != EWOULDBLOCK || attempt == Self.tries { break }
      usleep(Self.pause)
    }
    guard isOurs else {
      let inUse = errno == EWOULDBLOCK
      let reason = SystemError.current
      let holder = Self.holder(descriptor)
      Glibc.close(descriptor)
      throw inUse ? .folderInUse(folder: folder, pid: holder) : .folderUnusable(folder: path, reason: reason)
    }
    let text = "\(getpid())\n"
    guard ftruncate(descriptor, 0) == 0, pwrite(descriptor, text, text.utf8.count, 0) == text.utf8.count else {
      let reason = SystemError.current
      Self.giveBack(descriptor)
      throw .folderUnusable(folder: path, reason: reason)
    }
    self.descriptor = descriptor
  }

  /// Writes the cluster's address for other processes.
  func announce(_ address: ClusterAddress) {
    let text = "\(getpid())\n\(address.socketFolder)\n"
    // Optional: without it other commands only report that the folder is in use.
    _ = pwrite(descriptor, text, text.utf8.count, 0)
  }

  /// The address of the cluster of a data folder; nil when no process holds the folder, or its cluster is not running.
  static func announcedAddress(folder: String) -> ClusterAddress? {
    let descriptor = Glibc.open(folder + "/server.lock", O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else { return nil }
    defer { giveBack(descriptor) }
    if flock(descriptor, LOCK_SH | LOCK_NB) == 0 { return nil }
    var bytes = [UInt8](repeating: 0, count: 4_096)
    let count = pread(descriptor, &bytes, bytes.count, 0)
    guard count > 0 else { return nil }
    let lines = String(decoding: bytes[..<count], as: UTF8.self).split(
      separator: "\n", omittingEmptySubsequences: false)
    guard lines.count == 3, lines[1].hasPrefix("/") else { return nil }
    return ClusterAddress(socketFolder: String(lines[1]))
  }

  /// Call it once.
  func release() { Self.giveBack(descriptor) }

  /// A child process that is being started has the file open until exec, so closing the file alone would keep the lock.
  fileprivate static func giveBack(_ descriptor: Int32) {
    flock(descriptor, LOCK_UN)
    Glibc.close(descriptor)
  }

  private static func holder(_ descriptor: Int32) -> Int32? {
    var bytes = [UInt8](repeating: 0, count: 16)
    let count = pread(descriptor, &bytes, bytes.count, 0)
    guard count > 0 else { return nil }
    return Int32(String(decoding: bytes[..<count], as: UTF8.self).prefix { $0 != "\n" })
  }
}

/// The use of a data folder's cluster by processes other than the one that runs it: a shared flock on the folder itself,
/// which leaves no file of another user in it. The process that runs the cluster takes it alone before it stops the cluster.
struct ClusterUse: Sendable {
  private let descriptor: Int32

  /// - Returns: nil where the cluster is being stopped, or the folder cannot be opened.
  /// - Parameter alone: whether no other process may use the cluster.
  init?(folder: String, alone: Bool) {
    descriptor = Glibc.open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    guard flock(descriptor, (alone ? LOCK_EX : LOCK_SH) | LOCK_NB) == 0 else {
      Glibc.close(descriptor)
      return nil
    }
  }

  /// Ends the use; call it once. The end of the process ends it too.
  func end() { DataFolderLock.giveBack(descriptor) }
}

/// The address of the cluster, and its roles and databases.
struct ClusterAddress: Sendable {
  /// The role that the server connects as; it owns the database and may create others, but is not a superuser.
  static let role = "ringfence"
  static let database = "ringfence"
  /// The role that initdb creates; for maintenance.
  static let superuser = "postgres"
  /// The port is only a part of the socket's name.
  static let port = 5432
  /// The longest path of a Unix socket in bytes, without the terminating zero.
  static let longestSocketPath = 107

  let socketFolder: String

  /// A libpq connection string; it includes host and port, so that PGHOST and PGPORT are ignored.
  func dsn(user: String, database: String) -> String {
    "host=\(Self.quoted(socketFolder)) port=\(Self.port) user=\(Self.quoted(user)) dbname=\(Self.quoted(database))"
  }

  /// The connection string for the superuser's tasks and for checking whether the cluster answers.
  var maintenanceDSN: String { dsn(user: Self.superuser, database: "postgres") }

  /// Whether a socket in this folder can be reached: short enough, and no comma, which libpq parses as a list.
  static func isUsable(socketFolder: String) -> Bool {
    "\(socketFolder)/.s.PGSQL.\(port)".utf8.count <= longestSocketPath && !socketFolder.contains(",")
  }

  private static func quoted(_ value: String) -> String {
    if !value.isEmpty, value.allSatisfy({ !$0.isWhitespace && $0 != "'" && $0 != "\\" }) { return value }
    return "'" + value.map { $0 == "'" || $0 == "\\" ? "\\\($0)" : "\($0)" }.joined() + "'"
  }
}
