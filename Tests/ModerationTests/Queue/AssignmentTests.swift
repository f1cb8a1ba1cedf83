// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import Moderation
import PostgreSQL
import Storage
import TestSupport
import Testing

@Suite(.database) struct AssignmentTests {
  private let chief = Actor(name: "Chief", role: .administrator)
  private let ada = Actor(name: "Moderator 1", role: .moderator)
  private let bob = Actor(name: "Moderator 2", role: .moderator)
  private let mine = QueueFilter(isMine: true)

  private var queue: QueueStore { QueueStore(pool: pool) }
  private var claims: ClaimService { ClaimService(pool: pool) }
  private var assignments: AssignmentStore { AssignmentStore(pool: pool) }

  private func enqueue(_ numbers: [Int64]) async throws {
    _ = try await pool.run(SQL.enqueueCases(numbers.map { ($0, .held) }, at: now))
  }

  private func assign(_ country: String, to accounts: [String]) async throws {
    let rule = try AssignmentRule(country: country, category: nil, accounts: accounts)
    #expect(try await assignments.add(rule, by: chief, at: now))
  }

  private func page(_ worker: Actor, _ filter: QueueFilter) async throws -> [Int64] {
    let rows = try await queue.page(filter, level: worker.level, account: worker.name, at: now)
    return rows.map(\.item.number)
  }

  @Test func `the filter finds the cases that rules assign to an account`() async throws {
    try await enqueue([33_199_000_001, 33_199_000_002, 49_301_234_567])
    try await assign("FR", to: ["Moderator 1"])
    #expect(try await page(ada, mine) == [33_199_000_001, 33_199_000_002])
    #expect(try await page(bob, mine) == [])
    // The counts of the page agree with the rows.
    let totals = try await queue.queueCounts(at: now)
    #expect(totals.counts(level: 1, account: "Moderator 1").mine == 2)
    #expect(totals.counts(level: 1, account: "Moderator 1").all == 3)
    #expect(totals.count(mine, level: 1, account: "Moderator 1") == 2)
    #expect(totals.count(mine, level: 1, account: "Moderator 2") == 0)
    // A rule does not keep a case from others.
    #expect(try await claims.claimNext(by: bob, at: now) != nil)
    let rule = try #require(try await assignments.rules().first)
    try await assignments.remove(rule.id, by: chief, at: now)
    #expect(try await page(ada, mine) == [])
    let events = try await AuditLog(pool: pool).events(AuditFilter(action: "assignment."), limit: 10)
    #expect(Set(events.map(\.event.action)) == ["assignment.add", "assignment.remove"])
  }

  /// Workers of overlapping rules, workers without rules, and a colleague who gets cases by name meanwhile.
  @Test func `no case is claimed twice`() async throws {
    try await TestDatabase.current.addModerators(8)
    let numbers = (0..<40).map { 33_199_000_000 + Int64($0) } + (0..<20).map { 49_301_234_500 + Int64($0) }
    try await enqueue(numbers)
    try await assign("FR", to: (1...4).map { "Moderator \($0)" })
    try await assign("DE", to: (3...6).map { "Moderator \($0)" })
    let (claims, now, mine) = (claims, now, mine)
    let claimed = Collected<Int64>()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for place in 1...8 {
        group.addTask {
          let worker = Actor(name: "Moderator \(place)", role: .moderator)
          let filter = place <= 6 ? mine : QueueFilter()
          while let item = try await claims.claimNext(filter, by: worker, at: now) {
            #expect(item.claim?.account == worker.name)
            claimed.add([item.number])
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(claimed.all.count == Set(claimed.all).count)
    #expect(claimed.all.sorted() == numbers)
  }

  @Test func `a case escalated to a person is offered to that person alone`() async throws {
    try await TestDatabase.current.addModerators(2)
    let number: Int64 = 33_199_000_248
    try await enqueue([number])
    _ = try #require(try await claims.claimNext(by: ada, at: now))
    #expect(try await !claims.escalate(number, by: ada, to: "Nobody", at: now))
    #expect(try await claims.escalate(number, by: ada, to: "Moderator 2", at: now))
    let item = try #require(try await queue.find(number))
    #expect(item.assignedTo == "Moderator 2" && item.level == 1 && item.claim == nil)
    #expect(try await claims.claimNext(by: ada, at: now) == nil)
    #expect(try await claims.claimNext(by: chief, at: now) == nil)
    #expect(try await page(bob, mine) == [number])
    #expect(try await claims.claimNext(mine, by: bob, at: now)?.number == number)
    // The person passes it on: it is everybody's again.
    #expect(try await claims.pass(number, by: bob, at: now))
    #expect(try await queue.find(number)?.assignedTo == nil)
    #expect(try await claims.claimNext(by: ada, at: now)?.number == number)
    let events = try await AuditLog(pool: pool).events(AuditFilter(action: "case.escalate"), limit: 10)
    #expect(events.map { $0.event.after?["assigned_to"] } == ["Moderator 2"])
  }

  @Test func `a disabled account keeps no case`() async throws {
    try await TestDatabase.current.addModerators(2)
    let number: Int64 = 33_199_000_248
    try await enqueue([number])
    #expect(try await claims.escalate(number, by: ada, to: "Moderator 2", at: now))
    #expect(try await claims.claimNext(by: ada, at: now) == nil)
    try await AccountStore(pool: pool).setDisabled(true, name: "Moderator 2", by: Actor.commandLine("Chief"), at: now)
    #expect(try await claims.claimNext(by: ada, at: now)?.number == number)
  }
}
