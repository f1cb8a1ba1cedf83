// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import PostgreSQL

/// Stores reports in copies of the rows of their numbers, so that their effect can be read and nothing changes.
public struct ReportRehearsal: Sendable {
  /// The last one tells which numbers have been copied.
  private static let tables = ["number_categories", "number_reporters", "number_sources", "reports", "numbers"]
  private static let copies = IntakeTables(TableNames(shards: Dictionary(uniqueKeysWithValues: tables.map { ($0, 0) })))

  private let connection: PostgresConnection

  /// Stores reports as ``ReportStore/accept(_:receivedAt:)`` does.
  /// - Returns: how many were stored already, or were withdrawn or erased.
  public func accept(_ reports: [Report], receivedAt: Date) async throws -> Int {
    let numbers = Set(reports.map(\.number)).sorted()
    for table in Self.tables { _ = try await connection.run(SQL.copyRows(of: table, numbers: numbers)) }
    return try await connection.run(SQL.acceptReports(reports, receivedAt: receivedAt, in: Self.copies)).count
  }

  fileprivate static func run<Stored, Result>(
    on connection: PostgresConnection, _ store: (ReportRehearsal) async throws -> Stored,
    reading read: (Stored, PostgresConnection) async throws -> Result
  ) async throws -> Result {
    for table in tables {
      try await connection.execute(script: "CREATE TEMP TABLE \(table)_0 (LIKE \(table) INCLUDING ALL) ON COMMIT DROP")
    }
    let stored = try await store(ReportRehearsal(connection: connection))
    // PostgreSQL finds a temporary table before another of its name.
    for table in tables { try await connection.execute(script: "ALTER TABLE pg_temp.\(table)_0 RENAME TO \(table)") }
    return try await read(stored, connection)
  }
}

extension ReportStore {
  /// Rehearses the storage of reports without a lock on rows. In `read` the connection finds only their numbers.
  /// - Throws: ``StorageError/noRehearsal``; the database's error.
  public func rehearse<Stored: Sendable, Result: Sendable>(
    _ store: @Sendable (ReportRehearsal) async throws -> Stored,
    reading read: @Sendable (Stored, PostgresConnection) async throws -> Result
  ) async throws -> Result {
    guard try await !nodes.isCluster else { throw StorageError.noRehearsal }
    return try await pool.withConnection { connection in
      try await connection.transaction(.repeatableRead) {
        try await ReportRehearsal.run(on: $0, store, reading: read)
      }
    }
  }
}

extension SQL {
  /// Copies the rows of numbers into the table for a rehearsal, unless it has them.
  /// - Parameter table: a name of this program.
  fileprivate static func copyRows(of table: String, numbers: [Int64]) -> Statement<Void> {
    Statement(
      """
      INSERT INTO pg_temp.\(table)_0
      SELECT o.* FROM \(table) o
      WHERE o.number = ANY($1::bigint[]) AND NOT EXISTS (SELECT 1 FROM pg_temp.numbers_0 n WHERE n.number = o.number)
      """,
      numbers)
  }
}
