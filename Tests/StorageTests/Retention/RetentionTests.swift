import Curation
import Foundation
import PostgreSQL
import TestSupport
import Testing
import Timestamps

@testable import Storage

@Suite(.database) struct RetentionTests {
  private let now = Date(timeIntervalSince1970: 1_795_000_000)

  private var pool: PostgresPool { TestDatabase.current.pool }

  private func report(_ number: Int64, daysAgo: Double) -> Report {
    Report(
      number: number, appID: 1, reportID: UUID(), reportedAt: now - daysAgo * 86_400, category: .fraud,
      reporter: [UInt8](repeating: 1, count: 16), comment: "A vote on tape.", network: [UInt8](repeating: 2, count: 8))
  }

  private func numbers(_ query: PostgresQuery) async throws -> [Int64] {
    try await pool.withConnection { try await $0.query(query) }.map { try $0.decode(0) }
  }

  @Test func whatIsOldIsForgottenAndNothingElse() async throws {
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
    // A retry is known all the same.
    #expect(try await store.accept(old, receivedAt: now) == old.map { _ in .duplicate })
    #expect(try await recountAll().differences == [])
  }

  @Test func namesOfIdentificationBatchesAreForgottenAndTheirCountsKept() async throws {
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

  @Test func monthsAreDroppedAndWhatTheyAddedUpToStays() async throws {
    let store = ReportStore(pool: pool)
    // Known since long ago and lately, only long ago, only lately.
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

    // Neither a recount nor a repair, nor weighing anew, takes back what cannot be recounted.
    let damage = try await RecountStore(pool: pool).recount(repairs: true)
    #expect(damage.differences == 0 && damage.beyondRetention == 2)
    try await pool.withConnection { try await $0.execute(script: "UPDATE reports SET weight = 0.25") }
    _ = try await ReporterStore(pool: pool).recount(protected: .none, at: now)
    #expect(try await aggregates().filter { !$0.hasPrefix("3 ") } == before.filter { !$0.hasPrefix("3 ") })

    // A report that is left can still be withdrawn, and takes back its own word.
    #expect(try await store.withdraw(reportID: fresh[0].reportID, appID: 1, at: now) == .withdrawn)
    #expect(try await numbers("SELECT reports FROM numbers WHERE number = 1") == [1])
  }

  @Test func aMonthThatWasDroppedTakesNoReportAgain() async throws {
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

    // A server that knew the month, and one that did not.
    for store in [store, ReportStore(pool: pool)] {
      await #expect(throws: StorageError.reportsDropped(before: before)) {
        try await store.accept(old + [report(3, daysAgo: 20)], receivedAt: now)
      }
    }
    #expect(try await aggregates() == standing)
    #expect(try await numbers("SELECT count(*) FROM pg_class WHERE relname ~ '^reports_2025'") == [0])
    // From the first moment on that is kept, everything is taken.
    let first = [report(4, daysAgo: now.timeIntervalSince(before) / 86_400)]
    #expect(try await store.accept(first, receivedAt: now) == [.created])
  }

  /// A clock that was 20 months ahead, here and at the database: all that there was is gone, up to the end of this month.
  private func dropAll(_ reports: [Report]) async throws -> Date {
    _ = try await ReportStore(pool: pool).accept(reports, receivedAt: now)
    let wrong = now + 620 * 86_400
    try await TestDatabase.current.withClock(at: wrong) { pool in
      let retention = RetentionStore(pool: pool)
      #expect(try await retention.dropReports(before: wrong - 403 * 86_400, at: wrong) > 0)
      // By that clock it is right.
      #expect(try await retention.state()?.isTooYoung == false)
      let change = try #require(try await retention.reopen(by: "Ada", because: "A clock.", at: wrong))
      #expect(change.former == change.present)
    }
    return try #require(try await RetentionStore(pool: pool).reportsDroppedBefore())
  }

