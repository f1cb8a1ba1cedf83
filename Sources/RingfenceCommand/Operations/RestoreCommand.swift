// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation

/// `ringfence restore`
struct RestoreCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore", abstract: "Bring a backup back, into a new data folder and an empty database.",
    discussion: """
      Every file is checked before anything is written, and all that came back is checked after: rows, what reports add \
      up to, the publication and its signature, the keys. Nothing that is there is ever written over.
      """)

  @OptionGroup var database: DatabaseOptions

  @Argument(help: "A backup that ringfence backup wrote: a folder or a .tar file.")
  var backup: String

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
    do {
      try await CommandContext.open(database, owns: true, makes: true, migrates: false, logger: .quiet) { context in
        try await Restore(context: context, folder: folder, manifest: manifest).run(recounts: recount)
      }
    } catch {
      print("The restore was not finished. Remove \(data) before you try again.")
      throw error
    }
    let publication = manifest.publication.map { "publication \($0.serial), " } ?? ""
    let rows = manifest.tables.values.reduce(0, +)
    print("Restored \(manifest.madeAt): \(rows) rows, \(publication)all checks passed.")
    if !manifest.hasKeys {
      print("The backup has no keys. Put them into \(data), or into the environment, before you serve or publish.")
    }
  }
}
