import Foundation
import Logging
import PostgreSQL
import Storage
import Timestamps

extension CommandContext {
  /// The time to wait for older programs: a server that is stopping first answers the requests that it has received.
  private static let patience: Duration = .seconds(20)

  /// Migrates the schema after all older programs have left the database.
  /// - Throws: ``CommandFailure`` if an older server keeps running: it would fail on the new schema or store wrong
  ///   data.
  func migrate(logger: Logger) async throws {
    let step = StatusLine("Preparing the database")
    let migrator = PostgresMigrator(folder: installation.migrations)
    let states = try await pool.withConnection { try await migrator.status(on: $0) }
    if states.contains(where: { $0.state == .pending }), states.contains(where: { $0.state == .applied }) {
      try await waitForOlderPrograms(than: try migrator.newest(), logger: logger)
    }
    try await pool.withConnection { connection in
      _ = try await migrator.migrate(on: connection)
    }
    step.finish()
  }

  private func waitForOlderPrograms(than version: Int64, logger: Logger) async throws {
    let end = ContinuousClock.now + Self.patience
    while let older = OlderProgram.text(try await stores.operations.olderPrograms(than: version)) {
      // A pooler keeps connections with the name of a program that has ended.
      if !pool.configuration.usesPreparedStatements {
        logger.warning(
          "Migrating the schema while an older Ringfence may still run", metadata: ["at": "\(older)"])
        return
      }
      guard ContinuousClock.now < end else {
        throw CommandFailure.failed(
          """
          An older Ringfence uses this database (\(older)) and would fail after the migration. Stop it, make a backup, \
          then start this version. See Upgrade in Documentation/operations.md. Nothing was changed.
          """)
      }
      try await Task.sleep(for: .milliseconds(250))
    }
  }
}

extension OlderProgram {
  /// The programs with their addresses; nil if there are none.
  static func text(_ programs: [OlderProgram]) -> String? {
    guard !programs.isEmpty else { return nil }
    return programs.map {
      let connections = $0.connections == 1 ? "1 connection" : "\($0.connections) connections"
      return "\($0.address ?? "this machine"): \(connections) since \(Timestamp.format($0.since))"
    }.joined(separator: "; ")
  }
}
