// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import PostgreSQL
import Storage
import TestSupport
import Testing

@Suite(.database) struct QueuePageTests {
  private let now = Date(timeIntervalSince1970: 1_795_000_000)

  private var pool: PostgresPool { TestDatabase.current.pool }
  private var queue: QueueStore { QueueStore(pool: pool) }

  /// Numbers of three countries and none, with random causes and ages; many of the same urgency.
  private func fill(_ count: Int, seed: UInt64) async throws {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<12 {
      let cases = (0..<count / 12).map { _ in
        let prefix = [49_301_000_000, 33_162_000_000, 1_201_200_0000, 800_1000_0000].randomElement(using: &generator)!
        return (
          number: Int64(prefix) + Int64.random(in: 0..<100_000, using: &generator),
          cause: QueueCause.allCases.randomElement(using: &generator)!
        )
      }
      let age = Double([0, 1, 2, 5, 20, 40].randomElement(using: &generator)!) * 86_400
      _ = try await pool.run(EnqueueCases(cases, at: now - age - 10))
    }
  }

  @Test func pagesFollowEachOtherWithoutAGapOrARepeat() async throws {
    try await fill(600, seed: 81)
    let all = try await queue.page(level: 2, limit: 10_000, at: now)
    #expect(all.count > 500)
    let places = all.map { [$0.item.urgency, $0.item.number] }
    #expect(places == places.sorted { ($0[0], $0[1]) < ($1[0], $1[1]) })
    #expect(Set(places.map { $0[0] }).count < 100)
    var walked: [QueueRow] = []
    var place = QueuePlace.start
    while true {
      let page = try await queue.page(after: place, level: 2, limit: 37, at: now)
      guard let last = page.last else { break }
      walked += page
      place = QueuePlace(urgency: last.item.urgency, number: last.item.number)
    }
    #expect(walked == all)
  }

  @Test func countsAreThoseOfTheRowsForEveryFilter() async throws {
    try await fill(400, seed: 82)
    var filters = [QueueFilter()]
    filters += ["DE", "FR", "US", "", "IT"].map { QueueFilter(country: $0) }
    filters += QueueCause.allCases.map { QueueFilter(cause: $0) }
    filters += QueueFilter.ages.map { QueueFilter(days: $0) }
    filters += [QueueFilter(country: "DE", cause: .held, days: 3), QueueFilter(category: .fraud)]
    let queueCounts = try await queue.queueCounts(at: now)
    var seen = 0
    for filter in filters {
      let rows = try await queue.page(filter, level: 2, limit: 10_000, at: now)
      #expect(queueCounts.count(filter, level: 2) == rows.count, "\(filter)")
      seen += rows.count
    }
    #expect(seen > 1_500)
    let held = queueCounts.counts(QueueFilter(cause: .held), level: 2)
    #expect(held.countries.map(\.count).reduce(0, +) == held.all)
  }

  @Test func everyChoiceIsCountedAsIfItWereTheFilter() async throws {
    try await fill(400, seed: 83)
    let queueCounts = try await queue.queueCounts(at: now)
    let filters = [
      QueueFilter(), QueueFilter(country: "DE"), QueueFilter(cause: .held, days: 3), QueueFilter(category: .fraud),
      QueueFilter(country: "FR", category: .telemarketing, cause: .threshold, days: 1),
    ]
    for filter in filters {
      let counts = queueCounts.counts(filter, level: 1)
      func count(_ change: (inout QueueFilter) -> Void) -> Int {
        var other = filter
        change(&other)
        return queueCounts.groups.filter { $0.level <= 1 && $0.isWanted(other) }.map(\.count).reduce(0, +)
      }
      #expect(counts.all == count { _ in })
      for country in Set(queueCounts.groups.map(\.country)) {
        #expect(counts.byCountry[country] ?? 0 == count { $0.country = country })
      }
      for category in ReportCategory.allCases {
        #expect(counts.byCategory[category] ?? 0 == count { $0.category = category })
      }
      for cause in QueueCause.allCases { #expect(counts.byCause[cause] ?? 0 == count { $0.cause = cause }) }
      for days in QueueFilter.ages { #expect(counts.byDays[days] ?? 0 == count { $0.days = days }) }
    }
  }
}

extension QueueTotals.Group {
  /// Whether the group matches a filter, part by part.
  fileprivate func isWanted(_ filter: QueueFilter) -> Bool {
    (filter.country == nil || filter.country == country) && (filter.category == nil || filter.category == category)
      && (filter.cause.map { causes.contains($0) } ?? true) && days >= filter.days ?? 0
  }
}
