// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ServerSupport
import CallerPack
import Curation
import Foundation
import Intake
import PostgreSQL
import Publishing
import Storage
import Support

struct BackupCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "backup", abstract: "Save the database, the keys, the recipes and the publications.",
    discussion: """
      The database is saved as of one moment, even while the server runs. A backup contains the keys: protect it \
      like the keys, or leave them out with --no-keys and store them separately.

      With --base, the backup has the files of the private PostgreSQL instead of a dump. From these and the archive of \
      serve --archive, ringfence restore can restore any later moment.

      With --keep, the target is a folder of backups: the new one has its time as its name, and older ones are deleted.
      """)

  @OptionGroup var database: DatabaseOptions

  @Option(\.pgBin) var pgBin: String?

  @Argument(help: "A folder that is not there yet, or a file whose name ends in .tar.")
  var target: String

  @Flag(inversion: .prefixedNo, help: "Save the keys too.")
  var keys = true

  @Flag(help: "Save the files of the private PostgreSQL, for recovery to a point in time.")
  var base = false

  @Option(help: .value("count", "Backups to keep in the folder, 1 to 1000; the target is this folder."))
  var keep: Int?

  func validate() throws { try check(keep, "--keep", in: 1...1_000) }

  func run() async throws {
    do {
      try await save()
    } catch {
      // Where the database itself is out of reach, nobody can be told.
      let event = Event(.backupFailed, at: Date(), ["reason": .text(String("\(error)".prefix(500)))])
      try? await CommandContext.open(Settings(of: self), migrates: false) {
        try await $0.stores.outbox.record(event, at: Date())
      }
      throw error
    }
  }

  private func save() async throws {
    var target = URL(filePath: target).standardizedFileURL.path
    let parent = target
    if keep != nil {
      try BackupFiles.makeFolder(parent)
      target += "/\(DatedBackups.name(at: Date()))"
    }
    guard !FileManager.default.fileExists(atPath: target) else {
      throw CommandFailure.unreadable("\(target) exists already. Give a new name; backups are never overwritten.")
    }
    for name in BackupFiles.leftovers(of: target) {
      print("\(name) is from a backup that was interrupted or is still running. Remove it if no backup runs.")
    }
    // An incomplete backup has a unique temporary name, because another backup may be running.
    let work = "\(target).\(UUID().uuidString.prefix(8)).partial"
    try BackupFiles.makeFolder(work)
    defer { try? FileManager.default.removeItem(atPath: work) }
    let isPacked = target.hasSuffix(".tar")
    let folder = isPacked ? "\(work)/files" : work
    if isPacked { try BackupFiles.makeFolder(folder) }
    let manifest = try await CommandContext.open(Settings(of: self), migrates: false) { context in
      let backup = Backup(context: context, folder: folder, withKeys: keys)
      return try await base ? backup.makeBase() : backup.make()
    }
    if isPacked {
      try await pack(folder, into: "\(work)/backup.tar", as: target)
    } else {
      try BackupFiles.name(work, target)
    }
    // Beside the backups, so that an older one gets the erasures since.
    let (data, beside) = (try DataFolder(existing: Settings(of: self)), (target as NSString).deletingLastPathComponent)
    try ErasureJournal(path: "\(beside)/\(ErasureJournal.fileName)").merge(try data.journal)
    try BackupFiles.flush(beside)
    BackupRecord.note(in: data)
    if let keep { try DatedBackups.deleteOldest(in: parent, keeping: keep) }
    let size = "\(TextFormat.count(manifest.files.count, "file")), \(manifest.files.map(\.bytes).reduce(0, +)) bytes"
    if let base = manifest.base {
      try BaseBackupRecord(madeAt: manifest.madeAt, firstSegment: base.firstSegment, target: target)
        .write(to: data)
      print("\(target): a base backup, \(size)")
      print("A recovery needs the archive from segment \(base.firstSegment) on.")
    } else {
      print("\(target): \(TextFormat.count(manifest.tables.values.reduce(0, +), "row")), \(size)")
    }
    print(
      manifest.hasKeys
        ? "It contains the keys. Keep it private."
        : "It contains no keys. Back up the keys of the data folder or the environment separately: without them, reporters "
          + "get new pseudonyms and clients refuse new publications.")
  }

  /// Packs a folder into a file in the private work folder, and renames the file.
  private func pack(_ folder: String, into file: String, as target: String) async throws {
    try BackupFiles.write(Data(), to: file)
    let (status, output, _) = try await ExternalProgram.run(
      "/usr/bin/env", ["tar", "--create", "--file=\(file)", "--directory=\(folder)", "."])
    guard status == 0 else { throw CommandFailure.unreadable("Cannot write \(target). \(output)") }
    try BackupFiles.flush(file)
    try BackupFiles.name(file, target)
  }
}

