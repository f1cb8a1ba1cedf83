// SPDX-License-Identifier: Apache-2.0

import Foundation

/// An account of the operating system.
struct Account: Sendable, Equatable {
  let name: String
  let uid: uid_t
  let gid: gid_t

  /// The account of this process.
  static func current() throws(EmbeddedPostgresError) -> Account { try named(geteuid()) }

  /// The account that is made for root's clusters and for nothing else.
  static let ownName = "ringfence"

  /// The account that runs the cluster: this process's own, or for root the owner of the cluster there is, or else a
  /// new cluster's.
  static func forCluster(existing data: String) throws(EmbeddedPostgresError) -> Account {
    guard geteuid() == 0 else { return try current() }
    if let status = FileStatus(data), status.uid != 0 { return try named(status.uid) }
    return try forNewCluster { find($0) }
  }

  /// The account of a cluster that root makes: `ringfence`, or else `postgres`, which other clusters may share.
  ///
  /// The account `nobody` is never taken: programs that have least rights run as it.
  /// - Throws: ``EmbeddedPostgresError/noUnprivilegedAccount``.
  static func forNewCluster(find: (String) -> Account?) throws(EmbeddedPostgresError) -> Account {
    guard let account = find(ownName) ?? find("postgres") else { throw .noUnprivilegedAccount }
    return account
  }

  /// Whether programs other than this server usually run as the account, and can then read the cluster.
  var isShared: Bool { ["postgres", "nobody"].contains(name) }

  private static func named(_ uid: uid_t) throws(EmbeddedPostgresError) -> Account {
    guard let account = lookUp({ getpwuid_r(uid, $0, $1, $2, $3) }) else { throw .accountWithoutName(uid: uid) }
    return account
  }

  static func find(_ name: String) -> Account? { lookUp { getpwnam_r(name, $0, $1, $2, $3) } }

  private typealias Query = (
    UnsafeMutablePointer<passwd>, UnsafeMutablePointer<CChar>, Int, UnsafeMutablePointer<UnsafeMutablePointer<passwd>?>
  ) -> Int32

  private static func lookUp(_ query: Query) -> Account? {
    var entry = passwd()
    var found: UnsafeMutablePointer<passwd>?
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 16384) { buffer in
      guard query(&entry, buffer.baseAddress!, buffer.count, &found) == 0, let found else { return nil }
      return Account(name: String(cString: found.pointee.pw_name), uid: found.pointee.pw_uid, gid: found.pointee.pw_gid)
    }
  }
}

/// The status of a file, by default without following a link at the end of its path.
struct FileStatus: Equatable {
  let device: dev_t
  let inode: ino_t
  let uid: uid_t
  let gid: gid_t
  let mode: mode_t
  let size: Int

  init?(_ path: String, followingLink: Bool = false) {
    var status = stat()
    guard (followingLink ? stat(path, &status) : lstat(path, &status)) == 0 else { return nil }
    device = status.st_dev
    inode = status.st_ino
    uid = status.st_uid
    gid = status.st_gid
    mode = status.st_mode
    size = Int(status.st_size)
  }

  var isFolder: Bool { mode & S_IFMT == S_IFDIR }

  func isSame(as other: FileStatus) -> Bool { device == other.device && inode == other.inode }

  /// Whether the account has search permission on this folder by its permission bits.
  func isPassable(for account: Account) -> Bool {
    let bit: mode_t = uid == account.uid ? 0o100 : gid == account.gid ? 0o010 : 0o001
    return mode & bit != 0
  }
}
