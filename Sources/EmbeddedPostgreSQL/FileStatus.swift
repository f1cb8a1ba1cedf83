// SPDX-License-Identifier: Apache-2.0

import Foundation

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

  /// Whether both are the same file.
  func isSame(as other: FileStatus) -> Bool { device == other.device && inode == other.inode }

  /// Whether the account has search permission on this folder by its permission bits.
  func isPassable(for account: Account) -> Bool {
    let bit: mode_t = uid == account.uid ? 0o100 : gid == account.gid ? 0o010 : 0o001
    return mode & bit != 0
  }
}
