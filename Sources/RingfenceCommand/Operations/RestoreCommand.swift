// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ServerSupport
import CallerPack
import PostgreSQL
import Foundation
import Intake
import Publishing
import Storage
import Support

struct RestoreCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore", abstract: "Restore a backup into a new data folder and an empty database.",
    discussion: """
      Every file is checked before anything is written. Afterwards, everything that was restored is checked: rows, the \
      sums of reports, the publication and its signature, the keys. Existing data is never overwritten.

      From a base backup, everything in the archive is restored, or everything up to the time of --to. The output has the \
      time of the last restored transaction. The restored server needs a new archive, in an empty folder.
      """)

  @OptionGroup var database: DatabaseOptions

  @Argument(help: "A backup that ringfence backup wrote: a folder or a .tar file.")
  var backup: String

  @Option(help: .value("folder", "Archive of the lost server (serve --archive), for a base backup."))
  var archive: String?

  @Option(
    help: .value(
      "time", "Restore the state of this time, such as 2026-11-22T03:00:00Z. Needs a base backup and its archive."))
  var to: String?

  @Option(
    help: .value(
      "file", "Erasure journal to apply; can be repeated. Without it, erasures.jsonl in the folder of the backup."))
  var erasures: [String] = []

  @Option(
    help: .value(
      "serial",
      "The highest serial that clients have seen. Without it, as many serials are skipped as the backup is old in seconds, and 86,400 more."
    ))
  var serialFloor: Int64?

  @Flag(inversion: .prefixedNo, help: "Recount the sums of all reports.")
  var recount = true

  func validate() throws {
    guard let serialFloor, !Restore.serialFloors.contains(serialFloor) else { return }
    throw ValidationError("--serial-floor is \(serialFloor). Use 1 to \(Restore.serialFloors.upperBound).")
  }

  func run() async throws {
    let source = URL(filePath: backup).standardizedFileURL.path
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: source, isDirectory: &isFolder) else {
      throw CommandFailure.unreadable("\(source) is not there.")
    }
    if isFolder.boolValue { return try await restore(from: source) }
    let work = FileManager.default.temporaryDirectory.appending(path: "ringfence-restore-\(UUID().uuidString)").path
    try BackupFiles.makeFolder(work)
    defer { try? FileManager.default.removeItem(atPath: work) }
    let (status, output, _) = try await ExternalProgram.run(
      "/usr/bin/env",
      ["tar", "--extract", "--no-same-owner", "--no-same-permissions", "--file=\(source)", "--directory=\(work)"])
    guard status == 0 else { throw CommandFailure.failed("\(source) cannot be unpacked: \(output)") }
    try await restore(from: work)
  }

  private func restore(from folder: String) async throws {
    let manifest = try BackupManifest.checked(in: folder)
    let journals = try journals()
    let data = URL(filePath: try database.settings().data).standardizedFileURL.path
    let there = (try? FileManager.default.contentsOfDirectory(atPath: data)) ?? []
    guard there.isEmpty else {
      throw CommandFailure.failed(
        "\(data) is not empty. Restore into a new folder with --data, or move this one away first.")
    }
    // Before anything is written; the database of a base backup may have a later serial.
    try Restore.check(serialFloor: serialFloor, known: manifest.publication?.serial ?? 0)
    let baseRestore = try baseRestore(folder, manifest)
    var replayed: EmbeddedPostgres.Replayed?
    var floor: Int64?
    do {
      replayed = try await baseRestore?.run()
      floor = try await CommandContext.open(
        database.settings(), owns: true, makes: true, migrates: false
      ) { context in
        let restore = Restore(context: context, folder: folder, manifest: manifest, journals: journals)
        if baseRestore != nil {
          try await restore.finish(recounts: recount)
        } else {
          try await restore.run(recounts: recount)
        }
        return try await restore.reserveSerials(upTo: serialFloor)
      }
    } catch {
      print("The restore was not finished. Remove \(data) before you try again.")
      throw error
    }
    let publication = manifest.publication.map { "publication \($0.serial), " } ?? ""
    if baseRestore == nil {
      let rows = TextFormat.count(manifest.tables.values.reduce(0, +), "row")
      print("Restored \(manifest.madeAt): \(rows), \(publication)all checks passed.")
    } else {
      print("Restored the base backup of \(manifest.madeAt): \(publication)all checks passed.")
      print(
        replayed?.lastTransaction.map { "The last restored transaction was committed at \($0). Later ones are lost." }
          ?? "The archive has no transaction after the base backup.")
    }
    if let floor {
      let newest = manifest.publication.map { "\($0.serial)" } ?? "the backup's"
      print(
        "The next publication has the serial \(floor + 1). Publish soon: clients that have seen a later one than \(newest) wait for it."
      )
    }
    if let archive { print("Serve with --archive and an empty folder. \(archive) belongs to the lost server.") }
    if !manifest.hasKeys {
      print("The backup has no keys. Put them into \(data), or into the environment, before you serve or publish.")
    }
  }

  /// The erasure journals of the options, or the one in the folder of the backup.
  private func journals() throws -> [ErasureJournal] {
    for file in erasures where !FileManager.default.fileExists(atPath: file) {
      throw CommandFailure.unreadable("There is no erasure journal \(file). Correct --erasures.")
    }
    guard erasures.isEmpty else { return erasures.map(ErasureJournal.init(path:)) }
    let folder = (URL(filePath: backup).standardizedFileURL.path as NSString).deletingLastPathComponent
    return [ErasureJournal(path: "\(folder)/\(ErasureJournal.fileName)")]
  }

  /// - Returns: nil for a dump.
  private func baseRestore(_ folder: String, _ manifest: BackupManifest) throws -> BaseRestore? {
    let settings = try database.settings()
    guard let base = manifest.base else {
      guard archive == nil, to == nil else {
        throw CommandFailure(
          description: "This backup is a dump. --archive and --to need a backup that was made with --base.",
          exitCode: 2)
      }
      return nil
    }
    guard try settings.databaseURL == nil else {
      throw CommandFailure.failed("A base backup can only be restored into the private PostgreSQL. Unset DATABASE_URL.")
    }
    if let to, Timestamp.parse(to) == nil {
      throw CommandFailure(
        description: "--to is \"\(to)\". It must be a time such as 2026-11-22T03:00:00Z.", exitCode: 2)
    }
    if let time = to.flatMap({ Timestamp.parse($0) }), let made = Timestamp.parse(manifest.madeAt), time < made {
      throw CommandFailure.failed("The base backup of \(manifest.madeAt) is later than --to. Use an earlier one.")
    }
    let path = archive.map { URL(filePath: $0).standardizedFileURL.resolvingSymlinksInPath().path }
    return BaseRestore(settings: settings, folder: folder, base: base, archive: path, until: to)
  }
}

