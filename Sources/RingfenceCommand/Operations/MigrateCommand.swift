// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import PostgreSQL

/// `ringfence migrate`
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
    try await CommandContext.open(database, owns: false, migrates: false, logger: .quiet) { context in
      let migrator = PostgresMigrator(folder: context.installation.migrations)
      let applied =
        contract
        ? try await context.migrateWithContracts(logger: .quiet)
        : try await context.pool.withConnection { try await migrator.migrate(on: $0) }
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
