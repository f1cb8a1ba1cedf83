// SPDX-License-Identifier: Apache-2.0

import Foundation
import PostgreSQL
import Storage

/// A scratch schema beside the real one, with the same tables, for the rows of pgbench and COPY.
///
/// One benchmark at a time: each removes the schema that an interrupted one left.
struct BenchmarkStore: Sendable {
  private let connection: PostgresConnection

  /// The scratch schema's name, for the search path of pgbench.
  static let schema = BenchmarkSchema.name

  /// - Parameter connection: used by the store only; its search path changes.
  init(connection: PostgresConnection) {
    self.connection = connection
  }

  /// Creates the schema with the tables of the migrations, partitions for `time`, and the bare tables.
  func prepare(migrations folder: String, at time: Date) async throws {
    try await connection.execute(script: BenchmarkSchema.drop)
    try await connection.execute(script: BenchmarkSchema.create)
    try await connection.execute(script: BenchmarkSchema.enter)
    try await PostgresMigrator(folder: folder).migrate(on: connection)
    try await connection.execute(script: BenchmarkSchema.tables)
    for script in ReportStore.partitionScripts(at: time) { try await connection.execute(script: script) }
  }

  /// Removes the schema and all in it.
  func drop() async throws {
    try await connection.execute(script: BenchmarkSchema.drop)
  }

  /// The settings of PostgreSQL.
  func settings() async throws -> BenchmarkSettings {
    try await connection.run(BenchmarkSQL.readBenchmarkSettings())[0]
  }

  /// The number of rows in the tables of the scratch schema.
  func rowCounts() async throws -> (reports: Int, bare: Int) {
    try await connection.run(BenchmarkSQL.countBenchmarkRows())[0]
  }

  /// Writes all dirty pages, so that a measurement does not slow down the next one.
  /// - Returns: false when the role lacks the privilege.
  static func checkpoint(on connection: PostgresConnection) async throws -> Bool {
    do {
      try await connection.execute(script: "CHECKPOINT")
      return true
    } catch let error as PostgresError where error.sqlState == "42501" {
      return false
    }
  }

  /// Copies reports into a bare table, in one COPY.
  /// - Returns: the duration of the COPY.
  func copy(_ reports: [Report], receivedAt: Date) async throws -> Duration {
    let rows = reports.map { BareReportRow(report: $0, receivedAt: receivedAt) }
    let start = ContinuousClock.now
    try await connection.copyIn(BenchmarkSchema.copy, rows: rows)
    return ContinuousClock.now - start
  }
}
