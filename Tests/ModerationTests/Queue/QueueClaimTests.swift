// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import Moderation
import PostgreSQL
import Storage
import TestSupport
import Testing

/// Two moderators never have the same case.
@Suite(.database) struct QueueClaimTests {
  private let ada = Actor(name: "Ada", role: .moderator)
  private let bob = Actor(name: "Bob", role: .moderator)

  private var queue: QueueStore { QueueStore(pool: pool) }
  private var claims: ClaimService { ClaimService(pool: pool) }

  private func enqueue(_ numbers: [Int64]) async throws {
    _ = try await pool.run(SQL.enqueueCases(numbers.map { ($0, .held) }, at: now))
  }

  @Test func `parallel workers claim different cases`() async throws {
    let numbers = (0..<60).map { 33_199_000_000 + Int64($0) }
    try await enqueue(numbers)
    let (claims, now) = (claims, now)
    let claimed = Collected<Int64>()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for place in 0..<8 {
        group.addTask {
          let worker = Actor(name: "Worker \(place)", role: .triage)
          while let item = try await claims.claimNext(by: worker, at: now) {
            #expect(item.claim?.account == worker.name)
            claimed.add([item.number])
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(claimed.all.sorted() == numbers)
  }

  @Test func `a claim ends by time, by release and by decision`() async throws {
    let number: Int64 = 33_199_000_248
    try await enqueue([number])
    let mine = try #require(try await claims.claimNext(by: ada, at: now))
    #expect(try await claims.claimNext(by: bob, at: now) == nil)
    guard case .taken(let item) = try await claims.claim(number, by: bob, at: now) else { throw Unexpected() }
    #expect(item.claim?.account == "Ada")
    #expect(try await !claims.renew(number, account: "Bob", at: now))
    #expect(try await claims.renew(number, account: "Ada", at: now + 300))
    // By time: ten minutes after the last renewal.
    #expect(try await claims.claimNext(by: bob, at: now + 899) == nil)
    #expect(try await claims.claimNext(by: bob, at: now + 901)?.number == number)
    #expect(try await !claims.renew(number, account: "Ada", at: now + 902))
    // By leaving: a late request of a closed page changes nothing.
    try await claims.release(number, claim: try #require(mine.claim).id, account: "Ada")
    #expect(try await queue.find(number)?.claim?.account == "Bob")
    try await claims.release(number, claim: try #require(try await queue.find(number)?.claim).id, account: "Bob")
    #expect(try await queue.find(number)?.claim == nil)
    // Taken over.
    _ = try await claims.claim(number, by: ada, at: now + 902)
    guard case .claimed = try await claims.claim(number, by: bob, takesOver: true, at: now + 903) else {
      throw Unexpected()
    }
    // By decision.
    let decision = try Decision(number: number, treatment: .allow, decidedBy: "Bob", decidedAt: now + 904)
    _ = try await DecisionService(pool: pool).record(decision)
    #expect(try await queue.find(number) == nil)
    #expect(try await claims.claim(number, by: ada, at: now + 905) == .notWaiting)
  }

  @Test func `skipped cases come last and then again`() async throws {
    try await enqueue([33_199_000_301, 33_199_000_302, 33_199_000_303])
    var skipped: [Int64] = []
    for _ in 0..<3 {
      let item = try #require(try await claims.claimNext(skipping: skipped, by: ada, at: now))
      #expect(!skipped.contains(item.number))
      try await claims.release(item.number, claim: #require(item.claim).id, account: "Ada")
      skipped.append(item.number)
    }
    #expect(try await claims.claimNext(skipping: skipped, by: ada, at: now)?.number == skipped[0])
  }

  @Test func `a skipped case does not return to its worker`() async throws {
    let number: Int64 = 33_199_000_248
    try await enqueue([number])
    for name in ["A", "B", "C"] {
      let worker = Actor(name: name, role: .triage)
      #expect(try await claims.claimNext(by: worker, at: now)?.number == number)
      #expect(try await claims.pass(number, by: worker, at: now))
      #expect(try await claims.claimNext(by: worker, at: now) == nil)
    }
    #expect(try await pool.run(SQL.readPasses(number: number)).sorted() == ["A", "B", "C"])
    #expect(try await claims.claimNext(by: Actor(name: "D", role: .triage), at: now) == nil)
    #expect(try await claims.claimNext(by: ada, at: now)?.level == 1)
  }
}

private struct Unexpected: Error {}
