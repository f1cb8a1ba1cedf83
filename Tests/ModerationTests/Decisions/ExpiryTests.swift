// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import Moderation
import PostgreSQL
import Storage
import TestSupport
import Testing

/// A decision that has expired is no longer in force, and the cause of the number's case is evaluated again.
@Suite(.database) struct ExpiryTests {
  private let number: Int64 = 33_199_000_248
  private let days = 86_400.0

  private var store: DecisionStore { DecisionStore(pool: pool) }
  private var service: DecisionService { DecisionService(pool: pool) }
  private var queue: QueueStore { QueueStore(pool: pool) }

  private func decide(
    _ treatment: Decision.Treatment, of number: Int64? = nil, expiring after: Double?, at time: Date? = nil
  ) async throws -> Decision {
    let time = time ?? now
    let decision = try Decision(
      number: number ?? self.number, treatment: treatment, reason: "Because.", decidedBy: "Ada", decidedAt: time,
      expiresAt: after.map { time + $0 * days })
    #expect(try await service.record(decision) == .recorded)
    return decision
  }

  private func events() async throws -> [[String]] {
    try await pool.withConnection { connection in
      try await connection.query(
        "SELECT actor, role, subject FROM audit_events WHERE action = 'decision.expire' ORDER BY happened_at, subject"
      ).map { [try $0.decode(0), try $0.decode(1), try $0.decode(2)] }
    }
  }

  @Test func `an expired decision ends once and returns the case to the queue`() async throws {
    let finding = BrigadeDetection.Finding(reason: .oneDay(peak: 12, reporters: 13, others: 1), reporters: [])
    _ = try await HoldStore(pool: pool).hold([(number, finding)], at: now - days)
    _ = try await pool.run(SQL.enqueueCases([(number, .held)], at: now - days))
    let decision = try await decide(.allow, expiring: 30)
    #expect(try await queue.find(number) == nil)
    #expect(try await store.standing(of: number)?.expiresAt == now + 30 * days)
    let expiry = now + 30 * days
    #expect(try await service.expire(at: expiry - 1) == 0)
    #expect(try await store.standing(of: number)?.decisionID == decision.id)

    let later = expiry + 5
    #expect(try await service.expire(at: later) == 1)
    #expect(try await service.expire(at: later) == 0)
    #expect(try await store.standing(of: number) == nil)
    let history = try await store.history(of: number)
    #expect(history.map(\.decidedBy) == ["Ada", "ringfence"])
    #expect(history[1].kind == .undo(decision.id) && history[1].expiresAt == expiry && history[1].time == later)
    #expect(try await events() == [["ringfence", "system", "+\(number)"]])
    // The hold applies again, so the evaluation keeps the case, whose wait has started anew.
    let marked = try await queue.stale(limit: 10)
    #expect(marked == [number])
    _ = try await queue.evaluate(
      marked, by: try await ThresholdStore(pool: pool).current(), protected: .none, at: later)
    let item = try #require(try await queue.find(number))
    #expect(item.causes.contains(.held) && item.since == later)
    #expect(try await ExplanationStore(pool: pool).explain(number, at: later).verdict == .held)
    // It is over for good: an undo has nothing to undo.
    #expect(try await service.undo(decision.id, of: number, decidedBy: "Bob", at: later + 1) == .alreadyUndone)
  }

  @Test func `a number without a cause leaves the queue after its decision has expired`() async throws {
    _ = try await decide(.block, expiring: 30)
    #expect(try await service.expire(at: now + 31 * days) == 1)
    let marked = try await queue.stale(limit: 10)
    #expect(marked == [number])
    let change = try await queue.evaluate(
      marked, by: try await ThresholdStore(pool: pool).current(), protected: .none, at: now + 31 * days)
    #expect(change.removed == 1)
    #expect(try await queue.find(number) == nil)
  }

  @Test func `the decision before an expired one is in force again unless it has expired too`() async throws {
    let first = try await decide(.block, expiring: nil)
    _ = try await decide(.allow, expiring: 30, at: now + 60)
    #expect(try await service.expire(at: now + 31 * days) == 1)
    #expect(try await store.standing(of: number)?.decisionID == first.id)
    #expect(try await store.standing(of: number)?.expiresAt == nil)

    let other = number + 1
    _ = try await decide(.block, of: other, expiring: 30)
    _ = try await decide(.allow, of: other, expiring: 90, at: now + 60)
    #expect(try await service.expire(at: now + 31 * days) == 0)
    #expect(try await service.expire(at: now + 91 * days) == 2)
    #expect(try await store.standing(of: other) == nil)
  }

  @Test func `a decision that was replaced or undone does not expire`() async throws {
    _ = try await decide(.block, expiring: 30)
    let second = try await decide(.block, expiring: nil, at: now + 60)
    let undone = try await decide(.block, of: number + 1, expiring: 30)
    _ = try await service.undo(undone.id, of: number + 1, decidedBy: "Bob", at: now + 90)
    #expect(try await service.expire(at: now + 31 * days) == 0)
    #expect(try await store.standing(of: number)?.decisionID == second.id)
    #expect(try await events() == [])
  }

  /// A program of an earlier version replaces the decision in force and does not know the column.
  @Test func `an expiry that belongs to another decision ends nothing`() async throws {
    _ = try await decide(.block, expiring: nil)
    try await pool.execute("UPDATE number_decisions SET expires_at = \(now)")
    #expect(try await service.expire(at: now + days) == 0)
    #expect(try await store.standing(of: number)?.treatment == .block)
  }

  @Test func `several servers end a decision once`() async throws {
    for offset in 0..<5 as Range<Int64> { _ = try await decide(.block, of: number + offset, expiring: 30) }
    let counts = try await withThrowingTaskGroup(of: Int.self) { [service, now, days] group in
      for _ in 0..<4 { group.addTask { try await service.expire(at: now + 31 * days) } }
      return try await group.reduce(0, +)
    }
    #expect(counts == 5)
    #expect(try await events().count == 5)
    for offset in 0..<5 as Range<Int64> { #expect(try await store.history(of: number + offset).count == 2) }
  }

  @Test func `the decisions of a bulk expire too also when it is finished later`() async throws {
    let bulks = BulkStore(pool: pool)
    let bulkService = BulkService(pool: pool)
    let ada = Actor(name: "Ada", role: .moderator)
    let bulk = Bulk(
      treatment: .block, reason: "One campaign.", worker: ada, decidedAt: now, expiresAt: now + 90 * days)
    #expect(try await bulkService.apply(bulk, to: try await bulks.items([number])) == [])
    #expect(try await bulks.find(bulk.id)?.expiresAt == now + 90 * days)
    #expect(try await store.history(of: number).map(\.expiresAt) == [now + 90 * days])
    #expect(try await service.expire(at: now + 91 * days) == 1)
    #expect(try await store.standing(of: number) == nil)
    // The undoing of the bulk finds nothing to undo.
    #expect(try await bulkService.undo(bulk.id, by: ada, at: now + 92 * days) == 0)
  }

  @Test func `a form that is sent again has the same expiry`() async throws {
    let decision = try await decide(.block, expiring: 30)
    var again = decision
    again.decidedAt += 20
    again.expiresAt = again.decidedAt + 30 * days
    #expect(try await service.record(again) == .duplicate)
    again.expiresAt = again.decidedAt + 90 * days
    #expect(try await service.record(again) == .conflict)
    again.expiresAt = nil
    #expect(try await service.record(again) == .conflict)
  }
}
