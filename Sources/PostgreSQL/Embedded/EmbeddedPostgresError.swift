// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The reason why the private cluster could not be started or stopped, in plain English with the remedy.
public enum EmbeddedPostgresError: Error, CustomStringConvertible, Equatable {
  /// No PostgreSQL server 15 or later in the places that were searched.
  case binariesNotFound(searched: [String])
  case binariesUnusable(path: String, reason: String)
  /// Another server holds the data folder's lock.
  case folderInUse(folder: String, pid: Int32?)
  /// The folder, or something in it, cannot be created, read or written.
  case folderUnusable(folder: String, reason: String)
  /// PostgreSQL cannot archive its write-ahead log in the folder.
  case archiveUnusable(folder: String, reason: String)
  /// The archive ends before the time of the recovery; `last` is the time of its last transaction.
  case archiveTooShort(until: String, last: String?)
  /// The unprivileged account has no search permission on `folder`.
  case folderNotPassable(folder: String, account: String)
  /// No folder with a path short enough for a Unix socket (107 bytes) could be created privately.
  case socketFolderUnusable(folder: String, reason: String)
  /// The server runs as root, which PostgreSQL refuses, and there is no other account.
  case noUnprivilegedAccount
  /// The user id has no name, which PostgreSQL needs.
  case accountWithoutName(uid: UInt32)
  /// A setting's name is not a name, or its value has a line break.
  case invalidSetting(name: String)
  /// The cluster in `folder` was created by another major version.
  case versionMismatch(folder: String, folderVersion: Int, binariesVersion: Int)
  /// initdb failed; `output` has its last lines.
  case initialisationFailed(output: String)
  /// PostgreSQL ended while starting; `log` has the last lines of its log.
  case startFailed(log: String)
  /// PostgreSQL did not answer in `seconds`; `log` has the last lines of its log.
  case startTimedOut(seconds: Int, log: String)
  /// The role or the database could not be created.
  case databaseUnavailable(reason: String)
  /// The postmaster did not end after any signal.
  case stopFailed(pid: Int32)

  /// The cause and the remedy, in plain English.
  public var description: String {
    switch self {
    case .binariesNotFound(let searched):
      "PostgreSQL 15 or later was not found (searched: \(searched.joined(separator: ", "))). "
        + "Install it (Debian: apt install postgresql), name its folder in RINGFENCE_PG_BIN, "
        + "or set DATABASE_URL to a server that runs elsewhere."
    case .binariesUnusable(let path, let reason):
      "\(path) cannot be used: \(reason)."
    case .folderInUse(let folder, let pid):
      "The data folder \(folder) is in use by another server\(pid.map { " (process \($0))" } ?? ""). "
        + "Stop that one first, or give this one a folder of its own with --data."
    case .folderUnusable(let folder, let reason):
      "\(folder) cannot be used: \(reason). Check its owner and permissions, or choose another folder with --data."
    case .archiveUnusable(let folder, let reason):
      "\(folder) cannot be used as the archive: \(reason)."
    case .archiveTooShort(let until, let last):
      "The archive ends before \(until): its last transaction was committed at \(last ?? "an unknown time"). "
        + "Remove the new data folder. Then restore with an earlier --to, or without --to to restore everything."
    case .folderNotPassable(let folder, let account):
      "PostgreSQL runs as the user \(account), which cannot enter \(folder). "
        + "Let others enter it (chmod o+x \(folder)), or choose another folder with --data."
    case .socketFolderUnusable(let folder, let reason):
      "No folder for PostgreSQL's socket: \(folder): \(reason). "
        + "Remove it, or choose a data folder with a shorter path (at most 75 bytes, no comma) with --data."
    case .noUnprivilegedAccount:
      "PostgreSQL does not run as root, and there is neither an account ringfence nor an account postgres. "
        + "Create one (useradd --system --user-group ringfence), or run the server as an ordinary user."
    case .accountWithoutName(let uid):
      "The user id \(uid) has no name, and PostgreSQL needs one. Add it to /etc/passwd, or set DATABASE_URL."
    case .invalidSetting(let name):
      "\(name) is not a PostgreSQL setting, or its value has a line break."
    case .versionMismatch(let folder, let folderVersion, let binariesVersion):
      "The cluster in \(folder) was made by PostgreSQL \(folderVersion); the server found is \(binariesVersion). "
        + "Install PostgreSQL \(folderVersion) (Debian: apt install postgresql-\(folderVersion)), or name the folder of its "
        + "programs in RINGFENCE_PG_BIN."
        + (folderVersion < binariesVersion
          ? " Then ringfence upgrade-postgresql moves the data to version \(binariesVersion). Without PostgreSQL "
            + "\(folderVersion), restore a backup into a new folder: ringfence restore BACKUP --data NEW."
          : "")
    case .initialisationFailed(let output):
      "PostgreSQL's initdb failed; nothing was left behind. Its last lines:\n\(output)"
    case .startFailed(let log):
      "PostgreSQL did not start. The last lines of its log:\n\(log)"
    case .startTimedOut(let seconds, let log):
      "PostgreSQL did not answer in \(seconds) seconds. Start again to go on waiting. The last lines of its log:\n\(log)"
    case .databaseUnavailable(let reason):
      "PostgreSQL runs, but its database could not be prepared: \(reason)"
    case .stopFailed(let pid):
      "PostgreSQL (process \(pid)) did not stop, not even when killed. The machine's storage may be stuck."
    }
  }
}

/// The text of an error of the operating system.
enum SystemError {
  /// The text of the current errno, such as "Permission denied".
  static var current: String { String(cString: strerror(errno)) }
}
