// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import PostgreSQL

extension TestDatabase {
  /// Runs `body` with a pool whose statements see a shifted database clock, like a server with a wrong clock. Only
  /// `statement_timestamp()` is shifted: no statement uses another clock.
  /// - Parameter seconds: how far the database clock is ahead.
  public func withClock(
    ahead seconds: Double, _ body: @Sendable (PostgresPool) async throws -> Void
  ) async throws {
    try await pool.withConnection { connection in
      try await connection.execute(
        script: """
          CREATE SCHEMA IF NOT EXISTS shifted;
          CREATE OR REPLACE FUNCTION shifted.statement_timestamp() RETURNS timestamptz LANGUAGE sql STABLE
            AS 'SELECT pg_catalog.statement_timestamp() + make_interval(secs => \(seconds))'
          """)
    }
    let shifted = PostgresPool(
      PostgresConfiguration("\(dsn) options='-c search_path=shifted,pg_catalog,public'"), maximumConnections: 4,
      waitLimit: .seconds(300), logger: .forTests)
    do {
      try await body(shifted)
    } catch {
      await shifted.shutdown()
      throw error
    }
    await shifted.shutdown()
  }

  /// The same, with the database clock at a time.
  public func withClock(at time: Date, _ body: @Sendable (PostgresPool) async throws -> Void) async throws {
    try await withClock(ahead: time.timeIntervalSinceNow, body)
  }
}
