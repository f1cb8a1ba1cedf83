import Foundation
import PostgreSQL
import Storage
import Synchronization
import TestSupport
import Testing

@testable import Publishing

@Suite(.database) struct DeskLineTests {
  private let pace = DeskLine.Pace(beat: .milliseconds(20), look: .milliseconds(50))
  private var store: DeskStore { DeskStore(pool: TestDatabase.current.pool) }

  private func wait(_ what: String, until condition: @Sendable () async throws -> Bool) async throws {
    let deadline = ContinuousClock.now + .seconds(60)
    while try await !condition() { try #require(ContinuousClock.now < deadline, "It never came: \(what)") }
  }

  private func ask(_ account: String) async throws -> DeskJob {
    let job = DeskJob(kind: .preview, account: account, request: account)
    #expect(try await store.place(job))
    return job
  }

  @Test func twoServersShareTheWorkAndNeverDoTwoThingsAtOnce() async throws {
    let tally = Tally()
    let lines = (0..<2).map { _ in
      DeskLine(.preview, store: store, pace: pace, logger: .forTests) { job, say in
        tally.enter(job.request)
        defer { tally.leave() }
        say("at work")
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

  @Test func whatIsTakenBackStopsAndAStopOfTheServerIsSaid() async throws {
    let begun = Mutex(0)
    let line = DeskLine(.preview, store: store, pace: pace, logger: .forTests) { _, say in
      begun.withLock { $0 += 1 }
      say("for ever")
      // Ends when it is cancelled.
      let endless = AsyncStream.makeStream(of: Void.self)
      for await _ in endless.stream {}
      endless.continuation.finish()
      try Task.checkCancellation()
      return ""
    }
    async let run: Void = line.run()
    _ = try await ask("Ada")
    line.wake()
    try await wait("its step") { try await store.job(.preview, of: "Ada")?.step == "for ever" }
    try await store.remove(.preview, of: "Ada")
    _ = try await ask("Bob")
    try await wait("the next one") { begun.withLock { $0 } == 2 }
    line.close()
    await run
    #expect(try await store.job(.preview, of: "Bob")?.state == .broken)
    #expect(try await store.job(.preview, of: "Ada") == nil)
  }

  @Test func whatCannotBeMadeHasFailed() async throws {
    let line = DeskLine(.preview, store: store, pace: pace, logger: .forTests) { job, _ in
      guard job.request != "Ada" else { throw PublishingError.busy }
      return String(repeating: "x", count: DeskJob.mostOutcome + 1)
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
}

/// How many are at work at once, and what they made.
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
