// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import Moderation
import PostgreSQL
import Storage
import TestSupport
import Testing

@Suite(.database) struct DecisionTests {
  private let number: Int64 = 33_199_000_248

  private var store: DecisionStore { DecisionStore(pool: pool) }
  private var service: DecisionService { DecisionService(pool: pool) }

  private func decision(
    _ treatment: Decision.Treatment, id: UUID = UUID(), after seconds: Double = 0, label: String? = nil
  ) throws -> Decision {
    try Decision(
      id: id, number: number, treatment: treatment, label: treatment == .identify ? label ?? "A shop" : label,
      reason: "Because.", decidedBy: "Ada", decidedAt: now + seconds)
  }

  private func standing() async throws -> Decision.Treatment? { try await store.standing(of: number)?.treatment }

  @Test func `the audit log has the category of every block`() async throws {
    _ = try await service.record(try decision(.block))
    _ = try await service.record(
      try Decision(
        number: number + 1, treatment: .block, category: .fraud, reason: "Because.", decidedBy: "Ada", decidedAt: now))
    _ = try await service.record(try decision(.allow, after: 10))
    let events = try await AuditLog(pool: pool).events(AuditFilter(), after: nil, limit: 10).map(\.event)
    let after = Dictionary(uniqueKeysWithValues: events.map { ("\($0.subject) \($0.action)", $0.after?["category"]) })
    #expect(
      after == [
        "+\(number) decision.block": "as_reported", "+\(number + 1) decision.block": "fraud",
        "+\(number) decision.allow": nil,
      ])
    #expect(events.contains { $0.action == "decision.allow" && $0.before?["category"] == "as_reported" })
  }

  @Test func `the newest decision is in force until it is undone`() async throws {
    let (first, second) = (try decision(.block), try decision(.identify, after: 10))
    #expect(try await service.record(first) == .recorded)
    #expect(try await service.record(second) == .recorded)
    // A decision that was made earlier but arrived late changes nothing.
    #expect(try await service.record(try decision(.allow, after: -10)) == .recorded)
    #expect(try await store.standing(of: number)?.label == "A shop")
    #expect(try await service.undo(second.id, of: number, decidedBy: "Bob", at: now + 20) == .undone)
    #expect(try await standing() == .block)
    #expect(try await service.undo(second.id, of: number, decidedBy: "Bob", at: now + 30) == .alreadyUndone)
    #expect(try await service.undo(first.id, of: number, decidedBy: "Bob", at: now + 40) == .undone)
    #expect(try await standing() == .allow)
    #expect(try await service.undo(UUID(), of: number, decidedBy: "Bob", at: now) == .notFound)
    let history = try await store.history(of: number)
    #expect(history.map(\.decidedBy) == ["Ada", "Ada", "Ada", "Bob", "Bob"])
    #expect(history[3].kind == .undo(second.id))
  }

  @Test func `a decision that has seen the current one replaces it despite clock differences`() async throws {
    let ahead = try decision(.block, after: 90)
    _ = try await service.record(ahead)
    let seen = try decision(.allow)
    #expect(try await service.record(seen, expecting: .this(ahead.id)) == .recorded)
    #expect(try await store.standing(of: number)?.decisionID == seen.id)
    #expect(try await service.undo(seen.id, of: number, decidedBy: "Bob", at: now + 1) == .undone)
    #expect(try await store.standing(of: number)?.decisionID == ahead.id)
  }

  @Test func `an upheld appeal is in force regardless of clocks`() async throws {
    _ = try await service.record(try decision(.block, after: 90))
    let appeals = AppealStore(pool: pool)
    let appealService = AppealService(pool: pool)
    _ = try await appeals.file(try Appeal(number: number, statement: "It is mine.", filedAt: now))
    let outcome = try await appealService.settle(
      number, as: .upheld, by: Actor(name: "Ada", role: .moderator), answer: nil, at: now + 1)
    #expect(outcome == .answered(1))
    #expect(try await standing() == .allow)
  }

  /// A number with a possible length may be newer than the plan.
  @Test(arguments: [Int64(999_999_999_999_999), 120_155_501_234])
  func `a number that no plan can have can only be allowed`(_ number: Int64) async throws {
    func make(_ treatment: Decision.Treatment) throws -> Decision {
      try Decision(number: number, treatment: treatment, reason: "x", decidedBy: "Ada", decidedAt: now)
    }
    await #expect(throws: RuleViolation.self) { try await service.record(try make(.block)) }
    #expect(try await service.record(try make(.allow)) == .recorded)
  }

  @Test func `the same decision is recorded once`() async throws {
    let id = UUID()
    #expect(try await service.record(try decision(.block, id: id)) == .recorded)
    #expect(try await service.record(try decision(.block, id: id, after: 1)) == .duplicate)
    #expect(try await service.record(try decision(.allow, id: id)) == .conflict)
    #expect(try await store.history(of: number).count == 1)
    let undo = UUID()
    for _ in 0..<2 { #expect(try await service.undo(id, of: number, id: undo, decidedBy: "Ada", at: now) == .undone) }
    #expect(try await standing() == nil)
  }

  @Test func `the newest of many simultaneous decisions is in force`() async throws {
    let service = service
    let decisions = try (0..<24).map { try decision($0 % 2 == 0 ? .block : .allow, after: Double($0)) }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for decision in decisions.shuffled() { group.addTask { _ = try await service.record(decision) } }
      try await group.waitForAll()
    }
    #expect(try await store.standing(of: number)?.decisionID == decisions[23].id)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for decision in decisions.dropFirst(3) {
        group.addTask {
          _ = try await service.undo(decision.id, of: decision.number, decidedBy: "Bob", at: decision.decidedAt)
        }
      }
      try await group.waitForAll()
    }
    #expect(try await store.standing(of: number)?.decisionID == decisions[2].id)
  }

  @Test func `a protected number can only be allowed`() async throws {
    try await ProtectionStore(pool: pool).add(
      [(try ProtectionTarget("+33199000xxx"), "City hospital")], by: "Ada", at: now)
    let error = DecisionError.protected(.protectedPattern(reason: "City hospital", pattern: "+33199000xxx"))
    await #expect(throws: error) { try await service.record(try decision(.block)) }
    await #expect(throws: error) { try await service.record(try decision(.identify)) }
    #expect(try await service.record(try decision(.allow)) == .recorded)
    #expect(try await store.history(of: number).count == 1)
  }

  @Test func `a decision settles a hold and undo opens it again`() async throws {
    let holds = HoldStore(pool: pool)
    let finding = BrigadeDetection.Finding(
      reason: .oneDay(peak: 12, reporters: 13, others: 1), reporters: [Reporter([1])])
    #expect(try await holds.hold([(number, finding)], at: now) == 1)
    #expect(try await holds.hold([(number, finding)], at: now + 1) == 0)
    let decision = try decision(.block, after: 5)
    _ = try await service.record(decision)
    #expect(try await holds.held().isEmpty)
    #expect(try await holds.hold(of: number)?.isSettled == true)
    _ = try await service.undo(decision.id, of: number, decidedBy: "Bob", at: now + 10)
    #expect(try await holds.held().map(\.reason) == [finding.reason])
  }
}
