// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import PostgreSQL
import Foundation
import Storage

/// `ringfence upgrade-postgresql`
struct UpgradePostgresCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "upgrade-postgresql",
    abstract: "Move the private PostgreSQL to the newest installed version.",
    discussion: """
      Stop the server first. The data is written into a second cluster (pg_dump, pg_restore), the rows of \
      all tables are compared, and the two clusters change places in one step. If it is interrupted at any moment, the old \
      cluster is as before: run the command again. Afterwards the old cluster stays in the data folder until you remove it.

      It needs the programs of both versions. Where the old ones are gone, restore a backup into a new folder: ringfence \
      restore BACKUP --data NEW
      """)

  @OptionGroup var database: DatabaseOptions

  @Option(\.pgBin) var pgBin: String?

  @Flag(help: "Print the versions, the time and the space that it takes, and change nothing.")
  var dryRun = false

  func run() async throws {
    let settings = try Settings(of: self)
    guard try settings.databaseURL == nil else {
      throw CommandFailure.failed(
        "DATABASE_URL names a PostgreSQL that Ringfence does not run. Upgrade it with its own tools.")
    }
    try CommandContext.requireDatabase(settings)
    let folder = try DataFolder(settings)
    let upgrade = ClusterUpgrade(folder: folder, settings: settings)
    if !dryRun { try upgrade.finishInterrupted() }
    guard let versions = try EmbeddedPostgres.versions(dataFolder: folder.path, programs: try settings.pgBin) else {
      return
    }
    guard versions.cluster < versions.newest else {
      print("The private PostgreSQL has version \(versions.cluster), the newest that is installed.")
      return
    }
    guard let programs = versions.programs else {
      throw CommandFailure.failed(
        """
        The cluster was made by PostgreSQL \(versions.cluster), whose programs are not installed. Install them (Debian: apt \
        install postgresql-\(versions.cluster); newer Debian releases need PostgreSQL's own repository), or restore a backup \
        into a new folder: ringfence restore BACKUP --data NEW. Reports after that backup are not in it.
        """)
    }
    let size = upgrade.size
    print("PostgreSQL \(versions.cluster) → \(versions.newest), \(TextFormat.bytes(Double(size.data))) of data.")
    print(
      "It needs \(TextFormat.bytes(Double(size.needed))) on the disk of \(folder.path), which has "
        + "\(TextFormat.bytes(Double(size.free))), and takes about \(size.duration). Apps cannot send reports meanwhile."
    )
    guard size.free >= size.needed else {
      throw CommandFailure.failed("There is not enough space. Free some, or restore a backup on another disk.")
    }
    guard !dryRun else { return }
    try await upgrade.run(from: programs, versions)
    print("The private PostgreSQL has version \(versions.newest) now. Start the server.")
    upgrade.explain()
  }
}

/// The move of a data folder's cluster to another version of PostgreSQL.
private struct ClusterUpgrade {
  let folder: DataFolder
  let settings: Settings

  /// The data folder of the new cluster; after the exchange it has the old one.
  private var work: String { "\(folder.path)/upgrade" }

  private func former(_ version: Int) -> String { "\(folder.path)/postgresql-\(version)" }

  /// Measured on two cores: about 9 MB of a database are moved in each second.
  private static let bytesPerSecond = 9_000_000.0

  /// The bytes of the cluster, the bytes that the move needs, and the time that it takes.
  var size: (data: Int64, needed: Int64, free: Int64, duration: String) {
    let data = "\(folder.path)/postgresql/data"
    var bytes: Int64 = 0
    for path in (try? FileManager.default.subpathsOfDirectory(atPath: "\(data)/base")) ?? [] {
      let attributes = try? FileManager.default.attributesOfItem(atPath: "\(data)/base/\(path)")
      bytes += (attributes?[.size] as? NSNumber)?.int64Value ?? 0
    }
    let system = try? FileManager.default.attributesOfFileSystem(forPath: folder.path)
    let minutes = (Double(bytes) / Self.bytesPerSecond / 60).rounded(.up)
    return (
      bytes, bytes + bytes / 2 + 600_000_000, (system?[.systemFreeSize] as? NSNumber)?.int64Value ?? 0,
      TextFormat.count(Int(minutes), "minute")
    )
  }

  /// Completes a move that was interrupted after the clusters had changed places, or removes the remains of a move that was
  /// interrupted before, under the lock of the data folder.
  func finishInterrupted() throws {
    try EmbeddedPostgres.withLock(dataFolder: folder.path) { try finishLocked() }
  }

  private func finishLocked() throws {
    guard FileManager.default.fileExists(atPath: work) else { return }
    if let old = EmbeddedPostgres.version(ofClusterIn: work),
      let new = EmbeddedPostgres.version(ofClusterIn: folder.path),
      old < new
    {
      return try keepOld(old)
    }
    try remove()
  }

