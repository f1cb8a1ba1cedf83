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
    public var serial: Int64
    /// The time for which its scores were calculated.
    public var asOf: Date

    public init(serial: Int64, asOf: Date) {
      self.serial = serial
      self.asOf = asOf
    }
  }

  public init(pool: PostgresPool) {
    self.pool = pool
  }

  /// The facts about each number. Holds, protection and listings are the present ones, so a comparison of old
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
        facts[number]?.isRangeDecided = ranges.contains { $0.contains(number) }
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

extension SQL {
  /// Decisions about numbers and upheld appeals between two times, and the numbers' present holds and listings; no row for
  /// a number without any of them.
  static func readChangeFacts(
    numbers: [Int64], from: Date, to: Date
  ) -> Statement<(number: Int64, facts: ChangeFacts)> {
    Statement(
      """
      SELECT number,
             (array_agg(decision ORDER BY decided_at DESC, decision_id DESC) FILTER (WHERE decision <> 'undo'))[1],
             coalesce(bool_or(decision = 'undo'), false), bool_or(is_upheld), bool_or(is_held), max(cause),
             bool_or(is_reported)
      FROM (
        SELECT number, decision, decided_at, decision_id, false AS is_upheld, false AS is_held, NULL::smallint AS cause,
               false AS is_reported
        FROM decisions WHERE number = ANY($1::bigint[]) AND decided_at > $2 AND decided_at <= $3
        UNION ALL
        SELECT number, NULL, NULL, NULL, true, false, NULL, false FROM appeals
        WHERE number = ANY($1::bigint[]) AND state = 'upheld' AND answered_at > $2 AND answered_at <= $3
        UNION ALL
        SELECT number, NULL, NULL, NULL, false, true, NULL, false FROM holds
        WHERE number = ANY($1::bigint[]) AND NOT settled
        UNION ALL
        SELECT number, NULL, NULL, NULL, false, false, cause, false FROM listings WHERE number = ANY($1::bigint[])
        UNION ALL
        SELECT number, NULL, NULL, NULL, false, false, NULL, true FROM numbers WHERE number = ANY($1::bigint[])
      ) known GROUP BY number
      """,
      numbers, from, to
    ) { row in
      var facts = ChangeFacts()
      facts.decision = try row.decode(1, as: String?.self).flatMap(Decision.Treatment.init)
      facts.hasUndone = try row.decode(2)
      facts.hasAppealUpheld = try row.decode(3)
      facts.isHeld = try row.decode(4)
      facts.cause = try row.decode(5, as: Int16?.self).flatMap { ListedNumber.Cause(rawValue: UInt8($0)) }
      facts.isReported = try row.decode(6)
      return (try row.decode(0), facts)
    }
  }

  /// Revocations between two publications: numbers that were removed or added singly.
  static func readSingleChanges(
    numbers: [Int64], after: Int64, upTo: Int64
  ) -> Statement<(number: Int64, reason: String)> {
    Statement(
      """
      SELECT number, reason FROM revocations
      WHERE serial > $2 AND serial <= $3 AND number = ANY($1::bigint[]) ORDER BY requested_at
      """,
      numbers, after, upTo
    ) { (try $0.decode(0), try $0.decode(1)) }
  }

  static func readDecidedRanges(from: Date, to: Date) -> Statement<RangePattern> {
    Statement(
      "SELECT pattern, firsts, lasts FROM ranges WHERE decided_at > $1 AND decided_at <= $2 ORDER BY number, pattern",
      from, to
    ) { row in
      let (firsts, lasts): ([Int64], [Int64]) = (try row.decode(1), try row.decode(2))
      return RangePattern(stored: try row.decode(0), blocks: zip(firsts, lasts).map { $0...$1 })
    }
  }

  /// The version of thresholds that was in force at a time.
  static func readVersionAt(time: Date) -> Statement<Int32> {
    Statement(
      "SELECT version FROM threshold_versions WHERE saved_at <= $1 ORDER BY version DESC LIMIT 1",
      time)
  }
}
