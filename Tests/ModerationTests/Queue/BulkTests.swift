// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import Moderation
import PostgreSQL
import Storage
import TestSupport
import Testing

@Suite(.database) struct BulkTests {
  private let numbers = (0..<120).map { 33_199_000_000 + Int64($0) * 3 }
  private let ada = Actor(name: "Ada", role: .moderator)

  private var bulks: BulkStore { BulkStore(pool: pool) }
  private var bulkService: BulkService { BulkService(pool: pool) }
  private var decisions: DecisionStore { DecisionStore(pool: pool) }
  private var decisionService: DecisionService { DecisionService(pool: pool) }

  @Test func `each number gets its own decision and all are undone together`() async throws {
    let earlier = try Decision(number: numbers[7], treatment: .allow, decidedBy: "Bob", decidedAt: now - 100)
    _ = try await decisionService.record(earlier)
    try await ProtectionStore(pool: pool).add(
      [(try ProtectionTarget("+\(numbers[9])"), "City hospital")], by: "Ada", at: now)
    let items = try await bulks.items(numbers.shuffled())
    #expect(items.map(\.number) == numbers)
    // Somebody decides while the preview is open.
    let meanwhile = try Decision(number: numbers[11], treatment: .allow, decidedBy: "Bob", decidedAt: now - 1)
    _ = try await decisionService.record(meanwhile)

    // Bob's decision stays, unless the bulk replaces decisions. Each number that is left out is left out for every choice.
    let careful = Bulk(treatment: .allow, worker: ada, decidedAt: now - 2)
    #expect(
      items.filter { $0.omission(for: ada, replacing: careful.replacesDecisions, at: now) != nil }.map(\.number)
        == [numbers[7], numbers[9]])
    let bulk = Bulk(
      treatment: .block, reason: "One campaign.", worker: ada, decidedAt: now, replacesDecisions: true)
    for _ in 0..<2 { #expect(try await bulkService.apply(bulk, to: items) == [numbers[9], numbers[11]]) }
    let run = try #require(try await bulks.find(bulk.id))
    #expect(run.decisions == 118 && run.undoneBy == nil && run.treatment == .block)
    for number in numbers where ![numbers[9], numbers[11]].contains(number) {
      #expect(try await decisions.standing(of: number)?.treatment == .block)
      #expect(try await decisions.history(of: number).last?.reason == "One campaign.")
    }
    #expect(try await events("decision.block") == 118)

    for _ in 0..<2 { #expect(try await bulkService.undo(bulk.id, by: ada, at: now + 10) == 118) }
    #expect(try await bulks.find(bulk.id)?.undoneBy == "Ada")
    #expect(try await decisions.standing(of: numbers[7])?.treatment == .allow)
    #expect(try await decisions.standing(of: numbers[8]) == nil)
    #expect(try await events("decision.undo") == 118)
  }

  @Test func `cases above the role or claimed by others are skipped`() async throws {
    let queue = ClaimService(pool: pool)
    _ = try await pool.run(SQL.enqueueCases(numbers.prefix(3).map { ($0, .held) }, at: now))
    #expect(try await queue.escalate(numbers[0], by: ada, at: now))
    let bob = Actor(name: "Bob", role: .moderator)
    _ = try await queue.claim(numbers[1], by: bob, at: now)
    _ = try await queue.claim(numbers[2], by: ada, at: now)
    let items = try await bulks.items(Array(numbers.prefix(4)))
    #expect(items.map { $0.isWithheld(from: ada, at: now) } == [true, true, false, false])
    #expect(!items[1].isWithheld(from: ada, at: now + ClaimService.lifetime))
    let bulk = Bulk(treatment: .allow, worker: ada, decidedAt: now)
    #expect(try await bulkService.apply(bulk, to: items) == [numbers[0], numbers[1]])
    #expect(try await decisions.standing(of: numbers[0]) == nil)
  }

  @Test func `an interrupted bulk decision is finished but an undone one is not`() async throws {
    let bulk = Bulk(treatment: .block, reason: "One campaign.", worker: ada, decidedAt: now)
    #expect(try await !bulkService.finish(bulk.id, by: ada, at: now))
    try await breakOff(bulk)
    let run = try #require(try await bulks.find(bulk.id))
    #expect(run.decisions == 100 && run.numbers == 120 && run.isUnfinished)
    let meanwhile = try Decision(number: numbers[119], treatment: .allow, decidedBy: "Bob", decidedAt: now + 5)
    _ = try await decisionService.record(meanwhile)
    // Two moderators press the button at once. The audit log still has the undone lines.
    async let one = bulkService.finish(bulk.id, by: ada, at: now + 8)
    async let other = bulkService.finish(bulk.id, by: ada, at: now + 9)
    let answers = try await [one, other]
    #expect(answers == [true, true])
    let finished = try #require(try await bulks.find(bulk.id))
    #expect(finished.decisions == 119 && !finished.isUnfinished)
    #expect(try await events("decision.block") == 139)
    #expect(try await events("bulk.finish") == 1)
    #expect(try await bulkService.finish(bulk.id, by: ada, at: now + 10))
    #expect(try await decisions.history(of: numbers[118]).count == 1)
    #expect(try await decisions.standing(of: numbers[118])?.treatment == .block)
    #expect(try await decisions.standing(of: numbers[119])?.treatment == .allow)

    #expect(try await bulkService.undo(bulk.id, by: ada, at: now + 10) == 119)
    let items = try await bulks.items(Array(numbers.prefix(3)))
    #expect(try await bulkService.apply(bulk, to: items).count == 3)
    #expect(try await decisions.standing(of: numbers[0]) == nil)
  }

  @Test func `an interrupted bulk decision is shown to its author and administrators`() async throws {
    let bulk = Bulk(
      treatment: .identify, label: "Surveys", category: .survey, reason: "One campaign.", worker: ada, decidedAt: now)
    try await breakOff(bulk)
    let (bob, root) = (
      Actor(name: "Bob", role: .moderator), Actor(name: "Root", role: .administrator)
    )
    for worker in [ada, root] {
      let runs = try await bulks.unfinished(for: worker)
      #expect(runs.map(\.id) == [bulk.id] && runs.first?.decisions == 100)
      #expect(runs.map { worker.canFinishBulks(of: $0.account) } == [true])
    }
    #expect(try await bulks.unfinished(for: bob).isEmpty)
    #expect(try await bulks.find(bulk.id).map { bob.canFinishBulks(of: $0.account) } == false)
    // A bulk in progress is not interrupted.
    try await touch(-5)
    #expect(try await bulks.unfinished(for: ada).isEmpty)
    #expect(try await bulks.find(bulk.id)?.isUnfinished == false)
    try await touch(-31)
    #expect(try await bulks.find(bulk.id)?.isUnfinished == true)

    // Finished by an administrator, who has decided then, with all values of the bulk.
    #expect(try await bulkService.finish(bulk.id, by: root, at: now + 60))
    let last = try #require(try await decisions.history(of: numbers[119]).last)
    #expect(last.decidedBy == "Root" && last.label == "Surveys" && last.category == .survey)
    #expect(last.reason == "One campaign." && last.time == now + 60)
    #expect(try await decisions.history(of: numbers[0]).map(\.decidedBy) == ["Ada"])
    for worker in [ada, root] { #expect(try await bulks.unfinished(for: worker).isEmpty) }
    #expect(try await bulkService.undo(bulk.id, by: ada, at: now + 90) == 120)
  }

  @Test func `the progress is that of all rows, and a heartbeat shows that an interrupted bulk continues`() async throws
  {
    let bulk = Bulk(treatment: .block, reason: "One campaign.", worker: ada, decidedAt: now)
    #expect(try await bulks.progress(bulk.id) == nil)
    try await breakOff(bulk)
    let run = try #require(try await bulks.progress(bulk.id))
    #expect(run.decisions == 100 && run.numbers == 120 && run.isUnfinished && run.left.isEmpty)
    try await bulkService.storeHeartbeat(of: bulk.id)
    #expect(try await bulks.progress(bulk.id)?.isRunning == true)
    _ = try await decisionService.record(
      Decision(number: numbers[119], treatment: .allow, decidedBy: "Bob", decidedAt: now + 5))
    #expect(try await bulkService.finish(bulk.id, by: ada, at: now + 8))
    // The numbers that it left out are there at its end.
    #expect(try await bulks.progress(bulk.id)?.left == [numbers[119]])
    #expect(try await bulks.progress(bulk.id) == bulks.find(bulk.id))
  }

  @Test func `a decision that is undone singly does not let its bulk seem to be undone`() async throws {
    let bulk = Bulk(treatment: .block, reason: "One campaign.", worker: ada, decidedAt: now)
    _ = try await bulkService.apply(bulk, to: try await bulks.items(numbers))
    let made = try bulk.decision(of: numbers[0]).id
    #expect(try await decisionService.undo(made, of: numbers[0], decidedBy: "Bob", at: now + 5) == .undone)
    let run = try #require(try await bulks.progress(bulk.id))
    #expect(run.undone == 1 && !run.isBeingUndone)
    // As the first batch of its undoing does.
    try await bulkService.storeHeartbeat(of: bulk.id)
    #expect(try await bulks.progress(bulk.id)?.isBeingUndone == true)
    try await touch(-31)
    #expect(try await bulks.progress(bulk.id)?.isBeingUndone == false)
  }

  /// Decisions and undoings after the bulk started are kept, even where the same decision is in force as before, and
  /// whatever the clocks said.
  @Test func `decisions and undos made in the meantime are kept`() async throws {
    let left = Array(numbers.suffix(5))
    for number in [left[0], left[1]] {
      _ = try await decisionService.record(
        Decision(number: number, treatment: .allow, decidedBy: "Bob", decidedAt: now - 100))
    }
    let bulk = Bulk(
      treatment: .block, reason: "One campaign.", worker: ada, decidedAt: now, replacesDecisions: true)
    try await breakOff(bulk, forgetting: left)
    // Bob undoes the decision in force, and another moderator makes one and undoes it; both with a slow clock.
    let stood = try #require(try await decisions.standing(of: left[0]))
    #expect(try await decisionService.undo(stood.decisionID, of: left[0], decidedBy: "Bob", at: now - 50) == .undone)
    for number in [left[1], left[2]] {
      let decision = try Decision(
        number: number, treatment: .identify, label: "A shop", reason: "Asked.", decidedBy: "Cleo", decidedAt: now - 40)
      _ = try await decisionService.record(decision)
      #expect(try await decisionService.undo(decision.id, of: number, decidedBy: "Cleo", at: now - 30) == .undone)
    }
    #expect(try await bulkService.finish(bulk.id, by: ada, at: now + 8))
    #expect(try await decisions.standing(of: left[0]) == nil)
    #expect(try await decisions.standing(of: left[1])?.treatment == .allow)
    #expect(try await decisions.standing(of: left[2]) == nil)
    for number in left[3...] { #expect(try await decisions.standing(of: number)?.treatment == .block) }
  }

  @Test func `items say which numbers are blocked only with a confirmation`() async throws {
    let protection = ProtectionStore(pool: pool)
    // In the block of 100 of the first 34 numbers; a protected number is left out, and does not guard itself.
    try await protection.add([(.number(numbers[0]), "A bank")], by: "Ada", at: now)
    // A pattern does not make its neighbors suspect.
    try await protection.add([(try ProtectionTarget("+331990001xx"), "A street")], by: "Ada", at: now)
    let entry = StoredDirectoryEntry(number: numbers[100], name: "A shop", category: nil)
    try await DirectoryStore(pool: pool).replace(source: "A list", with: [entry], at: now)
    let items = try await bulks.items(numbers)
    #expect(items.filter(\.blockRule.hasProtectedNeighbour).map(\.number) == Array(numbers[1...33]))
    #expect(items.filter(\.blockRule.isNamed).map(\.number) == [numbers[100]])
    let block = Bulk(treatment: .block, reason: "One campaign.", worker: ada, decidedAt: now)
    #expect(block.guarded(items) == Array(numbers[1...33]) + [numbers[100]])
    #expect(Bulk(treatment: .allow, worker: ada, decidedAt: now).guarded(items) == [])
  }

  @Test func `a bulk decision needs a reason`() async throws {
    let items = try await bulks.items(numbers)
    let bulk = Bulk(treatment: .block, worker: ada, decidedAt: now)
    await #expect(throws: RuleViolation.self) { try await bulkService.apply(bulk, to: items) }
    #expect(try await bulks.find(bulk.id) == nil)
    #expect(try await decisions.standing(of: numbers[0]) == nil)
  }

  /// Makes a bulk whose server was killed ten minutes ago, before the last batch.
  private func breakOff(_ bulk: Bulk, forgetting some: [Int64]? = nil) async throws {
    let before = try await bulks.items(numbers)
    #expect(try await bulkService.apply(bulk, to: before).isEmpty)
    try await pool.withConnection { connection in
      for number in some ?? numbers.suffix(20) {
        let made = try bulk.decision(of: number).id
        _ = try await connection.query("DELETE FROM bulk_decisions WHERE number = \(number)")
        _ = try await connection.query("DELETE FROM decisions WHERE number = \(number) AND decision_id = \(made)")
        _ = try await connection.query("DELETE FROM number_decisions WHERE number = \(number)")
        _ = try await connection.query(
          """
          INSERT INTO number_decisions (number, decision, decision_id, decided_at)
          SELECT number, decision, decision_id, decided_at FROM decisions WHERE number = \(number)
          """)
      }
      _ = try await connection.query("UPDATE bulks SET finished_at = NULL")
    }
    try await touch(-600)
  }

  /// Sets the heartbeat of the bulks, in seconds from now.
  private func touch(_ seconds: Double) async throws {
    try await pool.execute("UPDATE bulks SET heartbeat_at = \(Date() + seconds)")
  }

  private func events(_ action: String) async throws -> Int64 {
    try await pool.withConnection { connection in
      try await connection.query("SELECT count(*) FROM audit_events WHERE action = \(action)").first?.decode(0) ?? 0
    }
  }
}
