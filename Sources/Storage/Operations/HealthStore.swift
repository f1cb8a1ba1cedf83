public import PostgreSQL

/// Whether the database answers.
public struct HealthStore: Sendable {
  let pool: PostgresPool

  /// - Parameter pool: the one that requests use.
  public init(pool: PostgresPool) {
    self.pool = pool
  }

  /// Asks the least there is to ask.
  /// - Throws: `PostgresError` when there is no answer.
  public func check() async throws {
    _ = try await pool.run(SelectOne())
  }
}

/// The least question.
struct SelectOne: PostgresStatement {
  typealias Row = Void
  static let sql = "SELECT 1"
}
