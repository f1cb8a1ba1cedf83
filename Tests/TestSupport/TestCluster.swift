// SPDX-License-Identifier: Apache-2.0

import PostgreSQL
import Foundation
import TestData

/// The PostgreSQL of one test process: a real one, on a socket, without waiting for the disk.
///
/// It ends with the process. Its folder is kept for the next run, which saves initialization. With
/// `RINGFENCE_TEST_DATABASE_URL` in the environment it is the one with this address, without a database: one that has no
/// setting of Ringfence, with a role that may create databases.
actor TestCluster {
  static let shared = TestCluster()

  /// The address of a database, by its name; nil for the one of the cluster itself.
  private typealias Address = @Sendable (String?) -> String

  private var starting: Task<Address, any Error>?
  private var template: Task<String, any Error>?
  private var count = 0

  /// Creates a database with all migrations.
  func makeDatabase() async throws -> String {
    let cluster = try await running()
    let template = try await migratedTemplate(on: cluster)
    count += 1
    let name = "test_\(ProcessInfo.processInfo.processIdentifier)_\(count)"
    try await administer(cluster) { connection in
      try await connection.execute(script: "CREATE DATABASE \(name) TEMPLATE \(template)")
    }
    return Self.patient(cluster(name))
  }

  /// An empty database.
  func makeEmptyDatabase() async throws -> String {
    let cluster = try await running()
    count += 1
    let name = "test_\(ProcessInfo.processInfo.processIdentifier)_\(count)"
    try await administer(cluster) { try await $0.execute(script: "CREATE DATABASE \(name)") }
    return Self.patient(cluster(name))
  }

  /// Drops a database that ``makeDatabase()`` made.
  func drop(dsn: String) async throws {
    let cluster = try await running()
    guard let name = dsn.firstMatch(of: /dbname=(test_[0-9_]+)/)?.1 else { return }
    try await administer(cluster) { connection in
      try await connection.execute(script: "DROP DATABASE \(name) WITH (FORCE)")
    }
  }

  private func running() async throws -> Address {
    if let starting { return try await starting.value }
    let task = Task { try await Self.start() }
    starting = task
    return try await task.value
  }

  /// Many databases are in use at once and none for long, so that autovacuum would only take time and locks.
  private static let settings = ["max_connections": "300", "autovacuum": "off"]

  private static func start() async throws -> Address {
    if let given = ProcessInfo.processInfo.environment["RINGFENCE_TEST_DATABASE_URL"] {
      return { database in "\(given) dbname=\(database ?? "postgres")" }
    }
    // Another test process may hold the first folder.
    for attempt in 0..<8 {
      let folder = "\(Checkout.clusterFolder)/ringfence-tests-\(getuid())-\(attempt)"
      do {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let cluster = try await EmbeddedPostgres.start(
          EmbeddedPostgres.Options(dataFolder: folder, settings: settings, durable: false), logger: .forTests)
        // Before this process makes databases, which it must not drop.
        try await sweep(cluster)
        return { database in database.map { cluster.dsn(database: $0) } ?? cluster.dsn }
      } catch EmbeddedPostgresError.folderInUse where attempt < 7 {
        continue
      }
    }
    preconditionFailure("unreachable")
  }

  private func migratedTemplate(on cluster: @escaping Address) async throws -> String {
    if let template { return try await template.value }
    let task = Task {
      let name = "template_\(ProcessInfo.processInfo.processIdentifier)"
      try await administer(cluster) { try await $0.execute(script: "CREATE DATABASE \(name)") }
      let connection = try await Self.connect(cluster(name))
      _ = try await PostgresMigrator(folder: Checkout.migrations).migrate(on: connection)
      await connection.close()
      return name
    }
    template = task
    return try await task.value
  }

  /// Drops databases of earlier processes; this one holds the folder's lock, so no other process has databases there.
  private static func sweep(_ cluster: EmbeddedPostgres) async throws {
    let connection = try await connect(cluster.dsn)
    let stale = try await connection.query(
      "SELECT datname::text FROM pg_database WHERE datname ~ '^(test|template)_[0-9]'")
    for row in stale {
      try await connection.execute(script: "DROP DATABASE \(try row.decode(0, as: String.self)) WITH (FORCE)")
    }
    await connection.close()
  }

  /// A busy machine may need more than the usual five seconds for a connection.
  private static func patient(_ dsn: String) -> String { "\(dsn) connect_timeout=120" }

  private static func connect(_ dsn: String) async throws -> PostgresConnection {
    try await PostgresConnection.connect(PostgresConfiguration(patient(dsn)), logger: .forTests)
  }

  private nonisolated func administer(
    _ cluster: Address, _ body: (PostgresConnection) async throws -> Void
  ) async throws {
    let connection = try await Self.connect(cluster(nil))
    try await body(connection)
    await connection.close()
  }
}
