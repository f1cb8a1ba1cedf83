// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import PostgreSQL
import Storage
import TestSupport
import Testing

@testable import Moderation

/// Decisions of files, and appeals that are filed while a bulk decision waits.
@Suite(.database) struct BulkPlanTests {
  private let numbers = (0..<120).map { 33_199_000_000 + Int64($0) * 3 }
  private let ada = Actor(name: "Ada", role: .moderator)

  private var bulks: BulkStore { BulkStore(pool: pool) }
  private var service: BulkService { BulkService(pool: pool) }
  private var decisions: DecisionStore { DecisionStore(pool: pool) }

  private func rows() -> [DecisionRow] {
    numbers.enumerated().map { index, number in
      let values =
        index % 2 == 0
        ? DecisionValues(treatment: .block, category: .fraud, reason: "Campaign.", expiresAt: now + 30 * 86_400)
        : DecisionValues(treatment: .identify, label: "Shop \(index % 5)", reason: "Known.", note: "Checked.")
      return DecisionRow(line: index + 2, number: number, values: values)
    }
  }

  private func plan(_ rows: [DecisionRow], _ id: UUID = UUID(), at time: Date? = nil) async throws -> BulkPlan {
    try #require(
      try await service.plan(rows, id: id, by: ada, isReplacing: false, isConfirmed: false, at: time ?? now))
  }

  private func file(_ number: Int64) async throws {
    let filing = try AppealFiling(number: number, statement: "It is my shop.", contact: nil, filedAt: now)
    let stamp = (id: [UInt8](repeating: 1, count: 16), expiresAt: now + 60)
    _ = try await AppealService(pool: pool).file(filing, ticket: AppealTicket(), stamp: stamp)
  }

  @Test func `rows have their own decisions, are finished after an interruption and undone as one`() async throws {
    let plan = try await plan(rows())
    #expect(plan.problems.isEmpty && plan.items.count == 120)
    #expect(try await service.store(plan))
    // The server was killed before the first decision.
    #expect(try await service.finish(plan.bulk.id, by: ada, at: now))
    let (blocked, named) = (
      try #require(try await decisions.history(of: numbers[0]).first),
      try #require(try await decisions.history(of: numbers[7]).first)
    )
    #expect(blocked.kind == .decision(.block) && blocked.category == .fraud && blocked.expiresAt == now + 30 * 86_400)
    #expect(named.kind == .decision(.identify) && named.label == "Shop 2" && named.note == "Checked.")
    let run = try #require(try await bulks.find(plan.bulk.id))
    #expect(run.decisions == 120 && run.isOfFile && run.left.isEmpty)
    // A repeated request is recognized, even with a later time and a row that was left out; another file is not.
    let extra = DecisionRow(line: 999, number: 33_199_009_000, values: DecisionValues(treatment: .allow))
    let later = rows().map { row in
      var row = row
      if row.values.expiresAt != nil { row.values.expiresAt = now + 90 + 30 * 86_400 }
      return row
    }
    #expect(run.isOf(later + [extra], by: "Ada", at: now + 90))
    #expect(!run.isOf(later, by: "Bob", at: now + 90))
    #expect(!run.isOf(Array(later.dropLast()), by: "Ada", at: now + 90))
    #expect(try await service.undo(plan.bulk.id, by: ada, at: now + 5) == 120)
    #expect(try await decisions.standing(of: numbers[0]) == nil)
  }

  @Test func `an id belongs to one file`() async throws {
    let plan = try await plan(rows())
    #expect(try await service.store(plan))
    #expect(try await service.store(plan))
    #expect(try await !service.store(try await self.plan(Array(rows().prefix(5)), plan.bulk.id)))
  }

  @Test func `wrong rows are named with their rule`() async throws {
    _ = try await DecisionService(pool: pool).record(
      try Decision(number: numbers[0], treatment: .allow, decidedBy: "Bob", decidedAt: now - 9))
    try await ProtectionStore(pool: pool).add([(.number(numbers[1]), "A hospital")], by: "Bob", at: now)
    _ = try await pool.run(SQL.enqueueCases(numbers[3...4].map { ($0, .held) }, at: now))
    let claims = ClaimService(pool: pool)
    _ = try await claims.claim(numbers[3], by: Actor(name: "Bob", role: .moderator), at: now)
    try await file(numbers[20])
    let plan = try await plan(rows() + [DecisionRow(line: 200, number: 999, values: rows()[0].values)])
    let found = Dictionary(grouping: plan.problems) { $0.violation.code }.mapValues { $0.map(\.line) }
    #expect(found[.decisionInForce] == [2])
    #expect(found[.numberProtected] == [3, 200] || found[.numberProtected] == [3])
    #expect(found[.caseWithheld] == [5] && found[.appealOpen] == [22])
    // Neighbors of the protected number are blocked only with a confirmation.
    #expect(found[.blockNeedsConfirmation]?.first == 4)
    #expect(plan.items.allSatisfy { item in !plan.problems.contains { $0.value == "+\(item.number)" } })
  }

  @Test func `a number that was appealed after the preview is left out and named`() async throws {
    let items = try await bulks.items(numbers)
    let bulk = Bulk(treatment: .allow, reason: "Checked.", worker: ada, decidedAt: now)
    try await file(numbers[60])
    #expect(try await service.apply(bulk, to: items) == [numbers[60]])
    let run = try #require(try await bulks.find(bulk.id))
    #expect(run.left == [numbers[60]] && run.decisions == 119)
    let appeals = try await AppealStore(pool: pool).appeals(of: numbers[60])
    #expect(appeals.map(\.state) == [.open])
    #expect(try await decisions.standing(of: numbers[60]) == nil)
  }

  @Test func `undoing a rejection restores level and colleague of the case`() async throws {
    let (number, appeals) = (numbers[0], AppealService(pool: pool))
    try await file(number)
    let queue = QueueStore(pool: pool)
    try await pool.execute("UPDATE queue SET level = 1, assigned_to = 'Cleo' WHERE number = \(number)")
    let outcome = try await appeals.settle(
      number, as: .rejected, by: Actor(name: "Ada", role: .moderator), answer: "It is one.", at: now)
    #expect(outcome == .answered(1))
    // No other cause keeps the case.
    _ = try await pool.run(SQL.settleCase(number: number))
    #expect(try await appeals.undoRejection(number, answeredAt: now, by: ada, at: now + 60))
    let item = try #require(try await queue.find(number))
    #expect(item.level == 1 && item.assignedTo == "Cleo" && item.causes.contains(.appeal))
  }

  @Test func `a proposal stays on its case until somebody decides`() async throws {
    let service = DecisionService(pool: pool)
    func proposal(_ id: UUID, _ reason: String) throws -> Decision {
      try Decision(
        id: id, number: numbers[0], treatment: .block, category: .fraud, reason: reason, decidedBy: "app:bot",
        decidedAt: now)
    }
    #expect(try await !service.propose(try proposal(UUID(), "No case."), role: .moderator))
    _ = try await pool.run(SQL.enqueueCases([(numbers[0], .threshold)], at: now))
    let id = UUID()
    for _ in 0..<2 { #expect(try await service.propose(try proposal(id, "Score 0.9"), role: .moderator)) }
    #expect(try await service.propose(try proposal(UUID(), "Score 0.8"), role: .moderator))
    let file = try await CaseStore(pool: pool).read(numbers[0], at: now)
    #expect(file.item != nil && file.proposals.map(\.values.reason) == ["Score 0.8"] && file.decisions.isEmpty)
    let events = try await AuditLog(pool: pool).events(AuditFilter(action: "proposal."), limit: 10)
    #expect(events.map(\.event.actor) == ["app:bot", "app:bot"])
    _ = try await service.record(
      try Decision(number: numbers[0], treatment: .allow, decidedBy: "Ada", decidedAt: now))
    #expect(try await CaseStore(pool: pool).read(numbers[0], at: now).proposals.isEmpty)
  }
}
