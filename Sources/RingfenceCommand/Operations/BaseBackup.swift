// SPDX-License-Identifier: Apache-2.0

import EmbeddedPostgreSQL
import FileSupport
import Foundation
import PostgreSQL
import Storage
import Timestamps

extension Backup {
  /// Saves the files of the running private PostgreSQL, with the log that makes them consistent.
  ///
  /// Like ``make()``, it copies the publications after the database.
  func makeBase() async throws -> BackupManifest {
    guard let dsn = EmbeddedPostgres.runningMaintenanceDSN(dataFolder: context.folder.path) else {
      throw CommandFailure.failed(
        "--base saves the private PostgreSQL, and DATABASE_URL names another one. Use pg_basebackup for that one.")
    }
    let (version, migrations) = try await context.stores.backup.versions()
    let made = Timestamp.format(Date())
    let files = "\(folder)/\(BackupManifest.baseFiles)"
    let program = try PostgresProgram.find(
      "pg_basebackup", version: version / 10_000, settings: context.folder.settings)
    try await program.run(
      [
        "--format=tar", "--compress=1", "--wal-method=stream", "--checkpoint=fast", "--no-password",
        "--label=ringfence", "--pgdata=\(files)",
      ], on: PostgresConfiguration(dsn))
    let paths = try FileManager.default.contentsOfDirectory(atPath: files).map { "\(BackupManifest.baseFiles)/\($0)" }
    let (status, label) = try await ExternalProgram.run(
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
  /// Path of the backup.
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
