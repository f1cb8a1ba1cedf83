// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import PostgreSQL
import Storage
import TestSupport
import Testing

@Suite(.database) struct JobStoreTests {
  private let one = UUID()
  private let other = UUID()

  private var store: JobStore { JobStore(pool: pool) }

  private func preview(_ account: String, _ request: String = "{}") -> BackgroundJob {
    BackgroundJob(kind: .preview, account: account, request: request)
  }

  private func order() -> BackgroundJob { BackgroundJob(kind: .publication, account: "Ada", request: "{}") }

  /// Makes all rows of the table older.
  private func age(by seconds: Double) async throws {
    try await pool.execute(
      """
      UPDATE background_jobs SET heartbeat_at = heartbeat_at - make_interval(secs => \(seconds)),
        asked_at = asked_at - make_interval(secs => \(seconds)), expires_at = expires_at - make_interval(secs => \(seconds))
      """)
  }

  @Test func `one job of a kind runs at a time on all servers`() async throws {
    let (adas, bobs) = (preview("Ada"), preview("Bob"))
    #expect(try await store.place(adas))
    #expect(try await store.place(bobs))
    #expect(try await store.job(.preview, of: "Bob")?.ahead == 1)
    #expect(try await store.claim(.preview, by: one)?.id == adas.id)
    #expect(try await store.claim(.preview, by: other) == nil)
    // A repeated claim after a lost response returns the same job.
    #expect(try await store.claim(.preview, by: one)?.id == adas.id)
    #expect(try await store.job(.preview, of: "Bob")?.ahead == 1)
    // A publication is a job of another kind.
    #expect(try await store.place(order()))
    #expect(try await store.claim(.publication, by: other) != nil)

    #expect(try await store.beat(adas.id, by: one, step: .comparingThresholds(count: 5)))
    #expect(try await !store.beat(adas.id, by: other, step: .signing))
    #expect(try await store.job(.preview, of: "Ada")?.step == .comparingThresholds(count: 5))
    try await store.end(adas.id, by: one, as: .done, outcome: "{\"a\":1}")
    let done = try #require(try await store.job(.preview, of: "Ada"))
    #expect(done.state == .done && done.outcome == "{\"a\":1}")
    #expect(try await store.job(.preview, of: "Ada", isWithOutcome: false)?.outcome == nil)
    #expect(try await store.claim(.preview, by: other)?.id == bobs.id)
  }

