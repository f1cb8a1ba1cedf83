// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import Logging
import PostgreSQL
import Storage
import Support

struct MigrateCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "migrate", abstract: "Bring the schema of the database to this version.",
    discussion: """
      Expand migrations only add to the schema: older servers go on running, and can be started again. Servers also \
      apply them when they start. Contract migrations remove what only older programs use. They are applied with \
      --contract, once no older program uses the database, and older programs refuse to start afterwards.
      """)

  @OptionGroup var database: DatabaseOptions

  @Flag(help: "Also apply contract migrations. Older programs cannot use the database afterwards.")
  var contract = false

  func run() async throws {
    try await database.open(migrates: false) { context in
      try await context.prepareDatabase()
      let migrator = PostgresMigrator(folder: context.installation.migrations)
      let applied =
        contract ? try await context.migrateWithContracts(logger: .quiet) : try await context.expand(by: migrator)
      for migration in applied {
        print("Applied \(migration.kind.rawValue) migration \(migration.fileName).")
      }
      let states = try await context.pool.withConnection { try await migrator.status(on: $0) }
      if let newer = states.last, newer.state == .newer {
        print("The schema has version \(newer.version), newer than this program; this program can use it.")
      } else if let newest = states.last(where: { $0.state == .applied }) {
        print("The schema has version \(newest.version).")
      }
      let pending = states.filter { $0.state == .pending }
      for migration in pending { print("Pending: contract migration \(migration.fileName).") }
      if !pending.isEmpty {
        print("When no older program will run again, apply it with ringfence migrate --contract.")
      }
    }
  }
}

/// Programs that a contract migration would break.
private struct OlderProgramsRun: Error {
  let programs: [OlderProgram]
}

extension CommandContext {
  /// The time to wait for older programs: a server that is stopping first answers the requests that it has received.
  private static let patience: Duration = .seconds(20)

  /// Applies expand migrations, while older programs may run.
  func migrate(logger: Logger) async throws {
    let step = StatusLine("Preparing the database")
    try await prepareDatabase()
    let migrator = PostgresMigrator(folder: installation.migrations)
    _ = try await expand(by: migrator)
    let states = try await pool.withConnection { try await migrator.status(on: $0) }
    let waiting = states.filter { $0.state == .pending }.map(\.fileName)
    if !waiting.isEmpty {
      logger.notice(
        "Contract migrations are pending. Run ringfence migrate --contract when no older program will run again",
        metadata: ["migrations": "\(waiting.joined(separator: ", "))"])
    }
    step.finish()
  }

  /// Applies expand migrations. Then the idle connections of older programs are ended, and for a second those that become
  /// idle: their prepared statements may be out of date. Connections to nodes of a cluster stay: their programs repeat
  /// reports.
  /// - Parameter always: whether connections are ended also where an earlier call applied the migrations, and was killed.
  fileprivate func expand(by migrator: PostgresMigrator, always: Bool = true) async throws -> [PostgresMigration] {
    let applied = try await pool.withConnection { try await migrator.migrate(on: $0) }
    // Behind a pooler in transaction mode no statement is prepared.
    guard always || !applied.isEmpty, pool.configuration.usesPreparedStatements else { return applied }
    let newest = try migrator.newest()
    var hasEnded = false
    for _ in 1...10 {
      let older = try await stores.operations.endOlderConnections(than: newest)
      hasEnded = hasEnded || older.ended > 0
      guard older.left > 0 else { break }
      try await Task.sleep(for: .milliseconds(100))
    }
    // A server connects again within a second, and only then a contract migration is refused because of it.
    if hasEnded { try await Task.sleep(for: .seconds(3)) }
    return applied
  }

  /// Applies expand migrations, then contract ones once no program that does not know them uses the database.
  /// - Throws: ``CommandFailure`` where an older program is still running: it would fail on the new schema, and might
  /// store values that newer programs read differently.
  func migrateWithContracts(logger: Logger) async throws -> [PostgresMigration] {
    let migrator = PostgresMigrator(folder: installation.migrations)
    let end = ContinuousClock.now + Self.patience
    // Idle commands of older programs stay visible below.
    var applied = try await expand(by: migrator, always: false)
    while true {
      do {
        applied += try await pool.withConnection { connection in
          try await migrator.migrate(on: connection) { try await refuseOlderPrograms(than: $0, logger: logger) }
        }
        return applied
      } catch let error as OlderProgramsRun {
        guard ContinuousClock.now < end else {
          throw CommandFailure.failed(
            """
            An older Ringfence uses this database (\(OlderProgram.text(error.programs) ?? "")), and cannot use the \
            schema after a contract migration. No contract migration was applied. Replace it with this version, then run \
            ringfence migrate --contract again.
            """)
        }
        try await Task.sleep(for: .milliseconds(250))
      }
    }
  }

  private func refuseOlderPrograms(than migration: PostgresMigration, logger: Logger) async throws {
    let programs = try await stores.operations.olderPrograms(than: migration.version)
    guard let older = OlderProgram.text(programs) else { return }
    // A pooler keeps connections whose program has gone, under its name.
    guard pool.configuration.usesPreparedStatements else {
      return logger.warning(
        "A contract migration is applied while an older Ringfence may still run", metadata: ["at": "\(older)"])
    }
    throw OlderProgramsRun(programs: programs)
  }
}

extension CommandContext {
  func databaseRefusal() async throws -> (found: String, advice: String)? {
    let (version, encoding) = try await pool.withConnection { await ($0.serverVersion, $0.serverEncoding) }
    guard version >= 150_000 else {
      return ("version \(version / 10_000)", "Ringfence needs PostgreSQL 15 or later. Upgrade the server.")
    }
    guard encoding != "UTF8" else { return nil }
    return (
      "the database has the encoding \(encoding)",
      "Ringfence needs UTF8: names and comments have characters of all scripts. Make a new database with: createdb "
        + "--encoding=UTF8 --locale=C.UTF-8 --template=template0 NAME. A database in use moves with: pg_dump --format=custom "
        + "--encoding=UTF8 OLD | pg_restore --dbname=NEW"
    )
  }

  /// Refuses a database that cannot be used, and turns compilation off for the sessions of a pooler.
  /// - Throws: ``CommandFailure``.
  func prepareDatabase() async throws {
    if let refusal = try await databaseRefusal() {
      throw CommandFailure.failed("PostgreSQL: \(refusal.found). \(refusal.advice)")
    }
    if !pool.configuration.usesPreparedStatements { try await stores.operations.turnCompilationOff() }
  }
}

extension PostgresMigration {
  /// The name of its file, without the suffix.
  var fileName: String { "\(version)_\(name)" }
}

extension OlderProgram {
  /// The programs with their addresses; nil if there are none.
  static func text(_ programs: [OlderProgram]) -> String? {
    guard !programs.isEmpty else { return nil }
    return programs.map {
      let connections = TextFormat.count($0.connections, "connection")
      return "\($0.address ?? "this machine"): \(connections) since \(Timestamp.format($0.since))"
    }.joined(separator: "; ")
  }
}
