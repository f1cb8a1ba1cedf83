// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import Moderation
import PostgreSQL
import TestSupport
import Testing

@testable import Storage

/// A clock that was 400 days ahead for a minute has left its times in the database. No work waits for them.
@Suite(.database) struct GatingTimeTests {
  private let now = Date()
  private var pool: PostgresPool { TestDatabase.current.pool }
  private var stores: Stores { Stores(pool: pool) }

  private func set(_ time: GatingTime) async throws {
    try await pool.withConnection {
      try await $0.execute(
        script: "UPDATE \(time.place.table) SET \(time.place.column) = statement_timestamp() + interval '400 days'")
    }
  }

  /// Stores a row of the time as it is at the present, and returns whether work can be done.
  private func work(for time: GatingTime) async throws -> @Sendable () async throws -> Bool {
    let (stores, pool, now) = (stores, pool, now)
    switch time {
    case .publicationTime:
      let claim = try #require(try await stores.publications.claim(1, cause: .schedule, asOf: now))
      try await stores.publications.end(claim, as: .refused, failure: .cannotWrite(path: "/", detail: ""))
      return { try await stores.publications.attempts(since: now - 60, at: now).refused == 0 }
    case .publicationHeartbeat:
      _ = try await stores.publications.claim(1, cause: .schedule, asOf: now)
      return {
        let isTaken = try await stores.publications.isTaken()
        let running = try await stores.publications.attempts(since: now - 60, at: now).running
        let next = try await stores.publications.claim(2, cause: .schedule, asOf: now)
        return !isTaken && running == 0 && next != nil
      }
    case .nextRefresh, .completeRefresh, .judgment:
      let settings = Source.Settings(name: "list", url: "https://example.org/", format: .csv, every: 3_600)
      let list = try await stores.apps.source(named: "list", at: now)
      #expect(try await stores.sources.add(settings, as: list, by: .commandLine("Test"), at: now - 1))
      return {
        let due = try await stores.sources.due(at: now, limit: 8)
        let isJudged = try await stores.sources.isJudgmentDue(since: now - 60)
        return due.first?.isDue(at: now) == true && isJudged
      }
    case .signInWait, .failedSignIn:
      let subject = [UInt8](repeating: 1, count: 32)
      _ = try await stores.attempts.update([subject], at: now) { $0 }
      return {
        let count = try await stores.attempts.update([subject], at: now) { _ in nil }
        return count[0].closedUntil <= now && count[0].lastAt <= now + 1
      }
    case .lease:
      #expect(try await stores.leases.take("job") != nil)
      return { try await LeaseStore(pool: pool).take("job") != nil }
    case .jobHeartbeat:
      try await pool.withConnection {
        try await $0.execute(
          script: """
            INSERT INTO background_jobs (job_id, kind, account, request, state, asked_at, server, heartbeat_at, expires_at)
            VALUES (gen_random_uuid(), 'publication', 'Ada', '{}', 'running', statement_timestamp(), gen_random_uuid(),
                    statement_timestamp(), statement_timestamp())
            """)
      }
      return {
        try await stores.jobs.job(.publication)?.state == .broken
      }
    case .bulkHeartbeat:
      let ada = Actor(name: "Ada", role: .moderator)
      let (bulks, service) = (BulkStore(pool: pool), BulkService(pool: pool))
      let bulk = Bulk(treatment: .allow, worker: ada, decidedAt: now)
      _ = try await service.apply(bulk, to: try await bulks.items([33_199_000_000]))
      try await pool.withConnection { try await $0.execute(script: "UPDATE bulks SET finished_at = NULL") }
      return { try await bulks.unfinished(for: ada).map(\.id) == [bulk.id] }
    case .nextDelivery:
      try await stores.outbox.replaceReceivers(["https://a.example/"])
      try await stores.outbox.record(Event(.test, at: now), at: now)
      return { try await stores.outbox.take(at: now, until: now + 60, limit: 8).count == 1 }
    case .claim:
      try await pool.withConnection {
        try await $0.execute(
          script: """
            INSERT INTO queue (number, causes, urgency, country, since, claim_id, claimed_by, claimed_until)
            VALUES (33199000248, 1, 0, 'FR', statement_timestamp(), gen_random_uuid(), 'Bob', statement_timestamp())
            """)
      }
      return {
        let ada = Actor(name: "Ada", role: .moderator)
        return try await ClaimService(pool: pool).take(33_199_000_248, by: ada, at: now) != nil
      }
    case .statistics:
      try await stores.statistics.refresh(at: now)
      return {
        try await stores.statistics.refresh(at: now)
        return try await stores.operations.wrongTimes(at: now).isEmpty
      }
    case .droppedReports:
      try await pool.withConnection {
        try await $0.execute(
          script: "INSERT INTO report_retention (only_row, dropped_before) VALUES (true, statement_timestamp())")
      }
      return {
        let report = Report(
          number: 33_199_000_248, appID: 1, reportID: UUID(), reportedAt: now, category: .fraud,
          reporter: [UInt8](repeating: 1, count: 16))
        return try await stores.reports.accept([report], receivedAt: now) == [.created]
      }
    }
  }

