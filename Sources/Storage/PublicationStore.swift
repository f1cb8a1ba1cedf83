import Foundation
public import PostgreSQL

/// Publications, and the numbers that go into one.
public struct PublicationStore: Sendable {
  private let pool: PostgresPool

  /// - Parameter pool: where publications are recorded.
  public init(pool: PostgresPool) {
    self.pool = pool
  }

  /// The newest publication; nil before the first.
  public func latest() async throws -> Publication? {
    try await pool.run(ReadLatestPublication()).first
  }

  /// Remembers a publication that has become visible. Doing so twice is harmless.
  public func record(_ publication: Publication) async throws {
    _ = try await pool.run(RecordPublication(publication: publication))
  }

  /// Runs `body` in a transaction that reads one snapshot: all that a publication takes is of one moment.
  public func withSnapshot<Result: Sendable>(
    _ body: @Sendable (PostgresConnection) async throws -> Result
  ) async throws -> Result {
    try await pool.withConnection { connection in
      try await connection.transaction(.repeatableRead, readOnly: true, body)
    }
  }
}
