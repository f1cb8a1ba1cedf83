// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import PostgreSQL
import Storage
import Synchronization
import TestSupport
import Testing

@testable import Publishing

@Suite(.database) struct JobRunnerTests {
  private let pace = JobRunner.Pace(beat: .milliseconds(20), look: .milliseconds(50))
  private var store: JobStore { JobStore(pool: TestDatabase.current.pool) }

  private func wait(_ what: String, until condition: @Sendable () async throws -> Bool) async throws {
    let deadline = ContinuousClock.now + .seconds(300)
    while try await !condition() { try #require(ContinuousClock.now < deadline, "It never came: \(what)") }
  }

  private func ask(_ account: String) async throws -> BackgroundJob {
    let job = BackgroundJob(kind: .preview, account: account, request: account)
    #expect(try await store.place(job))
    return job
  }

  @Test func `two servers share jobs and never run two at once`() async throws {
    let tally = Tally()
    // A job whose end is stored waits for no second attempt.
    var pace = pace
    pace.again = .seconds(3_600)
    let lines = (0..<2).map { [pace] _ in
      JobRunner(.preview, store: store, pace: pace, logger: .forTests) { job, say in
        tally.enter(job.request)
        defer { tally.leave() }
        say(.starting)
        for _ in 0..<50 { await Task.yield() }
        return "\"\(job.request)\""
      }
    }
    async let runs: Void = withTaskGroup(of: Void.self) { group in
      for line in lines { group.addTask { await line.run() } }
    }
    for index in 0..<8 { _ = try await ask("Account \(index)") }
    try await wait("all to be done") {
      var done = 0
      for index in 0..<8 where try await store.job(.preview, of: "Account \(index)")?.state == .done { done += 1 }
      return done == 8
    }
    for line in lines { line.close() }
    await runs
    #expect(tally.most == 1 && tally.made.sorted() == (0..<8).map { "Account \($0)" })
  }

  @Test func `a cancelled job stops and a stopped server marks its job as broken`() async throws {
    let begun = Mutex(0)
    let line = JobRunner(.preview, store: store, pace: pace, logger: .forTests) { _, say in
      begun.withLock { $0 += 1 }
      say(.comparingThresholds(count: 7))
      // Ends on cancellation.
      let endless = AsyncStream.makeStream(of: Void.self)
      for await _ in endless.stream {}
      endless.continuation.finish()
      try Task.checkCancellation()
      return ""
    }
    async let run: Void = line.run()
    _ = try await ask("Ada")
    line.wake()
    try await wait("its step") { try await store.job(.preview, of: "Ada")?.step == .comparingThresholds(count: 7) }
    try await store.remove(.preview, of: "Ada")
    _ = try await ask("Bob")
    try await wait("the next one") { begun.withLock { $0 } == 2 }
    line.close()
    await run
    #expect(try await store.job(.preview, of: "Bob")?.state == .broken)
    #expect(try await store.job(.preview, of: "Ada") == nil)
  }

  @Test func `a job that throws or returns too long a result has failed`() async throws {
    let line = JobRunner(.preview, store: store, pace: pace, logger: .forTests) { job, _ in
      guard job.request != "Ada" else { throw PublishingError.busy }
      return String(repeating: "x", count: BackgroundJob.maxOutcome + 1)
    }
    async let run: Void = line.run()
    _ = try await ask("Ada")
    _ = try await ask("Bob")
    try await wait("both to fail") {
      let states = [try await store.job(.preview, of: "Ada")?.state, try await store.job(.preview, of: "Bob")?.state]
      return states == [.failed, .failed]
    }
    line.close()
    await run
  }

  /// Makes the database refuse every end of a job, and counts the attempts.
  private static let refusing = """
    CREATE SEQUENCE refusals;
    CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN PERFORM nextval('refusals'); RAISE EXCEPTION 'no' USING ERRCODE = '53100'; END $$;
    CREATE TRIGGER refuse BEFORE UPDATE ON background_jobs FOR EACH ROW WHEN (NEW.state = 'done') EXECUTE FUNCTION refuse()
    """

  /// While the end of a job cannot be stored, its server sends heartbeats; the job runs once, however long that takes.
  @Test func `a finished job is stored once the database accepts it and never repeated`() async throws {
    let pool = TestDatabase.current.pool
    try await pool.withConnection { try await $0.execute(script: Self.refusing) }
    let made = Mutex(0)
    var pace = pace
    // The runner stops its quick attempts early and continues at each search.
    (pace.again, pace.tries) = (.milliseconds(5), 3)
    let line = JobRunner(.preview, store: store, pace: pace, logger: .forTests) { _, _ in
      made.withLock { $0 += 1 }
      return "{}"
    }
    async let run: Void = line.run()
    _ = try await ask("Ada")
    line.wake()
    @Sendable func refusals() async throws -> Int64 {
      try await pool.withConnection {
        try await $0.query("SELECT last_value FROM refusals").first?.decode(0, as: Int64.self) ?? 0
      }
    }
    try await wait("ends that are refused") { try await refusals() > 10 }
    _ = try await ask("Bob")
    try await wait("more of them") { try await refusals() > 20 }
    #expect(made.withLock { $0 } == 1)
    #expect(try await store.job(.preview, of: "Bob")?.state == .waiting)
    try await pool.withConnection { try await $0.execute(script: "DROP TRIGGER refuse ON background_jobs") }
    try await wait("both to be done") {
      let states = [try await store.job(.preview, of: "Ada")?.state, try await store.job(.preview, of: "Bob")?.state]
      return states == [.done, .done]
    }
    #expect(made.withLock { $0 } == 2)
    line.close()
    await run
  }

  @Test func `a server sends heartbeats until the end of its job is stored`() async throws {
    let pool = TestDatabase.current.pool
    try await pool.withConnection { try await $0.execute(script: Self.refusing) }
    let made = Mutex(0)
    let line = JobRunner(.preview, store: store, pace: pace, logger: .forTests) { _, _ in
      made.withLock { $0 += 1 }
      return "{}"
    }
    async let run: Void = line.run()
    let job = try await ask("Ada")
    line.wake()
    @Sendable func beat() async throws -> Date {
      try await pool.withConnection {
        let rows = try await $0.query("SELECT heartbeat_at FROM background_jobs WHERE job_id = \(job.id)")
        return try rows.first?.decode(0, as: Date.self) ?? .distantPast
      }
    }
    try await wait("an end that is refused") {
      try await pool.withConnection {
        try await $0.query("SELECT is_called FROM refusals").first?.decode(0, as: Bool.self) ?? false
      }
    }
    let before = try await beat()
    try await wait("a sign of life after it") { try await beat() > before }
    try await wait("another one") { try await beat() > before + 0.02 }
    #expect(made.withLock { $0 } == 1)
    try await pool.withConnection { try await $0.execute(script: "DROP TRIGGER refuse ON background_jobs") }
    try await wait("its end") { try await store.job(.preview, of: "Ada")?.state == .done }
    line.close()
    await run
  }
}

/// Counts concurrent jobs and collects their outcomes.
private final class Tally: Sendable {
  private let state = Mutex((now: 0, most: 0, made: [String]()))

  var most: Int { state.withLock { $0.most } }
  var made: [String] { state.withLock { $0.made } }

  func enter(_ what: String) {
    state.withLock { state in
      state.now += 1
      state.most = max(state.most, state.now)
      state.made.append(what)
    }
  }

  func leave() { state.withLock { $0.now -= 1 } }
}
