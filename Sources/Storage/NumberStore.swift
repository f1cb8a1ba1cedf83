public import Curation
public import Foundation
public import PostgreSQL

/// Numbers and what is known of them.
public struct NumberStore: Sendable {
  private let pool: PostgresPool

  /// - Parameter pool: where numbers are kept.
  public init(pool: PostgresPool) {
    self.pool = pool
  }

  /// What is known of a number; without parts when nothing is.
  public func standing(of number: Int64) async throws -> Standing {
    Standing(parts: try await pool.run(ReadStanding(number: number)))
  }

  /// The thresholds in force, one a toxic category.
  public func thresholds() async throws -> [Threshold] {
    try await pool.run(ReadThresholds())
  }

  /// The hottest numbers that a moderator should look at, hottest first.
  /// - Parameter limit: at least 1.
  public func watched(at time: Date, limit: Int) async throws -> [WatchedNumber] {
    try await pool.run(ReadWatched(time: time, limit: limit))
  }
}