/// Restores a checked backup into an empty context.
struct Restore {
  let context: CommandContext
  let folder: String
  let manifest: BackupManifest
  let journals: [ErasureJournal]

  func run(recounts: Bool) async throws {
    try await context.prepareDatabase()
    let store = context.stores.backup
    guard try await store.tables().isEmpty else {
      throw CommandFailure.failed("The database is not empty. Restore into a new one.")
    }
    try await fillDatabase()
    let tables = try await store.tables()
    for (name, rows) in manifest.tables.sorted(by: { $0.key < $1.key }) where tables[name] != rows {
      throw CommandFailure.failed("\(name) has \(TextFormat.count(tables[name] ?? 0, "row")); the backup says \(rows).")
    }
    try await finish(recounts: recounts)
  }

  /// Restores keys, recipes and publications, and checks them with the database.
  func finish(recounts: Bool) async throws {
    for file in manifest.files where !isOfDatabase(file.path) { try putBack(file.path) }
    // A backup has no empty folders, and programs that copy publications expect them.
    try context.publicationFolder.makeFolders()
    try await context.migrate(logger: .quiet)
    try await applyErasures()
    if recounts {
      let summary = try await context.stores.recount.recount(repairs: !manifest.isOfOneMoment)
      if !manifest.isOfOneMoment {
        let numbers = TextFormat.count(summary.damagedNumbers, "number")
        print("A backup of a cluster: sums of \(numbers) were corrected from the reports.")
      } else if summary.differences > 0 {
        throw CommandFailure.failed(
          "The sums of \(TextFormat.count(summary.damagedNumbers, "number")) differ from the reports. Correct them with: ringfence recount --repair"
        )
      }
    }
    try checkPublication()
    try checkKeys()
  }