/// A folder of backups that are named by their time.
enum DatedBackups {
  /// The time of `name` sorts as text.
  static func name(at time: Date) -> String {
    "ringfence-\(Timestamp.format(time).filter { $0 != ":" && $0 != "-" }).tar"
  }

  static func deleteOldest(in folder: String, keeping count: Int) throws {
    let names = try FileManager.default.contentsOfDirectory(atPath: folder)
    for name in names.filter({ $0.wholeMatch(of: /ringfence-\d{8}T\d{6}Z\.tar/) != nil }).sorted().dropLast(count) {
      try FileManager.default.removeItem(atPath: "\(folder)/\(name)")
    }
  }
}

/// Saves a context into a folder while a server may be running.
///
/// The database is dumped before the publications are copied. A restored folder may thus have a publication that the
/// database has not recorded, which the next run corrects; the reverse cannot happen.
struct Backup {
  let context: CommandContext
  /// A new empty folder.
  let folder: String
  let withKeys: Bool

  static let keyFiles = [
    "pseudonym.key", "account.key", DataFolder.signingKeyFile, "signing.key.next", "webhook.secret", "metrics.token",
    "sample-app.key",
  ]
  /// Saved files of the data folder that are neither a setting nor published.
  static let keptFiles = keyFiles + [DemoData.endFile]

  func make() async throws -> BackupManifest {
    let dump = "\(folder)/\(BackupManifest.dump)"
    let configuration = context.pool.configuration
    // Made here, so that pg_dump does not choose its permissions.
    try BackupFiles.write(Data(), to: dump)
    let manifest = try await context.stores.backup.withSnapshot { snapshot in
      let program = try await PostgresProgram.find(
        "pg_dump", version: snapshot.serverVersion / 10_000, settings: context.folder.settings)
      let made = Timestamp.format(Date())
      // Without Citus, so that a dump of a cluster restores into any PostgreSQL. The schema uses no other extension.
      try await program.run(
        [
          "--format=custom", "--snapshot=\(snapshot.name)", "--extension=plpgsql", "--no-owner", "--no-privileges",
          "--no-password", "--encoding=UTF8", "--file=\(dump)",
        ], on: configuration)
      return BackupManifest(
        madeAt: made, isOfOneMoment: snapshot.isOfOneMoment, postgresVersion: snapshot.serverVersion,
        migrations: snapshot.migrations, tables: try await countRows(of: dump, in: snapshot), publication: nil,
        hasKeys: false, base: nil, files: [])
    }
    try BackupFiles.flush(dump)
    return try finish(manifest, with: [BackupManifest.dump])
  }

  /// Counts the rows in a dump, which has a line for each: on a cluster, the tables may have others by now.
  private func countRows(of dump: String, in snapshot: BackupStore.Snapshot) async throws -> [String: Int64] {
    let program = try await PostgresProgram.find(
      "pg_restore", version: snapshot.serverVersion / 10_000, settings: context.folder.settings)
    let script = #"""
      { "$0" --data-only --exit-on-error --file=- "$1" || echo failed; } | awk '
        table != "" { if ($0 == "\\.") table = ""; else rows[table]++; next }
        sub(/^COPY /, "") { sub(/ \(.*/, ""); table = $0 }
        $0 == "failed" { failed = 1 }
        END { if (failed || table != "") exit 1; for (name in rows) printf "%.0f %s\n", rows[name], name }'
      """#
    let (status, output, _) = try await ExternalProgram.run("/bin/sh", ["-c", script, program.path, dump])
    guard status == 0 else { throw program.failure(output) }
    var rows = Dictionary(snapshot.tables.values.map { ($0, Int64(0)) }) { first, _ in first }
    for line in output.split(separator: "\n") {
      let (count, name) = (line.prefix { $0 != " " }, line.drop { $0 != " " }.dropFirst())
      if let root = snapshot.tables[String(name)] { rows[root, default: 0] += Int64(count) ?? 0 }
    }
    return rows
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
    try Self.keptFiles.compactMap { name in
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
