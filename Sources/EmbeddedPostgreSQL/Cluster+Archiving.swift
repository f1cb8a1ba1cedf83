// SPDX-License-Identifier: Apache-2.0

import Foundation
import Logging

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

  /// Creates a cluster from files, such as those of a base backup.
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
