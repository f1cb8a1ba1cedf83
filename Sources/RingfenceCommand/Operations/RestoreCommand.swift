// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import EmbeddedPostgreSQL
import Foundation
import Timestamps

/// `ringfence restore`
struct RestoreCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore", abstract: "Bring a backup back, into a new data folder and an empty database.",
    discussion: """
      Every file is checked before anything is written, and all that came back is checked after: rows, what reports add \
      up to, the publication and its signature, the keys. Nothing that is there is ever written over.

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

  @Flag(inversion: .prefixedNo, help: "Recount what all reports add up to.")
  var recount = true

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
    let (status, output) = try await ExternalProgram.run(
      "/usr/bin/env",
      ["tar", "--extract", "--no-same-owner", "--no-same-permissions", "--file=\(source)", "--directory=\(work)"])
    guard status == 0 else { throw CommandFailure.failed("\(source) cannot be unpacked: \(output)") }
    try await restore(from: work)
  }

  private func restore(from folder: String) async throws {
    let manifest = try BackupManifest.checked(in: folder)
    let data = URL(filePath: try database.settings().data).standardizedFileURL.path
    let there = (try? FileManager.default.contentsOfDirectory(atPath: data)) ?? []
    guard there.isEmpty else {
      throw CommandFailure.failed(
        "\(data) is not empty. Restore into a new folder with --data, or move this one away first.")
    }
    let baseRestore = try baseRestore(folder, manifest)
    var replayed: EmbeddedPostgres.Replayed?
    do {
      replayed = try await baseRestore?.run()
      try await CommandContext.open(
        database, owns: true, makes: true, migrates: false, logger: .quiet
      ) { context in
        let restore = Restore(context: context, folder: folder, manifest: manifest)
        if baseRestore != nil {
          try await restore.finish(recounts: recount)
        } else {
          try await restore.run(recounts: recount)
        }
      }
    } catch {
      print("The restore was not finished. Remove \(data) before you try again.")
      throw error
    }
    let publication = manifest.publication.map { "publication \($0.serial), " } ?? ""
    if baseRestore == nil {
      let rows = manifest.tables.values.reduce(0, +)
      print("Restored \(manifest.madeAt): \(rows) rows, \(publication)all checks passed.")
    } else {
      print("Restored the base backup of \(manifest.madeAt): \(publication)all checks passed.")
      print(
        replayed?.lastTransaction.map { "The last restored transaction was committed at \($0). Later ones are lost." }
          ?? "The archive has no transaction after the base backup.")
    }
    if let archive { print("Serve with --archive and an empty folder. \(archive) belongs to the lost server.") }
    if !manifest.hasKeys {
      print("The backup has no keys. Put them into \(data), or into the environment, before you serve or publish.")
    }
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
