// SPDX-License-Identifier: Apache-2.0

public import PostgreSQL

/// Figures for operators, read in a few small statements, none of which reads a table of numbers.
public struct OperationStore: Sendable {
  let pool: PostgresPool

  /// - Parameter pool: the pool that requests use, which is measured too.
  public init(pool: PostgresPool) {
    self.pool = pool
  }

  /// Connections in use, idle connections, and tasks that wait for a connection.
  public var occupancy: (leased: Int, idle: Int, waiting: Int) { pool.occupancy }

  /// All figures, read on one connection.
  /// - Throws: `PostgresError`.
  public func figures() async throws -> OperationalStatistics {
    try await pool.withConnection { connection in
      let sources = try await connection.run(SQL.readSourceStates()).first
      return OperationalStatistics(
        newest: try await connection.run(SQL.readNewestStatistics()).first,
        packs: try await connection.run(SQL.readPackStatistics()),
        runs: try await connection.run(SQL.countRuns()),
        failedGates: try await connection.run(SQL.countFailedGates()).first ?? 0,
        webhooks: try await connection.run(SQL.readWebhookBacklog()).first ?? .init(count: 0),
        revocations: try await connection.run(SQL.countOpenRevocations()).first ?? .init(count: 0),
        reviewQueue: try await connection.run(SQL.readReviewQueue()).first ?? .init(count: 0),
        goodSources: sources?.good ?? 0, failingSources: sources?.failing ?? 0, oldestSource: sources?.oldest,
        sources: try await connection.run(SQL.readSourceFigures()),
        partitions: try await connection.run(SQL.countReportPartitions()).first ?? 0)
    }
  }
}
