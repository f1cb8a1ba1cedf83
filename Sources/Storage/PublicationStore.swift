public import Foundation
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

  /// Hands over the hottest numbers over their thresholds at `time`, in ascending order, a batch at a time.
  /// - Parameter limit: the most numbers, at least 1.
  public func forEachCandidate(
    at time: Date, limit: Int, _ body: @Sendable ([Candidate]) async throws -> Void
  ) async throws {
    try await pool.withConnection { connection in
      for try await batch in connection.stream(ReadCandidates(time: time, limit: limit)).batches {
        try await body(batch)
      }
    }
  }
}
