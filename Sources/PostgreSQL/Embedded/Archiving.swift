// SPDX-License-Identifier: Apache-2.0

import Support
import Foundation
import Logging

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

extension Cluster {
  /// Prepares the archive of the options, and records it for ``EmbeddedPostgres/Archiving/asBefore``.
  /// - Returns: nil where the log is not archived.
  func prepareArchive(_ folder: ClusterFolder) throws(EmbeddedPostgresError) -> ArchiveFolder? {
    // The recovered log is in an archive already.
    guard options.recovery == nil else { return nil }
    let known = try ArchiveState.read(folder.root)
    var wanted: EmbeddedPostgres.Archive?
    switch options.archiving {
    case .asBefore: wanted = known?.archive
    case .off: break
    case .on(let archive): wanted = archive
    }
    if known == nil, wanted == nil { return nil }
    var state = known ?? ArchiveState(id: UUID().uuidString)
    // Written before the archive has the id: no cluster could use an archive whose id is lost.
    if known == nil { try state.write(to: folder.root) }
    let archive = wanted.map { ArchiveFolder(archive: $0, account: folder.account) }
    try archive?.prepare(id: state.id, dataFolder: folder.dataFolder)
    if state.archive != wanted {
      state.archive = wanted
      try state.write(to: folder.root)
    }
    return archive
  }

  /// Brings the cluster up. When a recovery ends too early, the error has the time at which the archive ends.
  func bringUpRecovering(
    _ folder: ClusterFolder, _ binaries: ServerBinaries, _ configuration: ClusterConfiguration
  ) throws -> Postmaster {
    do {
      return try bringUp(folder, binaries, configuration)
    } catch EmbeddedPostgresError.startFailed(let log) {
      guard let until = options.recovery?.until, log.contains("before configured recovery target was reached") else {
        throw EmbeddedPostgresError.startFailed(log: log)
      }
      let last = log.matches(of: /last completed transaction was at log time ([0-9-]+) ([0-9:.]+)\+00/).last
      throw EmbeddedPostgresError.archiveTooShort(until: until, last: last.map { "\($0.1)T\($0.2)Z" })
    }
  }

  /// The end of this start's recovery; nil after an ordinary start.
  func replayed() throws -> EmbeddedPostgres.Replayed? {
    guard let open = state, options.recovery != nil else { return nil }
    let connection = try ServerConnection(dsn: open.folder.address.maintenanceDSN)
    let time = try connection.value(
      """
      SELECT to_char(pg_last_xact_replay_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
      """)
    let end = try connection.value("SELECT pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0')::bigint")
    return EmbeddedPostgres.Replayed(lastTransaction: time, end: end.flatMap { UInt64($0) })
  }
}

extension ClusterFolder {
  /// Makes PostgreSQL recover at its next start.
  func requestRecovery() throws(EmbeddedPostgresError) {
    let path = data + "/recovery.signal"
    let descriptor = open(path, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw .folderUnusable(folder: path, reason: SystemError.current) }
    defer { close(descriptor) }
    let owner = FileStatus(data)
    guard geteuid() != 0 || fchown(descriptor, owner?.uid ?? account.uid, owner?.gid ?? account.gid) == 0 else {
      throw .folderUnusable(folder: path, reason: SystemError.current)
    }
  }
}

extension EmbeddedPostgres {
  /// The end of a recovery.
  public struct Replayed: Sendable, Equatable {
    /// Commit time of the last restored transaction, RFC 3339 with milliseconds; nil when the log has none after the base
    /// backup.
    public let lastTransaction: String?
    /// Position in the write-ahead log, in bytes, where the recovery ended.
    public let end: UInt64?
  }

  /// The archive of the cluster in a data folder; nil where its log is not archived.
  /// - Throws: ``EmbeddedPostgresError``.
  public static func archive(dataFolder: String) throws -> Archive? {
    try ArchiveState.read(ClusterFolder.root(in: dataFolder))?.archive
  }

  /// Creates a cluster from files, such as a base backup.
  ///
  /// The data folder has the cluster after `fill` has returned, and nothing when it throws.
  /// - Parameters:
  ///   - dataFolder: has no cluster yet.
  ///   - archive: folder of the archive. When this process is root, PostgreSQL runs as its owner.
  ///   - fill: writes the files into a folder.
  /// - Throws: ``EmbeddedPostgresError``, and what `fill` throws.
  public static func makeCluster(
    dataFolder: String, archive: String?, _ fill: (String) async throws -> Void
  ) async throws {
    let dataFolder = try ClusterFolder.prepareDataFolder(dataFolder)
    let lock = try DataFolderLock(folder: dataFolder)
    defer { lock.release() }
    let folder = try ClusterFolder(dataFolder: dataFolder)
    guard FileStatus(folder.data) == nil else {
      throw EmbeddedPostgresError.folderUnusable(folder: folder.data, reason: "it already has a cluster")
    }
    let path = "\(folder.root)/initialising-\(getpid())"
    try ClusterFolder.makeFolder(path, owner: folder.account.uid, group: folder.account.gid, mode: 0o700)
    do {
      try await fill(path)
      if geteuid() == 0 {
        let owner = archive.flatMap { FileStatus($0, followingLink: true) }.flatMap { $0.uid == 0 ? nil : $0 }
        let (uid, gid) = (owner?.uid ?? folder.account.uid, owner?.gid ?? folder.account.gid)
        for name in [""] + (try FileManager.default.subpathsOfDirectory(atPath: path)) {
          guard lchown("\(path)/\(name)", uid, gid) == 0 else {
            throw EmbeddedPostgresError.folderUnusable(folder: "\(path)/\(name)", reason: SystemError.current)
          }
        }
      }
      guard chmod(path, 0o700) == 0, rename(path, folder.data) == 0 else {
        throw EmbeddedPostgresError.folderUnusable(folder: folder.data, reason: SystemError.current)
      }
    } catch {
      try? FileManager.default.removeItem(atPath: path)
      throw error
    }
  }
}
