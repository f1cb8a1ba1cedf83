// SPDX-License-Identifier: Apache-2.0

import PostgreSQL
import Foundation
import Logging
import TestData

/// A private PostgreSQL for this test run, with the settings that these tests need; stopped with the process.
actor ScratchCluster {
  static let shared = ScratchCluster(name: "shared")
  /// A cluster that waits for a standby that never connects; separate, because its settings affect every session.
  static let withoutStandby = ScratchCluster(name: "alone", settings: ["synchronous_standby_names": "nobody"])

  private let start: Task<EmbeddedPostgres, any Error>
  private var making: [String: Task<Void, any Error>] = [:]

  private init(name: String, settings: [String: String] = [:]) {
    let settings = settings.merging(["deadlock_timeout": "50ms", "synchronous_commit": "local"]) { $1 }
    start = Task {
      // Kept for the next run, which saves initialization; another test process may hold the first folder.
      for attempt in 0..<8 {
        let folder = "\(Checkout.clusterFolder)/ringfence-\(name)-\(getuid())-\(attempt)"
        do {
          return try await EmbeddedPostgres.start(
            EmbeddedPostgres.Options(dataFolder: folder, settings: settings, durable: false), logger: .quiet)
        } catch EmbeddedPostgresError.folderInUse where attempt < 7 {
          continue
        }
      }
      preconditionFailure("unreachable")
    }
  }

  /// The configuration of a database of this name, created once in each run; callers choose distinct names.
  func configuration(database: String) async throws -> PostgresConfiguration {
    let cluster = try await start.value
    if making[database] == nil {
      making[database] = Task {
        let admin = try await PostgresConnection.connect(PostgresConfiguration(cluster.dsn), logger: .quiet)
        try await admin.execute(script: "DROP DATABASE IF EXISTS \(database) WITH (FORCE)")
        try await admin.execute(script: "CREATE DATABASE \(database)")
        await admin.close()
      }
    }
    try await making[database]?.value
    return PostgresConfiguration(cluster.dsn(database: database) + " password=hunter2secret")
  }
}

extension Logger {
  static var quiet: Logger {
    var logger = Logger(label: "tests")
    logger.logLevel = .critical
    return logger
  }
}

struct ConditionNotMet: Error {}

/// Waits for a condition, with a bound that also a busy machine keeps.
func wait(for condition: @Sendable () async throws -> Bool) async throws {
  let deadline = ContinuousClock.now + .seconds(300)
  while try await !condition() {
    guard ContinuousClock.now < deadline else { throw ConditionNotMet() }
    try await Task.sleep(for: .milliseconds(5))
  }
}

/// Runs `body` with a connection to its own database.
func withDatabase<T: Sendable>(
  _ database: String, preparing: Bool = true, _ body: @Sendable (PostgresConnection) async throws -> T
) async throws -> T {
  var configuration = try await ScratchCluster.shared.configuration(database: database)
  configuration.usesPreparedStatements = preparing
  let connection = try await PostgresConnection.connect(configuration, logger: .quiet)
  do {
    let value = try await body(connection)
    await connection.close()
    return value
  } catch {
    await connection.close()
    throw error
  }
}

/// Runs `body` with a pool on its own database.
func withPool<T: Sendable>(
  _ database: String, connections: Int, waitLimit: Duration = .seconds(300), waiters: Int = .max,
  _ body: @Sendable (PostgresPool) async throws -> T
) async throws -> T {
  let configuration = try await ScratchCluster.shared.configuration(database: database)
  let pool = PostgresPool(
    configuration, maximumConnections: connections, waitLimit: waitLimit, maximumWaiters: waiters, logger: .quiet)
  do {
    let value = try await body(pool)
    await pool.shutdown()
    return value
  } catch {
    await pool.shutdown()
    throw error
  }
}
