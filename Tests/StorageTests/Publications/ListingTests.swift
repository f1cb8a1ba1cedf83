// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import PostgreSQL
import Storage
import TestSupport
import Testing

@Suite(.database) struct ListingTests {
  private func replace(_ listings: [Listing], serial: Int64) async throws {
    try await pool.transaction { connection in
      try await PublicationStore.replaceListings(
        with: listings, serial: serial, at: now + Double(serial), on: connection)
    }
  }

  @Test func `numbers are counted by class with each publication`() async throws {
    let numbers: [Int64] = [33_199_000_248, 33_199_000_249, 33_199_000_250]
    try await pool.execute(
      """
      INSERT INTO numbers (number, heat, evidence, legitimate, reports, reporters, first_reported_at, last_reported_at, last_day)
      SELECT number, 1, 1, 0, reporters, reporters, \(now), \(now), (\(now)::timestamptz AT TIME ZONE 'UTC')::date - ago
      FROM unnest(\(numbers), \([4, 50, 49] as [Int32]), \([7, 8, 91] as [Int32])) AS t (number, reporters, ago)
      """)
    @Sendable func listing(_ number: Int64, _ cause: ListedNumber.Cause) -> Listing {
      Listing(number: number, category: .fraud, cause: cause, treatment: cause == .range ? .identify : .block)
    }
    let store = Stores(pool: pool).remediations
    try await pool.transaction { connection in
      try await PublicationStore.replaceListings(
        with: [listing(numbers[0], .reports), listing(numbers[1], .decision), listing(numbers[2], .range)], serial: 1,
        at: now, on: connection)
    }
    let counted = try await store.listedNumbers()
    #expect(counted[.origin] == ["reports": 1, "decision": 1, "range": 1])
    #expect(counted[.treatment] == ["block": 2, "identify": 1] && counted[.numberType]?.values.reduce(0, +) == 3)
    #expect(counted[.score] == ["low": 1, "medium": 1, "high": 1])
    #expect(counted[.age] == ["week": 1, "month": 1, "older": 1])
    #expect(try await store.meanNumbers()[.origin] == ["reports": 1, "decision": 1, "range": 1])
    // Four weeks later, the mean has moved by 1 − 1/e; a class without numbers keeps the rest.
    try await pool.execute("UPDATE listed_class_means SET mean = 5000, counted_at = counted_at - interval '28 days'")
    try await pool.transaction { connection in
      try await PublicationStore.replaceListings(
        with: [listing(numbers[0], .reports)], serial: 2, at: now, on: connection)
    }
    #expect(try await store.listedNumbers()[.origin] == ["reports": 1])
    let means = try await store.meanNumbers()[.origin] ?? [:]
    #expect(means.mapValues { Int($0.rounded()) } == ["reports": 1_840, "decision": 1_839, "range": 1_839])
  }

  /// The stored listings, with the serial of each.
  private func stored() async throws -> [(listing: Listing, serial: Int64)] {
    try await pool.withConnection { connection in
      try await connection.query(
        "SELECT number, category_id, cause, treatment, serial FROM listings ORDER BY number"
      ).map { row in
        let category = try #require(ReportCategory(rawValue: try row.decode(1)))
        let cause = try #require(ListedNumber.Cause(rawValue: UInt8(try row.decode(2, as: Int16.self))))
        let isBlocked = try row.decode(3, as: Int16.self) == 0
        return (
          Listing(
            number: try row.decode(0), category: category, cause: cause, treatment: isBlocked ? .block : .identify),
          try row.decode(4)
        )
      }
    }
  }

  private func listings(_ numbers: some Sequence<Int64>, cause: ListedNumber.Cause = .reports) -> [Listing] {
    numbers.map { Listing(number: 33_160_000_000 + $0, category: .fraud, cause: cause) }
  }

  /// More than are read or written at once.
  @Test func `a publication replaces the listings and leaves unchanged rows alone`() async throws {
    let first = listings(0..<45_000)
    try await replace(first, serial: 1)
    #expect(try await stored().map(\.listing) == first)

    // Every third is gone, every fifth has another cause, and others are between the former ones and after them.
    var second = first.filter { $0.number % 3 != 0 }
    for index in second.indices where second[index].number % 5 == 0 { second[index].cause = .decision }
    second = (second + listings(90_000..<120_000)).sorted { $0.number < $1.number }
    try await replace(second, serial: 2)
    let found = try await stored()
    #expect(found.map(\.listing) == second)
    #expect(found.allSatisfy { ($0.serial == 2) == ($0.listing.number >= 33_160_090_000) })

    try await replace(Array(second.suffix(1)), serial: 3)
    #expect(try await stored().map(\.listing) == second.suffix(1))
    try await replace([], serial: 4)
    #expect(try await stored().isEmpty)
  }
}
