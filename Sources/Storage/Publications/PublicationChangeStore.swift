// SPDX-License-Identifier: Apache-2.0

public import Curation
public import Foundation
import PhoneNumbers
public import PostgreSQL

/// Explains the changes between two publications by the decisions between them.
public struct PublicationChangeStore: Sendable {
  private let pool: PostgresPool

  /// One of the two publications.
  public struct Side: Sendable {
    /// Its serial.
    public var serial: Int64
    /// The time for which its scores were calculated.
    public var asOf: Date

    /// - Parameters: see the properties.
    public init(serial: Int64, asOf: Date) {
      self.serial = serial
      self.asOf = asOf
    }
  }

  /// - Parameter pool: where decisions are kept.
  public init(pool: PostgresPool) {
    self.pool = pool
  }

  /// The facts about each number. Holds, protection and listings are those of the present, so a comparison of old
  /// publications is less complete.
  /// - Parameter numbers: numbers that changed; few.
  public func facts(
    of numbers: [Int64], from earlier: Side, to later: Side
  ) async throws -> [Int64: ChangeFacts] {
    let numbers = numbers.sorted()
    return try await pool.withConnection { connection in
      let found = try await connection.run(SQL.readChangeFacts(numbers: numbers, from: earlier.asOf, to: later.asOf))
      var facts = Dictionary(numbers.map { ($0, ChangeFacts()) }) { first, _ in first }
      for (number, known) in found { facts[number] = known }
      let singles = try await connection.run(
        SQL.readSingleChanges(numbers: numbers, after: earlier.serial, upTo: later.serial))
      for single in singles { facts[single.number]?.revocation = single.reason }
      let ranges = try await connection.run(SQL.readDecidedRanges(from: earlier.asOf, to: later.asOf))
      let change = try await Self.thresholds(from: earlier.asOf, to: later.asOf, on: connection)
      for number in numbers {
        facts[number]?.isRangeDecided = ranges.contains { $0.numbers.contains(number) }
        facts[number]?.protection = try await ProtectionStore.rule(for: number, on: connection)
        if let change, try await Self.isDecided(number, by: change, at: later.asOf, on: connection) {
          facts[number]?.thresholds = change.version
        }
      }
      return facts
    }
  }

  private struct Change {
    let version: Int32
    let before: ThresholdSet
    let after: ThresholdSet
  }

  private static func thresholds(
    from earlier: Date, to later: Date, on connection: PostgresConnection
  ) async throws -> Change? {
    let first = try await connection.run(SQL.readVersionAt(time: earlier)).first
    guard let last = try await connection.run(SQL.readVersionAt(time: later)).first, first != last else { return nil }
    return Change(
      version: last, before: try await ThresholdStore.set(first ?? 1, on: connection),
      after: try await ThresholdStore.set(last, on: connection))
  }

  /// Whether the two threshold sets evaluate the number differently, in either direction.
  private static func isDecided(
    _ number: Int64, by change: Change, at time: Date, on connection: PostgresConnection
  ) async throws -> Bool {
    guard var record = try await NumberRecordStore.record(of: number, on: connection) else { return false }
    for isListed in [false, true] {
      record.isListed = isListed
      let score = Score(record, at: time)
      let evaluate = { (set: ThresholdSet) in
        score.evaluate(by: set, in: OverrideState()) { RegionMap.countries.region(of: number) }.meetsThreshold
      }
      if evaluate(change.before) != evaluate(change.after) { return true }
    }
    return false
  }
}