  @Test func whatAClockThatRanAheadShutOutIsTakenAgainFromTheDayAfterTheNewestThatIsGone() async throws {
    // 1_795_000_000 is 2026-11-18T11:06:40Z.
    let store = ReportStore(pool: pool)
    let before = try await dropAll([report(1, daysAgo: 3), report(2, daysAgo: 40)])
    #expect(before == Timestamp.parse("2026-12-01T00:00:00Z"))
    let today = report(3, daysAgo: 0)
    await #expect(throws: StorageError.reportsDropped(before: before)) {
      try await store.accept([today], receivedAt: now)
    }
    try await TestDatabase.current.withClock(at: now) { pool in
      let retention = RetentionStore(pool: pool)
      #expect(try await retention.state()?.isTooYoung == true)
      let change = try #require(try await retention.reopen(by: "Ada", because: "A clock.", at: now))
      #expect(change.former.droppedBefore == before)
      #expect(change.present.droppedBefore == Timestamp.parse("2026-11-16T00:00:00Z"))
      // Again it changes nothing.
      let again = try #require(try await retention.reopen(by: "Ada", because: "A clock.", at: now))
      #expect(again.former == again.present && again.present.droppedBefore == change.present.droppedBefore)
    }
    #expect(try await numbers("SELECT count(*) FROM audit_events WHERE action = 'retention.reopen'") == [1])
    #expect(try await store.accept([today], receivedAt: now) == [.created])
    // What may be gone is refused still, alone in its month and beside others, by a server that knows the month and not.
    let first = try #require(Timestamp.parse("2026-11-16T00:00:00Z"))
    for store in [store, ReportStore(pool: pool)] {
      for old in [report(4, daysAgo: 3), report(4, daysAgo: 40), report(4, daysAgo: 500)] {
        await #expect(throws: StorageError.reportsDropped(before: first)) {
          try await store.accept([report(5, daysAgo: 0), old], receivedAt: now)
        }
      }
    }
    #expect(try await recountAll().differences == [])
  }

  @Test func aServerThatKnewAMonthLearnsFromWhenOnItIsOpen() async throws {
    let partitions = ReportPartitions(pool: pool, believed: .zero)
    try await partitions.prepare(for: [report(1, daysAgo: 3)])
    _ = try await dropAll([report(1, daysAgo: 3)])
    try await TestDatabase.current.withClock(at: now) { pool in
      _ = try await RetentionStore(pool: pool).reopen(by: "Ada", because: "A clock.", at: now)
    }
    // Another server makes the month anew.
    #expect(try await ReportStore(pool: pool).accept([report(3, daysAgo: 0)], receivedAt: now) == [.created])
    let first = try #require(Timestamp.parse("2026-11-16T00:00:00Z"))
    try await partitions.prepare(for: [report(4, daysAgo: 0)])
    await #expect(throws: StorageError.reportsDropped(before: first)) {
      try await partitions.prepare(for: [report(1, daysAgo: 3)])
    }
  }

  /// Of whatever is gone something stays: a number that was spoken of since tells of it by its reporter's word, that word
  /// by what it replaced, or the day by its count.
  @Test func nothingIsReopenedThatIsGone() async throws {
    let store = ReportStore(pool: pool)
    _ = try await store.accept([report(1, daysAgo: 9)], receivedAt: now)
    try await StatisticsStore(pool: pool).refresh(at: now + 1)
    _ = try await dropAll([report(1, daysAgo: 5)])
    for (script, day) in [
      ("UPDATE daily_statistics SET day = '2026-11-07' WHERE figure = 'reports'", "2026-11-14"),
      ("UPDATE numbers SET first_reported_at = '2026-11-05 00:00:00Z'", "2026-11-14"),
      ("UPDATE numbers SET last_reported_at = '2027-01-01 00:00:00Z'", "2026-11-14"),
      ("UPDATE number_reporters SET reported_at = '2027-01-01 00:00:00Z'", "2026-11-10"),
      ("UPDATE number_reporters SET previous_reported_at = NULL", "2026-11-08"),
      ("UPDATE daily_statistics SET value = 0", "2026-11-06"),
      ("UPDATE numbers SET last_reported_at = '2026-11-20 00:00:00Z'", "2026-11-21"),
    ] {
      try await pool.withConnection {
        try await $0.execute(script: "\(script); UPDATE report_retention SET dropped_before = '2026-12-01 00:00:00Z'")
      }
      try await TestDatabase.current.withClock(at: now) { pool in
        let change = try await RetentionStore(pool: pool).reopen(by: "Ada", because: "A clock.", at: now)
        #expect(change?.present.droppedBefore == Timestamp.parse("\(day)T00:00:00Z"), "\(script)")
      }
    }
  }

  private func aggregates() async throws -> [String] {
    try await pool.withConnection { connection in
      try await connection.query(
        "SELECT format('%s %s %s %s', number, reports, reporters, round(evidence::numeric, 9)) FROM numbers ORDER BY number"
      ).map { try $0.decode(0) }
    }
  }
}
