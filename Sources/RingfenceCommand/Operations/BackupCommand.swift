// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation

/// `ringfence backup`
struct BackupCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "backup", abstract: "Save the database, the keys, the recipes and the publications.",
    discussion: """
      The database is saved as of one moment, also while the server runs. A backup contains the keys: protect it \
      like the keys, or leave them out with --no-keys and store them separately.

      With --base, the backup has the files of the private PostgreSQL instead of a dump. From these and the archive of \
      serve --archive, ringfence restore can restore any later moment.
      """)

  @OptionGroup var database: DatabaseOptions

  @Argument(help: "A folder that is not there yet, or a file whose name ends in .tar.")
  var target: String

  @Flag(inversion: .prefixedNo, help: "Save the keys too.")
  var keys = true

  @Flag(help: "Save the files of the private PostgreSQL, for recovery to a point in time.")
  var base = false

  func run() async throws {
    let target = URL(filePath: target).standardizedFileURL.path
    guard !FileManager.default.fileExists(atPath: target) else {
      throw CommandFailure.unreadable("\(target) is there already. Give a new name; backups are never written over.")
    }
    for name in BackupFiles.leftovers(of: target) {
      print("\(name) is left of a backup that was broken off, or one is being made. Remove it in the first case.")
    }
    // An incomplete backup has a unique temporary name, because another backup may be running.
    let work = "\(target).\(UUID().uuidString.prefix(8)).partial"
    try BackupFiles.makeFolder(work)
    defer { try? FileManager.default.removeItem(atPath: work) }
    let isPacked = target.hasSuffix(".tar")
    let folder = isPacked ? "\(work)/files" : work
    if isPacked { try BackupFiles.makeFolder(folder) }
    let manifest = try await CommandContext.open(
      database, owns: false, migrates: false, logger: .quiet
    ) { context in
      let backup = Backup(context: context, folder: folder, withKeys: keys)
      return try await base ? backup.makeBase() : backup.make()
    }
    if isPacked {
      try await pack(folder, into: "\(work)/backup.tar", as: target)
    } else {
      try BackupFiles.name(work, target)
    }
    try BackupFiles.flush((target as NSString).deletingLastPathComponent)
    let size = "\(manifest.files.count) files, \(manifest.files.map(\.bytes).reduce(0, +)) bytes"
    if let base = manifest.base {
      try BaseBackupRecord(madeAt: manifest.madeAt, firstSegment: base.firstSegment, target: target)
        .write(to: DataFolder(existing: database.settings()))
      print("\(target): a base backup, \(size)")
      print("A recovery needs the archive from segment \(base.firstSegment) on.")
    } else {
      print("\(target): \(manifest.tables.values.reduce(0, +)) rows, \(size)")
    }
    print(
      manifest.hasKeys
        ? "It contains the keys. Keep it private."
        : "It contains no keys. Back up those of the data folder or the environment separately: without them, reporters "
          + "get new pseudonyms and clients refuse new publications.")
  }

  /// Packs a folder into a file beside it, where nobody else can enter, and gives that its name.
  private func pack(_ folder: String, into file: String, as target: String) async throws {
    try BackupFiles.write(Data(), to: file)
    let (status, output) = try await ExternalProgram.run(
      "/usr/bin/env", ["tar", "--create", "--file=\(file)", "--directory=\(folder)", "."])
    guard status == 0 else { throw CommandFailure.unreadable("Cannot write \(target). \(output)") }
    try BackupFiles.flush(file)
    try BackupFiles.name(file, target)
  }
}
