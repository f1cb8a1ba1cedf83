// SPDX-License-Identifier: Apache-2.0

public import Curation
public import PostgreSQL

/// Numbers and their aggregates.
public struct NumberStore: Sendable {
  private let pool: PostgresPool

  /// - Parameter pool: where numbers are kept.
  public init(pool: PostgresPool) {
    self.pool = pool
  }

  /// A number's aggregates; without parts when it was never reported.
  public func standing(of number: Int64) async throws -> NumberAggregate {
    NumberAggregate(parts: try await pool.run(SQL.readStanding(number: number)))
  }

  /// A number's record; nil when it was never reported.
  public func record(of number: Int64) async throws -> NumberRecord? {
    try await NumberRecordStore(pool: pool).record(of: number)
  }
}
