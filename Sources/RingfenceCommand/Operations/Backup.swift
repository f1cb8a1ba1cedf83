// SPDX-License-Identifier: Apache-2.0

import CallerPack
import Foundation
import PostgreSQL
import Publishing
import Storage
import Timestamps

/// Saves a context into a folder while a server may be running.
///
/// The database is dumped before the publications are copied. A restored folder may thus have a publication that the
/// database has not recorded, which the next run corrects; the reverse cannot happen.
struct Backup {
  let context: CommandContext
  /// A new empty folder.
  let folder: String
  let withKeys: Bool

  /// Files of the data folder that hold secrets.
  static let keyFiles = [
    "pseudonym.key", "account.key", DataFolder.signingKeyFile, "signing.key.next", "webhook.secret", "metrics.token",
    "sample-app.key", "sample-end",
  ]

  func make() async throws -> BackupManifest {
    let dump = "\(folder)/\(BackupManifest.dump)"
    let configuration = context.pool.configuration
    // Made here, so that pg_dump does not choose its permissions.
    try BackupFiles.write(Data(), to: dump)
    let manifest = try await context.stores.backup.withSnapshot { snapshot in
      let program = try PostgresProgram.find(
        "pg_dump", version: snapshot.serverVersion / 10_000, settings: context.folder.settings)
      let made = Timestamp.format(Date())
      try await program.run(
        [
          "--format=custom", "--snapshot=\(snapshot.name)", "--no-owner", "--no-privileges", "--no-password",
          "--file=\(dump)",
        ], on: configuration)
      return BackupManifest(
        madeAt: made, postgresVersion: snapshot.serverVersion, migrations: snapshot.migrations,
        tables: snapshot.tables, publication: nil, hasKeys: false, base: nil, files: [])
    }
    try BackupFiles.flush(dump)
    return try finish(manifest, with: [BackupManifest.dump])
  }

  /// Adds keys, recipes and publications, and writes the manifest.
  /// - Parameter paths: files of the database, relative to the folder.
  func finish(_ begun: BackupManifest, with paths: [String]) throws -> BackupManifest {
    var manifest = begun
    let keys = try withKeys ? copyKeys() : []
    var paths = paths + keys
    manifest.hasKeys = !keys.isEmpty
    let recipes = "\(context.folder.path)/\(BackupManifest.recipes)"
    if FileManager.default.fileExists(atPath: recipes) {
      try BackupFiles.copy(recipes, to: "\(folder)/\(BackupManifest.recipes)")
      paths.append(BackupManifest.recipes)
    }
    let (publication, files) = try copyPublications()
    manifest.publication = publication
    manifest.files = try (paths + files).sorted().map { try BackupFiles.described($0, in: folder) }
    try manifest.write(to: folder)
    try BackupFiles.flush(folder)
    return manifest
  }

  private func copyKeys() throws -> [String] {
    try Self.keyFiles.compactMap { name in
      let source = "\(context.folder.path)/\(name)"
      guard FileManager.default.fileExists(atPath: source) else { return nil }
      try BackupFiles.copy(source, to: "\(folder)/\(BackupManifest.keys)/\(name)")
      return "\(BackupManifest.keys)/\(name)"
    }
  }

  /// Tries again if a server publishes meanwhile and removes old files.
  private func copyPublications() throws -> (BackupManifest.Newest?, [String]) {
    for _ in 0..<10 {
      let target = "\(folder)/\(BackupManifest.publications)"
      try? FileManager.default.removeItem(atPath: target)
      if let copied = try copyPublications(to: target) { return copied }
    }
    throw CommandFailure.failed("Publications came faster than they could be copied. Try again in a minute.")
  }

  /// - Returns: nil if the folder changed during the copy.
  private func copyPublications(to target: String) throws -> (BackupManifest.Newest?, [String])? {
    let source = context.publicationFolder
    guard let before = try source.manifest() else { return (nil, []) }
    var files: [String] = []
    for folder in ["roots"] + PublicationFolder.folders {
      let names = (try? FileManager.default.contentsOfDirectory(atPath: "\(source.path)/\(folder)")) ?? []
      files += names.filter { !$0.hasPrefix(".") && !$0.hasSuffix(".tmp") }.map { "\(folder)/\($0)" }
    }
    files += ["root.json", "manifest.json"].filter { FileManager.default.fileExists(atPath: source.filePath($0)) }
    for file in files {
      guard (try? BackupFiles.copy(source.filePath(file), to: "\(target)/\(file)", mode: 0o644)) != nil else {
        if FileManager.default.fileExists(atPath: source.filePath(file)) { continue }
        return nil
      }
    }
    let copy = PublicationFolder(path: target)
    guard let after = try? copy.manifest(), after.link == before.link, copy.lacks(of: after.manifest).isEmpty else {
      return nil
    }
    return (
      BackupManifest.Newest(serial: after.link.serial, sha256: after.link.sha256),
      files.map { "\(BackupManifest.publications)/\($0)" }
    )
  }
}

extension PublicationFolder {
  /// Files in a manifest that are missing or have another content.
  func lacks(of manifest: Manifest) -> [String] {
    var files: [(path: String, sha256: String)] = []
    for pack in manifest.packs {
      files.append((pack.path, pack.sha256))
      for delta in pack.deltas { files.append((delta.path, delta.sha256)) }
      for format in pack.formats { files.append((format.path, format.sha256)) }
    }
    return files.filter { (try? PackDigest.ofFile(filePath($0.path)))?.hex != $0.sha256 }.map(\.path)
  }
}
