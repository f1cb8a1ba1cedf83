public import Curation
public import PostgreSQL

/// Numbers and what is known of them.
public struct NumberStore: Sendable {
  private let pool: PostgresPool

  /// - Parameter pool: where numbers are kept.
  public init(pool: PostgresPool) {
    self.pool = pool
  }

  /// What is known of a number; without parts when nothing is.
  public func standing(of number: Int64) async throws -> NumberAggregate {
    NumberAggregate(parts: try await pool.run(ReadStanding(number: number)))
  }

  /// What is stored of a number; nil when nobody ever reported it.
  public func record(of number: Int64) async throws -> NumberRecord? {
    try await NumberRecordStore(pool: pool).record(of: number)
  }
}