  @Test func `parallel claims give one job to one server`() async throws {
    for index in 0..<6 { #expect(try await store.place(preview("Account \(index)"))) }
    let claimed = try await withThrowingTaskGroup(of: BackgroundJob?.self) { group in
      for _ in 0..<6 { group.addTask { [store] in try await store.claim(.preview, by: UUID()) } }
      return try await group.reduce(into: []) { $0 += $1.map { [$0] } ?? [] }
    }
    #expect(claimed.count == 1)
  }

  @Test func `a replaced or removed job ignores its former server`() async throws {
    let (first, second) = (preview("Ada", "1"), preview("Ada", "2"))
    _ = try await store.place(first)
    _ = try await store.claim(.preview, by: one)
    _ = try await store.place(second)
    #expect(try await !store.beat(first.id, by: one, step: .starting))
    try await store.end(first.id, by: one, as: .done, outcome: "old")
    let there = try #require(try await store.job(.preview, of: "Ada"))
    #expect(there.id == second.id && there.state == .waiting && there.request == "2")
    try await store.remove(.preview, of: "Ada")
    #expect(try await store.job(.preview, of: "Ada") == nil)
  }

  @Test func `the job of a dead server is marked as broken and not restarted`() async throws {
    let job = preview("Ada")
    _ = try await store.place(job)
    _ = try await store.claim(.preview, by: one)
    try await age(by: 10)
    #expect(try await store.job(.preview, of: "Ada")?.state == .running)
    try await age(by: 21)
    #expect(try await store.job(.preview, of: "Ada")?.state == .broken)
    // The next claim marks it as broken, and does not start it.
    #expect(try await store.claim(.preview, by: other) == nil)
    #expect(try await !store.beat(job.id, by: one, step: .starting))
    // It had only missed heartbeats, and finished.
    try await store.end(job.id, by: one, as: .done, outcome: "late")
    #expect(try await store.job(.preview, of: "Ada")?.outcome == "late")
    // A day later it is deleted.
    try await age(by: RetainedData.outcomesKept + 1)
    _ = try await store.claim(.preview, by: other)
    #expect(try await store.job(.preview, of: "Ada") == nil)
  }

  @Test func `one publication order is open at a time and an old one expires`() async throws {
    let event = Actor(name: "Ada", role: .administrator).did(.publicationOrder, to: "publication")
    #expect(try await store.place(order(), audit: event))
    #expect(
      try await !store.place(
        order(),
        audit: Actor(name: "Bob", role: .administrator).did(.publicationOrder, to: "publication")))
    // No server has started it in time, so it is not started later.
    try await age(by: 31)
    #expect(try await store.claim(.publication, by: one) == nil)
    #expect(try await store.job(.publication)?.state == .broken)
    let again = order()
    #expect(try await store.place(again))
    #expect(try await store.claim(.publication, by: one)?.id == again.id)
    try await store.end(again.id, by: one, as: .failed, outcome: nil)
    #expect(try await store.place(order()))
    let rows = try await pool.withConnection { connection in
      try await connection.query("SELECT (SELECT count(*) FROM background_jobs), (SELECT count(*) FROM audit_events)")
        .first
    }
    #expect(try rows?.decode(0, as: Int64.self) == 1 && rows?.decode(1, as: Int64.self) == 1)
  }

  /// A server whose clock is an hour off, either way, does not lose its jobs nor break the jobs of others.
  @Test(arguments: [3_600.0, -3_600]) func `job times come from the database clock only`(ahead: Double) async throws {
    try await TestDatabase.current.withClock(ahead: ahead) { shifted in
      let store = JobStore(pool: shifted)
      let job = order()
      #expect(try await store.place(job))
      /// Minutes between a column and what it should be.
      func distance(_ column: String, plus seconds: Double = 0) async throws -> Double {
        let rows = try await shifted.rows(
          """
          SELECT abs(extract(epoch FROM \(unsafeRaw: column) - statement_timestamp())::float8 - \(seconds)) / 60
          FROM background_jobs
          """)
        return try rows[0].decode(0, as: Double.self)
      }
      #expect(try await distance("asked_at") < 10)
      #expect(try await distance("heartbeat_at") < 10)
      #expect(try await distance("expires_at", plus: RetainedData.outcomesKept) < 10)
      #expect(try await store.claim(.publication, by: one)?.id == job.id)
      #expect(try await distance("heartbeat_at") < 10)
      #expect(try await store.claim(.publication, by: other) == nil)
      #expect(try await store.job(.publication)?.state == .running)
      #expect(try await store.beat(job.id, by: one, step: .comparingThresholds(count: 5)))
      #expect(try await distance("heartbeat_at") < 10)
      try await store.end(job.id, by: one, as: .done, outcome: "{}")
      #expect(try await distance("expires_at", plus: RetainedData.outcomesKept) < 10)
      #expect(try await store.job(.publication)?.state == .done)
    }
  }

  /// A later version may have states and kinds that this one does not know.
  @Test func `an unknown job state of a later version is named in the error`() async throws {
    #expect(try await store.place(preview("Ada")))
    try await pool.withConnection { connection in
      try await connection.execute(script: "ALTER TABLE background_jobs DROP CONSTRAINT background_jobs_state_check")
      _ = try await connection.query("UPDATE background_jobs SET state = 'paused'")
    }
    await #expect(throws: StorageError.unknownState("paused")) { try await store.job(.preview, of: "Ada") }
  }
}
