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
      let sources = try await connection.run(ReadSourceStates()).first
      return OperationalStatistics(
        newest: try await connection.run(ReadNewestStatistics()).first,
        packs: try await connection.run(ReadPackStatistics()),
        runs: try await connection.run(CountRuns()),
        failedGates: try await connection.run(CountFailedGates()).first ?? 0,
        webhooks: try await connection.run(ReadWebhookBacklog()).first ?? .init(count: 0),
        revocations: try await connection.run(CountOpenRevocations()).first ?? .init(count: 0),
        reviewQueue: try await connection.run(ReadReviewQueue()).first ?? .init(count: 0),
        goodSources: sources?.good ?? 0, failingSources: sources?.failing ?? 0, oldestSource: sources?.oldest,
        sources: try await connection.run(ReadSourceFigures()),
        partitions: try await connection.run(CountReportPartitions()).first ?? 0)
    }
  }
}
