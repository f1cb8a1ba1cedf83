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

  /// What is stored of a number; nil when nobody ever reported it.
  public func record(of number: Int64) async throws -> NumberRecord? {
    try await RecordStore(pool: pool).record(of: number)
  }

  /// The thresholds in force.
  public func thresholds() async throws -> ThresholdSet {
    try await ThresholdStore(pool: pool).current()
  }

  /// The hottest numbers that a moderator should look at, hottest first: those at their threshold's watch heat or above.
  /// - Parameters:
  ///   - limit: at least 1.
  ///   - country: ISO 3166 alpha-2 of a number's country; asked only where a country has a threshold of its own.
  public func watched(
    at time: Date, limit: Int, country: (Int64) -> String? = { _ in nil }
  ) async throws -> [WatchedNumber] {
    let thresholds = try await thresholds()
    func watched(_ record: NumberRecord) -> WatchedNumber? {
      WatchedNumber(record, at: time, by: thresholds) { country(record.number) }
    }
    let records = try await RecordStore(pool: pool).hottest(
      hotterThan: thresholds.lowestWatchHeat, at: time, limit: limit, where: { watched($0) != nil })
    return records.compactMap(watched)
  }
}
