// SPDX-License-Identifier: Apache-2.0

import CallerPack
import Foundation
import PostgreSQL
import Publishing
import Storage

/// Restores a checked backup into an empty context.
struct Restore {
  let context: CommandContext
  /// The backup's folder.
  let folder: String
  let manifest: BackupManifest

  func run(recounts: Bool) async throws {
    let store = context.stores.backup
    guard try await store.tables().isEmpty else {
      throw CommandFailure.failed("The database is not empty. Restore into a new one.")
    }
    try await fillDatabase()
    let tables = try await store.tables()
    for (name, rows) in manifest.tables.sorted(by: { $0.key < $1.key }) where tables[name] != rows {
      throw CommandFailure.failed("\(name) has \(tables[name] ?? 0) rows; the backup says \(rows).")
    }
    try await finish(recounts: recounts)
  }

  /// Restores keys, recipes and publications, and checks them with the database.
  func finish(recounts: Bool) async throws {
    for file in manifest.files where !isOfDatabase(file.path) { try putBack(file.path) }
    try await context.migrate(logger: .quiet)
    if recounts {
      let summary = try await context.stores.recount.recount(repairs: false)
      guard summary.differences == 0 else {
        throw CommandFailure.failed(
          "The sums of \(summary.damagedNumbers) numbers differ from their reports. Correct them with: ringfence recount --repair"
        )
      }
    }
    try checkPublication()
    try checkKeys()
  }

  private func isOfDatabase(_ path: String) -> Bool {
    path == BackupManifest.dump || manifest.base != nil && path.hasPrefix("\(BackupManifest.baseFiles)/")
  }

  private func fillDatabase() async throws {
    let version = manifest.postgresVersion / 10_000
    // Newer programs read older dumps; the server's version does not matter here.
    let program = try PostgresProgram.find("pg_restore", version: version, settings: context.folder.settings)
    let configuration = context.pool.configuration
    let name = try configuration.environment()["PGDATABASE"] ?? "ringfence"
    try await program.run(
      [
        "--dbname=\(name)", "--no-owner", "--no-privileges", "--no-password", "--single-transaction",
        "--exit-on-error", "\(folder)/\(BackupManifest.dump)",
      ], on: configuration)
  }

  private func putBack(_ path: String) throws {
    let isKey = path.hasPrefix("\(BackupManifest.keys)/")
    let name = isKey ? String(path.dropFirst(BackupManifest.keys.count + 1)) : path
    let known = isKey ? Backup.keyFiles.contains(name) : true
    guard known, isKey || path == BackupManifest.recipes || path.hasPrefix("\(BackupManifest.publications)/") else {
      throw CommandFailure.failed("The backup has a file that no backup has: \(path).")
    }
    try BackupFiles.copy("\(folder)/\(path)", to: "\(context.folder.path)/\(name)", mode: isKey ? 0o600 : 0o644)
  }

  /// Checks that the manifest is the one saved, its files are complete, and the newest root lists its key.
  private func checkPublication() throws {
    guard let saved = manifest.publication else { return }
    let folder = context.publicationFolder
    guard let shown = try folder.manifest(), shown.link.serial == saved.serial, shown.link.sha256 == saved.sha256 else {
      throw CommandFailure.failed("The publication is not the one that was saved.")
    }
    if let missing = folder.lacks(of: shown.manifest).first {
      throw CommandFailure.failed("\(missing) of the publication is not what its manifest says.")
    }
    guard let root = FileManager.default.contents(atPath: folder.filePath("root.json")),
      let file = FileManager.default.contents(atPath: folder.manifestPath)
    else { throw CommandFailure.failed("The publication has no root. Use another backup.") }
    do {
      // Verified for the time of its publication, because backups may be older than a manifest's validity.
      _ = try TrustStore(root: root).verify(manifest: file, at: shown.manifest.issued)
    } catch {
      throw CommandFailure.failed("The publication's signature is not good: \(error)")
    }
  }

  private func checkKeys() throws {
    guard manifest.hasKeys else { return }
    _ = try context.folder.pseudonymizer()
    guard let key = try context.folder.presentSigningKey(), let root = try context.publicationFolder.root() else {
      return
    }
    guard root.keys.contains(key.verifying) else {
      throw CommandFailure.failed("The signing key is none that the newest root lists: readers would refuse it.")
    }
  }
}
