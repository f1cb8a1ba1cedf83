// SPDX-License-Identifier: Apache-2.0

import ServerSupport
import PostgreSQL
import Support
import Foundation
import Storage

extension Backup {
  /// Saves the files of the running private PostgreSQL, with the log that makes them consistent.
  ///
  /// Like ``make()``, it copies the publications after the database.
  func makeBase() async throws -> BackupManifest {
    guard let dsn = EmbeddedPostgres.runningMaintenanceDSN(dataFolder: context.folder.path) else {
      throw CommandFailure.failed(
        "--base saves the private PostgreSQL, and DATABASE_URL names another server. Use pg_basebackup for it.")
    }
    let (version, migrations) = try await context.stores.backup.versions()
    let made = Timestamp.format(Date())
    let files = "\(folder)/\(BackupManifest.baseFiles)"
    let program = try await PostgresProgram.find(
      "pg_basebackup", version: version / 10_000, settings: context.folder.settings)
    try await program.run(
      [
        "--format=tar", "--compress=1", "--wal-method=stream", "--checkpoint=fast", "--no-password",
        "--label=ringfence", "--pgdata=\(files)",
      ], on: PostgresConfiguration(dsn))
    let paths = try FileManager.default.contentsOfDirectory(atPath: files).map { "\(BackupManifest.baseFiles)/\($0)" }
    let (status, label, _) = try await ExternalProgram.run(
      "/usr/bin/env",
      ["tar", "--extract", "--gzip", "--to-stdout", "--occurrence=1", "--file=\(files)/base.tar.gz", "backup_label"])
    guard status == 0, let segment = label.firstMatch(of: /START WAL LOCATION: .* \(file ([0-9A-F]{24})\)/) else {
      throw CommandFailure.failed("The base backup has no backup_label. Make it again.")
    }
    let manifest = BackupManifest(
      madeAt: made, postgresVersion: version, migrations: migrations, tables: [:], publication: nil, hasKeys: false,
      base: BackupManifest.Base(firstSegment: String(segment.1)), files: [])
    return try finish(manifest, with: paths)
  }
}

/// A data folder's newest base backup, in its file `base-backup.json`, for `doctor`.
struct BaseBackupRecord: Codable {
  /// RFC 3339.
  let madeAt: String
  /// The segment of the write-ahead log with which a recovery begins.
  let firstSegment: String
  let target: String

  private static func path(_ folder: DataFolder) -> String { "\(folder.path)/base-backup.json" }

  static func read(_ folder: DataFolder) -> BaseBackupRecord? {
    FileManager.default.contents(atPath: path(folder)).flatMap {
      try? JSONDecoder().decode(BaseBackupRecord.self, from: $0)
    }
  }

  func write(to folder: DataFolder) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let data = try encoder.encode(self)
    do throws(FileFailure) {
      try CompleteFile.replace(Self.path(folder), with: data, flushing: .file)
    } catch {
      throw CommandFailure.unreadable("\(error.path) cannot be written: \(error.reason).")
    }
  }
}

/// Restores the files of a checked base backup, and later transactions from an archive.
struct BaseRestore {
  let settings: Settings
  let folder: String
  let base: BackupManifest.Base
  /// Folder of the archive; nil restores only the base backup.
  let archive: String?
  /// Time up to which transactions are restored, RFC 3339; nil restores everything.
  let until: String?

  /// Creates the cluster of the data folder and recovers it.
  /// - Returns: the end of the recovery.
  func run() async throws -> EmbeddedPostgres.Replayed? {
    let data = try DataFolder(settings)
    let gap = try gap()
    if let gap { print("The archive has no segment \(gap). Nothing after it can be restored.") }
    try await EmbeddedPostgres.makeCluster(dataFolder: data.path, archive: archive) { path in
      let files = "\(folder)/\(BackupManifest.baseFiles)"
      try await unpack("\(files)/base.tar.gz", into: path)
      try await unpack("\(files)/pg_wal.tar.gz", into: "\(path)/pg_wal")
    }
    let step = StatusLine("Restoring")
    let options = EmbeddedPostgres.Options(
      dataFolder: data.path, programs: try settings.pgBin, archiving: .off,
      recovery: EmbeddedPostgres.Recovery(archive: archive, until: until))
    let cluster = try await EmbeddedPostgres.start(options, logger: .quiet, progress: { step.say($0) })
    let replayed: EmbeddedPostgres.Replayed?
    do {
      replayed = try await cluster.replayed()
    } catch {
      try? await cluster.stop()
      throw error
    }
    try await cluster.stop()
    step.finish()
    if gap == nil { try await checkEnd(replayed) }
    return replayed
  }

  private func unpack(_ file: String, into folder: String) async throws {
    let (status, output, _) = try await ExternalProgram.run(
      "/usr/bin/env", ["tar", "--extract", "--gzip", "--no-same-owner", "--file=\(file)", "--directory=\(folder)"])
    guard status == 0 else { throw CommandFailure.failed("\(file) cannot be unpacked: \(output)") }
  }

  private func gap() throws -> WALSegment? {
    guard let archive, let first = WALSegment(base.firstSegment) else { return nil }
    let segments = try WALArchive(folder: archive)
    guard !segments.segments.isEmpty else {
      throw CommandFailure.failed("\(archive) has no segment of a write-ahead log. Pass the folder of serve --archive.")
    }
    return segments.gap(from: first)
  }

  /// Checks that the recovery reached the newest segment: PostgreSQL ends it without an error at a damaged one.
  private func checkEnd(_ replayed: EmbeddedPostgres.Replayed?) async throws {
    guard until == nil, let archive, let end = replayed?.end, let first = WALSegment(base.firstSegment),
      let newest = try WALArchive(folder: archive).newest(timeline: first.timeline)
    else { return }
    let last = WALSegment(timeline: first.timeline, number: end / WALSegment.bytes)
    guard last >= newest else {
      // A record may begin in one segment and end in the next, which is damaged.
      let test = try await ExternalProgram.run("/usr/bin/env", ["gzip", "--test", "\(archive)/\(last).gz"])
      let last = test.status == 0 ? last.next : last
      throw CommandFailure.failed(
        "Segment \(last) of the archive is damaged, and the archive continues to \(newest). Remove the new data folder. "
          + "Then copy the segment from elsewhere and try again, or restore with an earlier --to.")
    }
  }
}