  /// Applies the erasures and suppressions since the backup.
  private func applyErasures() async throws {
    let folder = context.folder
    // The setting erasure-journal may name a file that outlives data folders.
    guard try (journals + [folder.journal]).contains(where: { try !$0.isEmpty }) else {
      return print("No erasure journal was applied. Pass --erasures if people had data erased after the backup.")
    }
    guard try manifest.hasKeys || folder.settings.pseudonymKey != nil || folder.storedSecret("pseudonym.key") != nil
    else {
      throw CommandFailure.failed(
        "The erasure journal needs the pseudonym key, and the backup has no keys. Set RINGFENCE_PSEUDONYM_KEY.")
    }
    try await context.rights().apply(journals, at: Date()).show(after: Timestamp.parse(manifest.madeAt))
  }

  /// Skips the serials of publications that clients may have seen after the backup: they accept no other manifest with
  /// such a serial, and none with a lower one.
  /// - Parameter seen: the highest such serial; nil for one publication in each second since the backup.
  /// - Returns: the last skipped serial; nil before the first publication.
  func reserveSerials(upTo seen: Int64?) async throws -> Int64? {
    let known = max(try await context.stores.publications.maxSerial(), manifest.publication?.serial ?? 0)
    guard known > 0 || seen != nil else { return nil }
    let age = Timestamp.parse(manifest.madeAt).map { Date().timeIntervalSince($0).rounded(.up) } ?? 0
    try Self.check(serialFloor: seen, known: known)
    let floor = seen ?? known + Self.skippedForClocks + max(0, Int64(age))
    // The next publication names this one as previous, and no client has seen it.
    try await context.stores.publications.reserveSerials(upTo: floor + 1, at: Date())
    return floor + 1
  }

  /// Values of --serial-floor. As many serials remain for later publications, and JSON parsers read all of them exactly.
  static let serialFloors: ClosedRange<Int64> = 1...1 << 52

  /// Refuses a floor below the last serial.
  static func check(serialFloor: Int64?, known: Int64) throws {
    guard let serialFloor, serialFloor < known else { return }
    throw CommandFailure.failed(
      "--serial-floor is \(serialFloor), but the backup has the serial \(known). Pass \(known) or more.")
  }

  /// Serials of a day: clocks of two machines may differ. Added to the age, so that a second restore skips more than the first.
  private static let skippedForClocks: Int64 = 86_400

  private func isOfDatabase(_ path: String) -> Bool {
    path == BackupManifest.dump || manifest.base != nil && path.hasPrefix("\(BackupManifest.baseFiles)/")
  }

  private func fillDatabase() async throws {
    let version = manifest.postgresVersion / 10_000
    // Newer programs read older dumps; the server's version does not matter here.
    let program = try await PostgresProgram.find("pg_restore", version: version, settings: context.folder.settings)
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
    let known = isKey ? Backup.keptFiles.contains(name) : true
    guard known, isKey || path == BackupManifest.recipes || path.hasPrefix("\(BackupManifest.publications)/") else {
      throw CommandFailure.failed("The backup has a file that does not belong to a backup: \(path).")
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
      throw CommandFailure.failed("The publication's signature is not valid: \(error)")
    }
  }

  private func checkKeys() throws {
    guard manifest.hasKeys else { return }
    _ = try context.folder.pseudonymizer()
    guard let key = try context.folder.presentSigningKey(), let root = try context.publicationFolder.root() else {
      return
    }
    guard root.keys.contains(key.verifying) else {
      throw CommandFailure.failed("The newest root does not list the signing key, so clients would reject it.")
    }
  }
}