  /// PostgreSQL of a killed command ends by itself within a second, and writes until then.
  private func remove() throws {
    for attempt in 1... {
      do {
        return try FileManager.default.removeItem(atPath: work)
      } catch  where attempt < 50 && FileManager.default.fileExists(atPath: work) {
        usleep(200_000)
      } catch {
        guard FileManager.default.fileExists(atPath: work) else { return }
        throw CommandFailure.unreadable("Cannot remove \(work), the rest of an interrupted upgrade: \(error)")
      }
    }
  }

  private func keepOld(_ version: Int) throws {
    guard rename(work, former(version)) == 0 else {
      throw CommandFailure.unreadable(
        "Cannot rename \(work) to \(former(version)): \(String(cString: strerror(errno))). Remove the latter, and run the "
          + "command again. The private PostgreSQL has the new version already.")
    }
  }

  func run(from programs: String, _ versions: EmbeddedPostgres.Versions) async throws {
    guard !FileManager.default.fileExists(atPath: former(versions.cluster)) else {
      throw CommandFailure.failed(
        "\(former(versions.cluster)) is the old cluster of an earlier upgrade. Remove it, or move it away.")
    }
    let step = StatusLine("Starting PostgreSQL \(versions.cluster) and \(versions.newest)")
    defer { step.finish() }
    let old = try await EmbeddedPostgres.start(
      EmbeddedPostgres.Options(dataFolder: folder.path, programs: programs), logger: .quiet)
    do {
      // Less log than usual, because it takes space, and fewer buffers, because two clusters run; the server's settings apply from its next start on.
      let new = try await EmbeddedPostgres.start(
        EmbeddedPostgres.Options(
          dataFolder: work, programs: versions.newestPrograms,
          settings: ["max_wal_size": "512MB", "min_wal_size": "80MB", "autovacuum": "off", "shared_buffers": "256MB"],
          archiving: .off),
        logger: .quiet)
      do {
        try await copy(from: (old.dsn, programs), to: (new.dsn, versions.newestPrograms), step)
      } catch {
        try? await new.stop()
        throw error
      }
      step.say("Exchanging the clusters")
      try await new.stop()
      try await old.stop(exchangingWith: work)
    } catch {
      try? await old.stop()
      // The versions tell whether the clusters have changed places.
      try? finishInterrupted()
      throw error
    }
    try finishInterrupted()
  }

  /// - Parameters:
  ///   - from: the old cluster, and the folder of its programs: only they know what its minor version has in the catalog.
  ///     (15.20 stores versions of columns as options, which a `pg_dump` of 18.6 writes as if somebody had set them.)
  ///   - to: the new cluster, and the folder of its programs.
  private func copy(
    from old: (dsn: String, programs: String), to new: (dsn: String, programs: String), _ step: StatusLine
  ) async throws {
    func program(_ name: String) -> PostgresProgram { PostgresProgram(path: "\(new.programs)/\(name)") }
    let dump = "\(work)/database.dump"
    step.say("Saving the database")
    try await PostgresProgram(path: "\(old.programs)/pg_dump").run(
      ["--format=custom", "--compress=1", "--no-password", "--encoding=UTF8", "--file=\(dump)"],
      on: PostgresConfiguration(old.dsn))
    step.say("Writing the new cluster")
    try await program("pg_restore").run(
      ["--dbname=ringfence", "--no-owner", "--no-privileges", "--no-password", "--exit-on-error", "--jobs=2", dump],
      on: PostgresConfiguration(new.dsn))
    try FileManager.default.removeItem(atPath: dump)
    step.say("Reading statistics")
    try await program("vacuumdb").run(
      ["--analyze-only", "--no-password", "--jobs=2", "--quiet"], on: PostgresConfiguration(new.dsn))
    step.say("Comparing the tables")
    let (before, after) = (try await tables(old.dsn), try await tables(new.dsn))
    for (name, rows) in before.sorted(by: { $0.key < $1.key }) where after[name] != rows {
      throw CommandFailure.failed(
        "\(name) has \(TextFormat.count(rows, "row")) in the old cluster and \(after[name] ?? 0) in the new one. "
          + "The old cluster is as before.")
    }
  }

  private func tables(_ dsn: String) async throws -> [String: Int64] {
    let pool = PostgresPool(PostgresConfiguration(dsn), maximumConnections: 1, logger: .quiet)
    let tables: Result<[String: Int64], any Error>
    do {
      tables = .success(try await BackupStore(pool: pool).tables())
    } catch {
      tables = .failure(error)
    }
    await pool.shutdown()
    return try tables.get()
  }

  /// Prints the work that is left for the operator.
  func explain() {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    for name in names.sorted() where name.hasPrefix("postgresql-") {
      print("The old cluster is in \(folder.path)/\(name). Remove it when the server has run for a while.")
      let file = "\(folder.path)/\(name)/postgresql/data/postgresql.auto.conf"
      let own = try? String(contentsOfFile: file, encoding: .utf8)
      if own?.split(separator: "\n").contains(where: { !$0.hasPrefix("#") }) == true {
        print("Settings of ALTER SYSTEM were not taken over. They are in its postgresql/data/postgresql.auto.conf.")
      }
    }
    if BaseBackupRecord.read(folder) != nil {
      print(
        "Archives and base backups are of the old version: give serve --archive a new folder, and make a base backup.")
    }
  }
}
