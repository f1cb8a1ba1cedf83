// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import PostgreSQL
import Storage
import TestSupport
import Testing

@Suite(.database) struct QueuePageTests {
  private var queue: QueueStore { QueueStore(pool: pool) }

  /// Numbers of three countries and none, with random causes and ages; many of the same urgency.
  private func fill(_ count: Int, seed: UInt64) async throws {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<12 {
      let cases = (0..<count / 12).map { _ in
        let prefix = [49_301_000_000, 33_199_000_000, 1_201_200_0000, 800_1000_0000].randomElement(using: &generator)!
        return (
          number: Int64(prefix) + Int64.random(in: 0..<100_000, using: &generator),
          cause: QueueCause.allCases.randomElement(using: &generator)!
        )
      }
      let age = Double([0, 1, 2, 5, 20, 40].randomElement(using: &generator)!) * 86_400
      _ = try await pool.run(SQL.enqueueCases(cases, at: now - age - 10))
    }
  }

  /// Few distinct values, so that many cases have the same.
  private func spreadSums() async throws {
    try await pool.execute("UPDATE queue SET heat = (number % 7) / 3.0, reports = number % 11")
  }

  @Test(arguments: QueueOrder.allCases) func `pages follow each other without a gap or a repeat`(_ order: QueueOrder)
    async throws
  {
    try await fill(600, seed: 81)
    try await spreadSums()
    for filter in [QueueFilter(), QueueFilter(country: "DE")] {
      let all = try await queue.page(filter, by: order, level: 2, limit: 10_000, at: now)
      #expect(all.count > 100)
      let places = all.map { order.place(of: $0) }
      let isRising = order == .urgency || order == .age
      let sorted = places.sorted { left, right in
        isRising
          ? (left.value, left.number) < (right.value, right.number)
          : (left.value, left.number) > (right.value, right.number)
      }
      #expect(places == sorted)
      #expect(Set(places.map(\.value)).count < 100)
      var walked: [QueueRow] = []
      var place: QueuePlace?
      while true {
        let page = try await queue.page(filter, by: order, after: place, level: 2, limit: 37, at: now)
        guard let last = page.last else { break }
        walked += page
        place = order.place(of: last)
      }
      #expect(walked == all)
    }
  }

  /// The order of the list is the order of the shown figures.
  @Test func `orders are those of the reports`() async throws {
    let numbers = (0..<40).map { 33_199_000_000 + Int64($0) }
    var reports: [Report] = []
    for (place, number) in numbers.enumerated() {
      for reporter in 0...(place * 7 % 12) {
        reports.append(
          Report(
            number: number, appID: 1, reportID: UUID(), reportedAt: now - Double(place * 11 % 13) * 86_400,
            category: .fraud, reporter: [UInt8](repeating: UInt8(reporter + 1), count: 16)))
      }
    }
    _ = try await ReportStore(pool: pool).accept(reports, receivedAt: now)
    _ = try await queue.evaluate(
      numbers, by: try await ThresholdStore(pool: pool).current(),
      protected: try await ProtectionStore(pool: pool).load(), at: now)
    let byReports = try await queue.page(by: .reports, level: 2, at: now)
    #expect(byReports.count > 20 && byReports.map(\.reports) == byReports.map(\.reports).sorted(by: >))
    #expect(byReports.first?.reports == 12)
    let byHeat = try await queue.page(by: .heat, level: 2, at: now)
    #expect(byHeat.map(\.heat) == byHeat.map(\.heat).sorted(by: >) && Set(byHeat.map(\.heat)).count > 10)
    // A further report changes the place with the next evaluation.
    let least = try #require(byReports.last?.item.number)
    _ = try await ReportStore(pool: pool).accept(
      (0..<20).map { index in
        Report(
          number: least, appID: 1, reportID: UUID(), reportedAt: now, category: .fraud,
          reporter: [UInt8](repeating: UInt8(100 + index), count: 16))
      }, receivedAt: now)
    _ = try await queue.evaluate(
      [least], by: try await ThresholdStore(pool: pool).current(),
      protected: try await ProtectionStore(pool: pool).load(), at: now)
    #expect(try await queue.page(by: .reports, level: 2, limit: 1, at: now).first?.item.number == least)
  }

  @Test func `counts equal the rows for every filter`() async throws {
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

  @Test func `every choice is counted as if it were the filter`() async throws {
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
