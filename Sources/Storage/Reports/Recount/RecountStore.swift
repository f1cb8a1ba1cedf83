// SPDX-License-Identifier: Apache-2.0

import Foundation
import PhoneNumbers
public import PostgreSQL

/// Recounts aggregates from reports, and the sums of identifications from their days.
///
/// The database compares an interval of numbers in one statement, so stored and recounted values are from one snapshot
/// and reports may arrive meanwhile; only differences are transferred.
public struct RecountStore: Sendable {
  private let pool: PostgresPool
  private let rangeSize: Int

  public static let allNumbers: ClosedRange<Int64> = PhoneNumber.digitsRange

  /// - Parameter rangeSize: about how many numbers are recounted at once, at least 1.
  public init(pool: PostgresPool, rangeSize: Int = 20_000) {
    self.pool = pool
    self.rangeSize = max(1, rangeSize)
  }

  /// Number of numbers of an interval that have an aggregate or a sum of identifications.
  public func count(in numbers: ClosedRange<Int64> = allNumbers) async throws -> Int {
    try await pool.run(
      """
      SELECT (SELECT count(*) FROM numbers WHERE number > $1 AND number <= $2)
        + (SELECT count(*) FROM number_identifications i WHERE i.number > $1 AND i.number <= $2
           AND NOT EXISTS (SELECT 1 FROM numbers n WHERE n.number = i.number))
      """,
      numbers.lowerBound - 1, numbers.upperBound
    ) { Int(try $0.decode(0, as: Int64.self)) }[0]
  }

  /// Recounts an interval of numbers, part by part.
  /// - Parameters:
  ///   - repairs: whether the recount replaces different values, each part in one transaction.
  ///   - found: called with differences as they are found, in pieces of bounded size.
  ///   - progress: called with the number of numbers compared so far.
  public func recount(
    _ numbers: ClosedRange<Int64> = allNumbers, repairs: Bool,
    found: @Sendable ([RecountDifference]) async throws -> Void = { _ in },
    progress: @Sendable (Int) -> Void = { _ in }
  ) async throws -> RecountSummary {
    var summary = RecountSummary()
    var after = numbers.lowerBound - 1
    while after < numbers.upperBound {
      try Task.checkCancellation()
      let end = try await pool.run(SQL.findRangeEnd(after: after, upTo: numbers.upperBound, size: rangeSize))[0]
      let count = try await count(in: after + 1...end)
      summary.beyondRetention += Int(try await pool.run(SQL.countBeyondRetention(after: after, upTo: end)).first ?? 0)
      let reports = try await differences(SQL.findDifferences(after: after, upTo: end), &summary, found)
      let days = try await differences(SQL.findIdentificationDifferences(after: after, upTo: end), &summary, found)
      let damaged = reports.union(days)
      summary.damagedNumbers += damaged.count
      // Numbers without a row are only in the recount.
      summary.numbers += max(count, damaged.count)
      if repairs {
        if !reports.isEmpty { try await repairAggregates(of: reports.sorted()) }
        if !days.isEmpty { try await repairIdentifications(of: days.sorted()) }
      }
      progress(summary.numbers)
      after = end
    }
    return summary
  }

  /// Passes the differences of a statement to `found`; returns the numbers.
  private func differences(
    _ statement: Statement<RecountDifference>, _ summary: inout RecountSummary,
    _ found: @Sendable ([RecountDifference]) async throws -> Void
  ) async throws -> Set<Int64> {
    let (damaged, count) = try await pool.withConnection { connection in
      var damaged = Set<Int64>()
      var count = 0
      for try await batch in connection.stream(statement).batches {
        for difference in batch { damaged.insert(difference.number) }
        count += batch.count
        try await found(batch)
      }
      return (damaged, count)
    }
    summary.differences += count
    return damaged
  }

  private func repairAggregates(of numbers: [Int64]) async throws {
    try await pool.transaction { connection in
      _ = try await connection.run(SQL.writeShardsInOrder())
      try await connection.repairAggregates(of: numbers, at: Date())
    }
  }

  private func repairIdentifications(of numbers: [Int64]) async throws {
    try await pool.transaction { connection in
      _ = try await connection.run(SQL.writeShardsInOrder())
      _ = try await connection.run(SQL.lockIdentifications(numbers: numbers))
      _ = try await connection.run(SQL.repairIdentifications(numbers: numbers))
    }
  }
}

extension PostgresConnection {
  /// Replaces the aggregates of numbers by the recount, within a transaction.
  ///
  /// First locks all rows that a batch would change, in a batch's order; the recount then sees everything counted
  /// before, and later batches add to it. Where a row is missing that a batch is about to insert, one of the two may
  /// have to retry: both do.
  /// - Parameter time: the time in rows that are made for the lock alone.
  func repairAggregates(of numbers: [Int64], at time: Date) async throws {
    _ = try await run(SQL.lockVotes(numbers: numbers))
    _ = try await run(SQL.lockSources(numbers: numbers))
    _ = try await run(SQL.lockCategories(numbers: numbers))
    _ = try await run(SQL.lockNumbers(numbers: numbers, time: time))
    _ = try await run(SQL.repairAggregates(numbers: numbers))
  }
}

/// A stored value that differs from the recount.
public struct RecountDifference: Sendable, Equatable {
  /// E.164 digits.
  public let number: Int64
  /// The table and column, with the category's id or the start of the reporter's pseudonym where there is one:
  /// `numbers.heat`, `number_categories[4].reports`, `number_reporters[1f2e3d4c]`.
  public let what: String
  /// The stored value; nil where there is no row. Heat and evidence are given as stored.
  public let stored: String?
  /// The recounted value; nil where there should be no row.
  public let recounted: String?

  public init(number: Int64, what: String, stored: String?, recounted: String?) {
    self.number = number
    self.what = what
    self.stored = stored
    self.recounted = recounted
  }
}

public struct RecountSummary: Sendable, Equatable {
  /// Numbers that have a row, or should have one.
  public var numbers = 0
  public var differences = 0
  /// Numbers with at least one difference.
  public var damagedNumbers = 0
  /// Numbers older than the first kept month of reports, which cannot be recounted.
  public var beyondRetention = 0

  public init(numbers: Int = 0, differences: Int = 0, damagedNumbers: Int = 0) {
    self.numbers = numbers
    self.differences = differences
    self.damagedNumbers = damagedNumbers
  }
}
