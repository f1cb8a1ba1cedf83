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
    func watched(_ record: NumberRecord, in circumstances: Circumstances = Circumstances()) -> WatchedNumber? {
      WatchedNumber(record, at: time, by: thresholds, in: circumstances) { country(record.number) }
    }
    let records = try await RecordStore(pool: pool).hottest(
      hotterThan: thresholds.lowestWatchHeat, at: time, limit: limit, where: { watched($0) != nil })
    let decided = try await decisions(about: records.map(\.number))
    return records.compactMap { watched($0, in: decided[$0.number] ?? Circumstances()) }
  }

  /// What others have decided about numbers, where anything.
  private func decisions(about numbers: [Int64]) async throws -> [Int64: Circumstances] {
    let protected = try await ProtectionStore(pool: pool).load()
    let ruled = Set(try await pool.run(FindRuled(numbers: numbers)))
    let held = Set(try await pool.run(ReadHolds()).map(\.number))
    return Dictionary(
      numbers.map { number in
        let circumstances = Circumstances(
          isProtected: protected.rule(for: number) != nil, isRuled: ruled.contains(number),
          isHeld: held.contains(number))
        return (number, circumstances)
      }
    ) { first, _ in first }
  }
}