  @Test(arguments: GatingTime.allCases) func `a time 400 days ahead holds up no work`(time: GatingTime) async throws {
    let works = try await work(for: time)
    try await set(time)
    let wrong = try await stores.operations.wrongTimes(at: now)
    // All reports, and reports of apps, are counted up to a time each.
    #expect(wrong.map(\.time) == [time] && wrong.map(\.rows) == [time == .statistics ? 2 : 1])
    #expect(try await works())
  }

  @Test func `idle connections of older versions are ended after a migration, and no others`() async throws {
    func open(_ version: Int64) -> PostgresPool {
      var configuration = pool.configuration
      configuration.applicationName = "ringfence \(version)"
      return PostgresPool(configuration, maximumConnections: 1, logger: .forTests)
    }
    let newest: Int64 = 20_261_129_140_000
    let (older, working, same) = (open(newest - 1), open(newest - 2), open(newest))
    for pool in [older, same] { _ = try await pool.column("SELECT 1", as: Int32.self) }
    let operations = stores.operations
    try await working.transaction { connection in
      _ = try await connection.execute("SELECT 1")
      // These were opened after the last migration.
      let before = try await operations.endOlderConnections(than: newest)
      try await pool.execute("UPDATE schema_migrations SET applied_at = statement_timestamp() + interval '1 hour'")
      let after = try await operations.endOlderConnections(than: newest)
      #expect(before.ended + before.left == 0 && after.ended == 1 && after.left == 1)
    }
    func sessions(_ version: Int64) async throws -> Int64? {
      try await pool.column(
        """
        SELECT count(*) FROM pg_stat_activity
        WHERE datname = current_database() AND application_name = \("ringfence \(version)")
        """, as: Int64.self
      ).first
    }
    #expect(try await sessions(newest) == 1)
    // The signal takes a moment to arrive.
    let deadline = ContinuousClock.now + .seconds(30)
    while try await sessions(newest - 1) != 0, ContinuousClock.now < deadline { await Task.yield() }
    // The next statement opens a new one.
    #expect(try await older.column("SELECT 1", as: Int32.self) == [1])
    for pool in [older, working, same] { await pool.shutdown() }
  }

  @Test func `a message that was given up stays so`() async throws {
    try await stores.outbox.replaceReceivers(["https://a.example/"])
    try await stores.outbox.record(Event(.test, at: now), at: now)
    let message = try #require(try await stores.outbox.take(at: now, until: now, limit: 1).first)
    try await stores.outbox.postpone(message, until: nil, failure: .invalidAddress)
    #expect(try await stores.outbox.take(at: now + 60, until: now, limit: 1).isEmpty)
    #expect(try await stores.operations.wrongTimes(at: now).isEmpty)
  }
}
