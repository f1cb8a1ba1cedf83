// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import PostgreSQL
import TestSupport
import Testing

@testable import Storage

@Suite(.database) struct RetentionTests {
  private func report(_ number: Int64, daysAgo: Double) -> Report {
    Report(
      number: number, appID: 1, reportID: UUID(), reportedAt: now - daysAgo * 86_400, category: .fraud,
      reporter: [UInt8](repeating: 1, count: 16), comment: "A vote on tape.", network: [UInt8](repeating: 2, count: 8))
  }

  private func numbers(_ query: PostgresQuery) async throws -> [Int64] {
    try await pool.column(query)
  }

  @Test func `only old networks and comments are deleted`() async throws {
    let store = ReportStore(pool: pool)
    let old = (1...7 as ClosedRange<Int64>).map { report($0, daysAgo: 45) }
    let fresh = (8...9 as ClosedRange<Int64>).map { report($0, daysAgo: 45) }
    _ = try await store.accept(old, receivedAt: now - 31 * 86_400)
    _ = try await store.accept(fresh, receivedAt: now - 29 * 86_400)

    let retention = RetentionStore(pool: pool, batchSize: 3)
    #expect(try await retention.purgeNetworks(before: now - 30 * 86_400) == 7)
    #expect(try await retention.purgeNetworks(before: now - 30 * 86_400) == 0)
    #expect(try await numbers("SELECT number FROM reports WHERE network IS NOT NULL ORDER BY 1") == [8, 9])
    #expect(try await numbers("SELECT number FROM reports WHERE comment IS NULL") == [])

    #expect(try await retention.purgeComments(before: now - 30 * 86_400, at: now) == 7)
    #expect(try await numbers("SELECT number FROM reports WHERE comment IS NOT NULL ORDER BY 1") == [8, 9])
    // A retry is still recognized.
    #expect(try await store.accept(old, receivedAt: now) == old.map { _ in .duplicate })
    #expect(try await recountAll().differences == [])
  }

  @Test func `old identification batch IDs are deleted and their counts kept`() async throws {
    let store = IdentificationStore(pool: pool)
    let batches = (0..<5).map { _ in
      IdentificationBatch(
        appID: 1, batchID: UUID(), contentHash: [UInt8](repeating: 0, count: 32),
        items: [.init(number: 5, day: 20_740, named: 1, unknown: 0)])
    }
    _ = try await store.accept(batches, receivedAt: now - 36 * 86_400)
    _ = try await store.accept([batches[0]], receivedAt: now)
    #expect(
      try await RetentionStore(pool: pool, batchSize: 2).purgeIdentificationBatches(before: now - 35 * 86_400) == 5)
    #expect(try await store.counts(of: 5, at: now)?.named == 5)
  }

  @Test func `months are dropped and their aggregates kept`() async throws {
    let store = ReportStore(pool: pool)
    // Reported long ago and recently, only long ago, only recently.
    let old = [report(1, daysAgo: 500), report(2, daysAgo: 470)]
    let fresh = [report(1, daysAgo: 20), report(3, daysAgo: 20)]
    _ = try await store.accept(old + fresh, receivedAt: now)
    let before = try await aggregates()

    let cut = now - 403 * 86_400
    try await TestDatabase.current.withClock(at: now) { pool async throws in
      let retention = RetentionStore(pool: pool)
      #expect(try await retention.dropReports(before: cut) == 2)
      #expect(try await retention.dropReports(before: cut) == 0)
    }
    #expect(try await numbers("SELECT number FROM reports ORDER BY 1") == [1, 3])
    #expect(try await aggregates() == before)

    // Neither a recount nor a repair nor reweighting changes numbers that cannot be recounted.
    let damage = try await RecountStore(pool: pool).recount(repairs: true)
    #expect(damage.differences == 0 && damage.beyondRetention == 2)
    try await pool.withConnection { try await $0.execute(script: "UPDATE reports SET weight = 0.25") }
    _ = try await ReporterStore(pool: pool).recount(protected: .none, at: now)
    #expect(try await aggregates().filter { !$0.hasPrefix("3 ") } == before.filter { !$0.hasPrefix("3 ") })

    // A remaining report can still be withdrawn, and its vote is subtracted.
    #expect(try await store.withdraw(reportID: fresh[0].reportID, appID: 1, at: now) == .withdrawn)
    #expect(try await numbers("SELECT reports FROM numbers WHERE number = 1") == [1])
  }

  @Test func `a dropped month accepts no reports`() async throws {
    let store = ReportStore(pool: pool)
    let retention = RetentionStore(pool: pool)
    let old = [report(1, daysAgo: 500)]
    _ = try await store.accept(old + [report(2, daysAgo: 20)], receivedAt: now)
    #expect(try await retention.reportsDroppedBefore() == nil)
    try await TestDatabase.current.withClock(at: now) { pool in
      try await RetentionStore(pool: pool).dropReports(before: now - 403 * 86_400)
    }
    let before = try #require(try await retention.reportsDroppedBefore())
    let standing = try await aggregates()

    // A server that had cached the month, and one that had not.
    for store in [store, ReportStore(pool: pool)] {
      await #expect(throws: StorageError.reportsDropped(before: before)) {
        try await store.accept(old + [report(3, daysAgo: 20)], receivedAt: now)
      }
    }
    #expect(try await aggregates() == standing)
    #expect(try await numbers("SELECT count(*) FROM pg_class WHERE relname ~ '^reports_2025'") == [0])
    // From the first kept time on, everything is accepted.
    let first = [report(4, daysAgo: now.timeIntervalSince(before) / 86_400)]
    #expect(try await store.accept(first, receivedAt: now) == [.created])
  }

  /// Months that a fast clock, here and at the database, has dropped are recognized when the clock is right again.
  @Test func `months that were dropped too early are detected`() async throws {
    _ = try await ReportStore(pool: pool).accept([report(1, daysAgo: 3), report(2, daysAgo: 40)], receivedAt: now)
    #expect(try await RetentionStore(pool: pool).state() == nil)
    let wrong = now + 620 * 86_400
    try await TestDatabase.current.withClock(at: wrong) { pool async throws in
      let retention = RetentionStore(pool: pool)
      #expect(try await retention.dropReports(before: wrong - 403 * 86_400, at: wrong) > 0)
      #expect(try await retention.state()?.isTooYoung == false)
    }
    try await TestDatabase.current.withClock(at: now) { pool async throws in
      #expect(try await RetentionStore(pool: pool).state()?.isTooYoung == true)
    }
  }

  private func aggregates() async throws -> [String] {
    try await pool.column(
      "SELECT format('%s %s %s %s', number, reports, reporters, round(evidence::numeric, 9)) FROM numbers ORDER BY number"
    )
  }
}
