// SPDX-License-Identifier: Apache-2.0

public import PostgreSQL

/// Whether the database answers.
public struct HealthStore: Sendable {
  let pool: PostgresPool

  /// - Parameter pool: the pool that requests use.
  public init(pool: PostgresPool) {
    self.pool = pool
  }

  /// Runs the cheapest possible query.
  /// - Throws: `PostgresError` when the database does not answer.
  public func check() async throws {
    _ = try await pool.run(SQL.selectOne())
  }
}

extension SQL {
  /// The cheapest possible query.
  static func selectOne() -> Statement<Void> {
    Statement(
      "SELECT 1")
  }
}
