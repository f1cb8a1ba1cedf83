// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import Moderation
import PostgreSQL
import Storage
import TestSupport
import Testing

@Suite(.database) struct StatisticsTests {
  private var store: StatisticsStore { StatisticsStore(pool: pool) }

  private func report(_ count: Int, daysAgo: Double, arrived: Date) async throws {
    let reports = (0..<count).map { index in
      Report(
        number: 33_199_000_000 + Int64(index), appID: 1, reportID: UUID(), reportedAt: now - daysAgo * 86_400,
        category: .fraud, reporter: nil)
    }
    _ = try await ReportStore(pool: pool).accept(reports, receivedAt: arrived)
  }

  @Test func `every report is counted once on its day`() async throws {
    try await report(5, daysAgo: 0, arrived: now)
    try await report(3, daysAgo: 2, arrived: now)
    try await report(2, daysAgo: 0, arrived: now + 90)
    // The last two may not have been visible yet.
    for _ in 0..<2 { try await store.refresh(at: now + 60) }
    #expect(try await store.days(3, until: now).map { $0[.reports] } == [3, 0, 5])
    let (shared, time) = (store, now)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<4 { group.addTask { try await shared.refresh(at: time + 200) } }
      try await group.waitForAll()
    }
    #expect(try await store.days(3, until: now).map { $0[.reports] } == [3, 0, 7])
    _ = try await DecisionService(pool: pool).record(
      try Decision(number: 33_199_000_000, treatment: .allow, reason: "Mine.", decidedBy: "Ada", decidedAt: now))
    try await store.refresh(at: now + 300)
    #expect(try await store.days(1, until: now).map { $0[.decisions] } == [1])
  }

  @Test func `reports of apps are counted also where 0.1.0 has counted all reports`() async throws {
    try await store.refresh(at: now)
    let reports = (0..<3).map { index in
      Report(
        number: 33_199_000_000, appID: 1, reportID: UUID(), reportedAt: now, category: .fraud,
        reporter: [UInt8](repeating: UInt8(index), count: 16))
    }
    _ = try await ReportStore(pool: pool).accept(reports, receivedAt: now + 10)
    try await report(2, daysAgo: 0, arrived: now + 10)
    try await pool.execute("UPDATE statistics_watermarks SET counted_until = \(now + 100) WHERE statistic = 'reports'")
    try await store.refresh(at: now + 300)
    let counted = "SELECT value FROM daily_statistics WHERE statistic = 'app_reports'" as PostgresQuery
    #expect(try await pool.column(counted, as: Int64.self) == [3])
  }

  @Test func `neither an undoing nor an expiry counts as a decision`() async throws {
    let decisions = DecisionService(pool: pool)
    let number: Int64 = 33_199_000_248
    let undone = try Decision(number: number, treatment: .allow, decidedBy: "Ada", decidedAt: now)
    let expiring = try Decision(
      number: number + 1, treatment: .block, reason: "Calls.", decidedBy: "Ada", decidedAt: now, expiresAt: now + 30)
    for decision in [undone, expiring] { _ = try await decisions.record(decision) }
    _ = try await decisions.undo(undone.id, of: number, decidedBy: "Ada", at: now + 10)
    #expect(try await decisions.expire(at: now + 60) == 1)
    try await store.refresh(at: now + 90)
    #expect(try await store.days(1, until: now).map { $0[.decisions] } == [2])
  }

  @Test func `counting continues after a clock that was ahead`() async throws {
    try await store.refresh(at: now)
    try await store.refresh(at: now + 300 * 86_400)
    try await store.refresh(at: now + 60)
    try await report(4, daysAgo: 0, arrived: now + 70)
    try await store.refresh(at: now + 120)
    #expect(try await store.days(1, until: now).map { $0[.reports] } == [4])
  }
}
