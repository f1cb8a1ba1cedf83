// SPDX-License-Identifier: Apache-2.0

import FileSupport
import Foundation

/// The folder to which PostgreSQL copies its write-ahead log: a file `NAME.gz` for each segment, and `archive-id`.
///
/// An archive belongs to one history of one cluster, which keeps the same id in ``ArchiveState``. A restored or new data
/// folder has another history and must not write into the archive of the earlier one.
struct ArchiveFolder: Sendable {
  let archive: EmbeddedPostgres.Archive
  let account: Account

  /// The descriptor under which PostgreSQL receives the open folder when the server is root.
  static let handedFolder: Int32 = 4

  private var path: String { archive.folder }
  private var idPath: String { "\(path)/archive-id" }

  /// The folder's path for PostgreSQL.
  var pathForServer: String { geteuid() == 0 ? "/proc/self/fd/\(Self.handedFolder)" : path }

  /// Creates the folder unless it exists, and claims an empty one for the cluster.
  /// - Parameters:
  ///   - id: of the cluster's archive.
  ///   - dataFolder: must not contain the archive.
  /// - Throws: ``EmbeddedPostgresError/archiveUnusable(folder:reason:)``.
  func prepare(id: String, dataFolder: String) throws(EmbeddedPostgresError) {
    guard !"\(path)/".hasPrefix("\(dataFolder)/") else {
      throw unusable("it is inside the data folder and would be lost with it. Choose a folder on another disk")
    }
    try makeFolder()
    if let found = try? String(contentsOfFile: idPath, encoding: .utf8) {
      guard found == id else {
        throw unusable(
          "it belongs to another data folder, or to this one before a restore. Choose an empty folder")
      }
    } else {
      guard try names().isEmpty else {
        throw unusable("it has files that are no archive. Choose an empty folder")
      }
      do { try PrivateFile.create(idPath, Data(id.utf8)) } catch { throw unusable(error.reason) }
    }
    for name in try names() where name.hasPrefix(".") && name.hasSuffix(".new") { unlink("\(path)/\(name)") }
  }

  private func makeFolder() throws(EmbeddedPostgresError) {
    if FileStatus(path, followingLink: true) == nil {
      do { try PrivateFile.makeFolder(path) } catch { throw unusable(error.reason) }
    }
    guard let status = FileStatus(path, followingLink: true), status.isFolder else {
      throw unusable("it is not a folder")
    }
    guard geteuid() == 0 else {
      guard access(path, W_OK | X_OK) == 0 else { throw unusable(SystemError.current) }
      return
    }
    // Only an empty folder of root gets a new owner.
    if status.uid == 0, try names().isEmpty {
      guard chown(path, account.uid, account.gid) == 0, chmod(path, 0o700) == 0 else {
        throw unusable(SystemError.current)
      }
    } else if status.uid != account.uid {
      throw unusable("PostgreSQL runs as the user \(account.name), which does not own it. Change its owner with chown")
    }
  }

  private func names() throws(EmbeddedPostgresError) -> [String] {
    do {
      return try FileManager.default.contentsOfDirectory(atPath: path).filter { $0 != "lost+found" }
    } catch {
      throw unusable(SystemError.current)
    }
  }

  private func unusable(_ reason: String) -> EmbeddedPostgresError { .archiveUnusable(folder: path, reason: reason) }

  /// The `archive_command`: copies a segment under a temporary name, flushes it, and renames it.
  ///
  /// An archived segment is never replaced. PostgreSQL repeats the command after a crash; it succeeds when the content is
  /// the same and fails otherwise.
  /// - Parameter folder: the archive's path for the process that runs it.
  func command(folder: String) -> String {
    """
    a=\(Self.quoted(folder)); f="$a/%f.gz"; t="$a/.%f.$$.new"; \
    if test -e "$f"; then \
    gzip -dc "$f" | cmp -s - "%p" || { echo "$f exists with other content" >&2; exit 1; }; sync "$f" "$a"; \
    else gzip -nc1 "%p" > "$t" && sync "$t" && mv -n "$t" "$f" && test ! -e "$t" && sync "$a"; \
    s=$?; rm -f "$t"; exit $s; fi
    """
  }

  /// The `restore_command` for an archive.
  static func restoreCommand(_ folder: String) -> String {
    let file = "\(quoted(folder))/%f.gz"
    return "test -f \(file) && gzip -dc \(file) > \"%p\""
  }

  /// Quotes a path for a shell, in a setting where `%` begins a placeholder.
  private static func quoted(_ path: String) -> String {
    "'" + path.replacing("'", with: "'\\''").replacing("%", with: "%%") + "'"
  }
}

/// A cluster's record of its archive, in `archive.json` beside its data.
struct ArchiveState: Codable {
  /// The id of the archive's history.
  var id: String
  /// Nil where the log is not archived.
  var archive: EmbeddedPostgres.Archive? = nil

  private static let name = "archive.json"

  /// - Throws: ``EmbeddedPostgresError/folderUnusable(folder:reason:)`` when the file is damaged.
  static func read(_ root: String) throws(EmbeddedPostgresError) -> ArchiveState? {
    guard let data = FileManager.default.contents(atPath: "\(root)/\(name)") else { return nil }
    do {
      return try JSONDecoder().decode(ArchiveState.self, from: data)
    } catch {
      throw .folderUnusable(folder: "\(root)/\(name)", reason: "it is damaged")
    }
  }

  func write(to root: String) throws(EmbeddedPostgresError) {
    let path = "\(root)/\(Self.name)"
    do {
      try CompleteFile.replace(path, with: try JSONEncoder().encode(self), temporary: "\(path).new", flushing: .file)
    } catch {
      throw .folderUnusable(folder: path, reason: (error as? FileFailure)?.reason ?? "it cannot be encoded")
    }
  }
}
