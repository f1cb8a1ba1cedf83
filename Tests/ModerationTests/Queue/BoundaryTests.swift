// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import PostgreSQL
import TestSupport
import Testing

@testable import Moderation
@testable import Storage

/// Rules of accounts and of times, on both sides of each limit, without a database.
@Suite struct CaseAccessTests {
  private let roles: [Role] = [.triage, .moderator, .administrator]

  private func claim(_ account: String, until time: Date) -> QueueCase.Claim {
    QueueCase.Claim(id: UUID(), account: account, until: time, since: time)
  }

  @Test func `a case is open to its level and to who has claimed it`() {
    for (place, role) in roles.enumerated() {
      let worker = Actor(name: "Ada", role: role)
      func access(_ level: Int16, _ claim: QueueCase.Claim? = nil) -> CaseAccess {
        CaseAccess(level: level, claim: claim, for: worker, at: now)
      }
      for level in 0...2 as ClosedRange<Int16> {
        let needed: CaseAccess = Int(level) <= place ? .open : .needs(roles[Int(level)])
        #expect(access(level) == needed)
        #expect(access(level, claim("Ada", until: now + 1)) == needed)
        #expect(access(level, claim("Bob", until: now)) == needed)
      }
      let taken = claim("Bob", until: now + 0.001)
      #expect(access(0, taken) == .claimed(taken))
      if place == 0 { #expect(access(1, taken) == .needs(.moderator)) }
    }
  }

  @Test func `moderators undo every decision and triage its own`() {
    let event = DecisionEvent.of("Ada", at: now)
    for (name, role, isPermitted) in [
      ("Ada", .triage, true), ("Bob", .triage, false), ("Bob", .moderator, true), ("Bob", .administrator, true),
    ] as [(String, Role, Bool)] {
      #expect(DecisionRights.canUndo(event, Actor(name: name, role: role)) == isPermitted)
    }
  }

  @Test func `a key acts as an account of its scopes`() {
    func account(_ scopes: AppScopes, _ name: String = "Shop") -> Actor? {
      var app = App(id: 7, name: name)
      app.scopes = scopes
      return app.serviceAccount
    }
    #expect(account([.report, .lookup, .vouch]) == nil)
    #expect(account([.moderate]) == Actor(name: "app:Shop", role: .moderator))
    #expect(account([.administer]) == Actor(name: "app:Shop", role: .administrator))
    #expect(account([.moderate, .administer])?.role == .administrator)
    let long = String(repeating: "a", count: 80)
    #expect(account([.moderate], long)?.name == "app:" + String(repeating: "a", count: 76))
  }

  @Test func `a bulk leaves out what its author may not decide`() throws {
    let ada = Actor(name: "Ada", role: .moderator)
    func omission(_ isReplacing: Bool = false, _ change: (inout BulkItem) -> Void = { _ in }) -> BulkItem.Omission? {
      var item = BulkItem(number: 33_199_000_248, heat: 0, isPublished: false)
      change(&item)
      let bulk = Bulk(treatment: .allow, worker: ada, decidedAt: now, replacesDecisions: isReplacing)
      #expect(item.isOpen(to: bulk) == (item.omission(for: ada, replacing: isReplacing, at: now) == nil))
      return item.omission(for: ada, replacing: isReplacing, at: now)
    }
    let decided = StandingDecision(number: 33_199_000_248, treatment: .block, decisionID: UUID(), decidedAt: now)
    #expect(omission() == nil)
    #expect(omission { $0.level = 1 } == nil && omission { $0.level = 2 } == .withheld)
    #expect(omission { $0.claim = claim("Bob", until: now + 1) } == .withheld)
    #expect(omission { $0.isAppealed = true } == .appealed)
    #expect(omission { $0.protection = .invalidNumber } == .protected)
    #expect(omission { $0.standing = decided } == .decided && omission(true) { $0.standing = decided } == nil)
    #expect(omission(true) { ($0.standing, $0.isAppealed) = (decided, true) } == .appealed)
  }

  @Test func `a bulk checks the rules of its treatment`() throws {
    let triage = Actor(name: "Ada", role: .triage)
    var guarded = BulkItem(number: 33_199_000_248, heat: 0, isPublished: true)
    guarded.blockRule.isNamed = true
    let plain = BulkItem(number: 33_199_000_249, heat: 0, isPublished: false)
    let allowing = Bulk(treatment: .allow, worker: triage, decidedAt: now)
    #expect(throws: RuleViolation.self) { try allowing.check([plain, guarded]) }
    try allowing.check([plain])
    let blocking = Bulk(treatment: .block, reason: "x", worker: triage, decidedAt: now)
    try blocking.check([guarded])
    #expect(blocking.guarded([plain, guarded]) == [guarded.number] && allowing.guarded([guarded]) == [])
    guarded.isAppealed = true
    #expect(blocking.guarded([guarded]) == [])
    try allowing.check([guarded])
  }
}

extension DecisionEvent {
  fileprivate static func of(_ account: String, at time: Date) -> DecisionEvent {
    DecisionEvent(
      id: UUID(), kind: .decision(.block), label: nil, category: nil, reason: "x", note: nil,
      decidedBy: account, time: time, expiresAt: nil)
  }
}

/// Times and counts at which claims, appeals and decisions change.
@Suite(.database) struct BoundaryTests {
  private let number: Int64 = 33_199_000_248
  private let ada = Actor(name: "Ada", role: .moderator)
  private let bob = Actor(name: "Bob", role: .moderator)

  private var queue: QueueStore { QueueStore(pool: pool) }
  private var claims: ClaimService { ClaimService(pool: pool) }
  private var decisions: DecisionService { DecisionService(pool: pool) }

  private func enqueue(_ numbers: [Int64]? = nil) async throws {
    _ = try await pool.run(SQL.enqueueCases((numbers ?? [number]).map { ($0, .held) }, at: now))
  }

  /// Actor, reason, and the values before and after, of the events of an action.
  private func events(_ action: String) async throws -> [String] {
    try await pool.column(
      """
      SELECT concat_ws(' ', actor, subject, before::text, after::text, reason) FROM audit_events WHERE action = \(action)
      ORDER BY happened_at, event_id
      """)
  }

  @Test func `a claim ends at its time and starts anew afterwards`() async throws {
    try await enqueue()
    guard case .claimed(let first) = try await claims.claim(number, by: ada, at: now) else { throw Unexpected() }
    #expect(first.claim?.until == now + 600 && first.claim?.since == now)
    // A claim keeps its beginning until it ends.
    #expect(try await claims.take(number, by: ada, at: now + 599)?.claim?.since == now)
    #expect(try await claims.renew(number, account: "Ada", at: now + 1_198))
    #expect(try await queue.find(number)?.claim?.since == now)
    #expect(try await claims.take(number, by: bob, at: now + 1_797) == nil)
    #expect(try await claims.renew(number, account: "Ada", at: now + 1_798))
    #expect(try await queue.find(number)?.claim?.since == now + 1_798)
    #expect(try await claims.take(number, by: ada, at: now + 2_398)?.claim?.since == now + 2_398)
    #expect(try await claims.claimNext(by: bob, at: now + 2_997) == nil)
    #expect(try await claims.claimNext(by: bob, at: now + 2_998)?.number == number)
    #expect(try await claims.claim(33_199_000_001, by: ada, at: now) == .notWaiting)
  }

  @Test func `taking a case over is an event unless it is the own one`() async throws {
    try await enqueue()
    _ = try await claims.claim(number, by: ada, takesOver: true, at: now)
    _ = try await claims.claim(number, by: ada, takesOver: true, at: now + 1)
    #expect(try await events("case.take_over").isEmpty)
    guard case .claimed(let item) = try await claims.claim(number, by: bob, takesOver: true, at: now + 2) else {
      throw Unexpected()
    }
    #expect(item.claim?.account == "Bob" && item.claim?.since == now + 2)
    #expect(try await events("case.take_over") == [#"Bob +33199000248 {"claim": "Ada"}"#])
    #expect(try await claims.claim(33_199_000_001, by: bob, takesOver: true, at: now) == .notWaiting)
  }

  @Test func `each third account that passes a case raises it up to the highest level`() async throws {
    try await enqueue()
    var levels: [Int16] = []
    for place in 1...10 {
      #expect(try await claims.pass(number, by: Actor(name: "W\(place)", role: .administrator), at: now))
      levels.append(try #require(try await queue.find(number)).level)
    }
    #expect(levels == [0, 0, 1, 1, 1, 2, 2, 2, 2, 2])
    // Again by the ninth: it is not new.
    #expect(try await claims.pass(number, by: Actor(name: "W9", role: .administrator), at: now))
    #expect(try await events("case.pass").count == 11)
    #expect(try await !claims.pass(33_199_000_001, by: ada, at: now))
  }

  @Test func `a case is escalated one level once`() async throws {
    let triage = Actor(name: "Tom", role: .triage)
    try await enqueue()
    #expect(try await claims.escalate(number, by: triage, reason: "Unsure.", at: now))
    #expect(try await queue.find(number)?.level == 1)
    #expect(try await !claims.escalate(number, by: triage, at: now))
    #expect(try await claims.escalate(number, by: ada, at: now + 1))
    #expect(try await !claims.escalate(number, by: Actor(name: "Root", role: .administrator), at: now))
    #expect(try await !claims.escalate(33_199_000_001, by: ada, at: now))
    #expect(
      try await events("case.escalate") == [
        #"Tom +33199000248 {"level": "0"} {"level": "1"} Unsure."#, #"Ada +33199000248 {"level": "1"} {"level": "2"}"#,
      ])
  }

  @Test func `many cases that others hold are skipped`() async throws {
    let numbers = (0..<40).map { 33_199_000_100 + Int64($0) }
    try await enqueue(numbers)
    #expect(try await claims.claimNext(skipping: Array(numbers.dropLast()), by: ada, at: now)?.number == numbers[39])
    // All that are skipped: they come again.
    #expect(try await claims.claimNext(skipping: numbers, by: bob, at: now)?.number == numbers[0])
    #expect(try await claims.claimNext(QueueFilter(country: "US"), by: bob, at: now) == nil)
  }

  @Test func `a decision expires at its time and is dated after the one that it replaces`() async throws {
    func make(_ treatment: Decision.Treatment, at time: Date, expiring: Date? = nil) throws -> Decision {
      try Decision(
        number: number, treatment: treatment, reason: "x", decidedBy: "Ada", decidedAt: time, expiresAt: expiring)
    }
    let first = try make(.block, at: now + 10, expiring: now + 100)
    _ = try await decisions.record(first)
    let second = try make(.block, at: now, expiring: now + 60)
    #expect(try await decisions.record(second, expecting: .this(first.id)) == .recorded)
    let store = DecisionStore(pool: pool)
    #expect(try await store.standing(of: number)?.decidedAt == now + 10.000_001)
    await #expect(throws: DecisionError.stale) {
      try await decisions.record(try make(.allow, at: now), expecting: .this(first.id))
    }
    #expect(try await decisions.expire(at: now + 59.999) == 0)
    #expect(try await decisions.expire(at: now + 60) == 1)
    #expect(try await store.standing(of: number)?.decisionID == first.id)
    #expect(try await decisions.expire(at: now + 100) == 1)
    #expect(try await store.standing(of: number) == nil)
  }

  @Test func `the event of a decision has what was handled and how long`() async throws {
    try await enqueue()
    _ = try await claims.claim(number, by: ada, at: now)
    let block = try Decision(number: number, treatment: .block, reason: "x", decidedBy: "Ada", decidedAt: now + 90.6)
    _ = try await decisions.record(block)
    #expect(
      try await events("decision.block") == [
        #"Ada +33199000248 {"causes": "held", "category": "as_reported", "decision": "block", "case_since": "\#(now.formatted(.iso8601))", "handling_seconds": "91"} x"#
      ])
    // Of another account, and after the claim has ended, no time is known.
    for (place, (account, seconds)) in [("Bob", 5.0), ("Ada", 600)].enumerated() {
      let other = number + 1 + Int64(place)
      try await enqueue([other])
      _ = try await claims.claim(other, by: ada, at: now)
      _ = try await decisions.record(
        try Decision(number: other, treatment: .allow, decidedBy: account, decidedAt: now + seconds))
    }
    #expect(try await events("decision.allow").allSatisfy { !$0.contains("handling_seconds") })
  }

  @Test func `a decision is sent again only with the same values`() async throws {
    func make(_ treatment: Decision.Treatment, _ change: (inout Decision) -> Void = { _ in }) throws -> Decision {
      var decision = try Decision(
        id: UUID(uuidString: "00000000-0000-4000-8000-00000000000\(treatment == .allow ? 1 : 2)")!,
        number: number, treatment: treatment, label: treatment == .allow ? nil : "A", category: .fraud, reason: "x",
        note: "n", decidedBy: "Ada", decidedAt: now)
      change(&decision)
      return decision
    }
    let month = 30 * 86_400.0
    _ = try await decisions.record(try make(.identify))
    _ = try await decisions.record(try make(.allow) { $0.expiresAt = now + month })
    for (treatment, outcome, change) in [
      (.identify, .duplicate, { $0.decidedAt += 5 }), (.identify, .conflict, { $0.treatment = .block }),
      (.identify, .conflict, { $0.label = "B" }), (.identify, .conflict, { $0.category = .survey }),
      (.identify, .conflict, { $0.reason = "y" }), (.identify, .conflict, { $0.note = nil }),
      (.identify, .conflict, { $0.decidedBy = "Bob" }), (.identify, .conflict, { $0.expiresAt = now + month }),
      (.allow, .duplicate, { ($0.decidedAt, $0.expiresAt) = (now + 5, now + 5 + month) }),
      (.allow, .conflict, { $0.expiresAt = now + 3 * month }), (.allow, .conflict, { $0.note = "m" }),
    ] as [(Decision.Treatment, DecisionOutcome, (inout Decision) -> Void)] {
      let again = try make(treatment, change)
      #expect(try await decisions.record(again) == outcome, "\(again)")
    }
  }

  @Test func `a case with an appeal is announced once, and ends or is evaluated with the answer`() async throws {
    let appeals = AppealService(pool: pool)
    try await pool.execute("INSERT INTO webhook_receivers VALUES ('https://localhost/')")
    for byte in 1...2 as ClosedRange<UInt8> {
      let filing = try AppealFiling(number: number, statement: "Mine \(byte).", contact: nil, filedAt: now)
      let stamp = (id: [UInt8](repeating: byte, count: 16), expiresAt: now + 60)
      _ = try await appeals.file(filing, ticket: AppealTicket(), stamp: stamp)
      #expect(try await pool.execute("SELECT 1 FROM outbox WHERE event = 'appeal_filed'") == 1)
    }
    try await pool.execute("UPDATE queue SET stale = false")
    func settle(_ state: Appeal.State) async throws {
      _ = try await appeals.settle(number, as: state, by: Actor(name: "Ada", role: .moderator), answer: "x", at: now)
    }
    try await settle(.rejected)
    #expect(try await queue.stale(limit: 9) == [number])
    #expect(try await appeals.undoRejection(number, answeredAt: now, by: ada, at: now + 1))
    try await settle(.upheld)
    #expect(try await queue.find(number) == nil)
  }

  @Test func `a rejection can be undone for five minutes`() async throws {
    let appeals = AppealService(pool: pool)
    func file(_ byte: UInt8) async throws {
      let filing = try AppealFiling(number: number, statement: "Mine.", contact: nil, filedAt: now)
      let stamp = (id: [UInt8](repeating: byte, count: 16), expiresAt: now + 60)
      _ = try await appeals.file(filing, ticket: AppealTicket(), stamp: stamp)
    }
    try await file(1)
    func reject(at time: Date) async throws -> AnswerOutcome {
      try await appeals.settle(number, as: .rejected, by: Actor(name: "Ada", role: .moderator), answer: "No.", at: time)
    }
    #expect(try await reject(at: now) == .answered(1))
    #expect(try await reject(at: now + 1) == .nothingOpen)
    #expect(try await !appeals.undoRejection(number, answeredAt: now, by: ada, at: now + 300))
    #expect(try await !appeals.undoRejection(number, answeredAt: now + 1, by: ada, at: now + 2))
    #expect(try await appeals.undoRejection(number, answeredAt: now, by: ada, at: now + 299.999))
    #expect(try await AppealStore(pool: pool).appeals(of: number).map(\.state) == [.open])
    #expect(try await reject(at: now + 1) == .answered(1))
    try await file(2)
    #expect(try await reject(at: now + 2) == .answered(1))
    try await file(3)
    let other = try await appeals.settle(
      number, expecting: [UUID()], as: .rejected, by: Actor(name: "Ada", role: .moderator), answer: "No.", at: now)
    #expect(other == .changed)
  }

  @Test func `a bulk works in steps and is finished by its author or an administrator`() async throws {
    let numbers = (0..<51).map { 33_199_000_000 + Int64($0) * 3 }
    let (store, service, progress) = (BulkStore(pool: pool), BulkService(pool: pool), Collected<Int>())
    let bulk = Bulk(treatment: .block, reason: "x", worker: ada, decidedAt: now)
    #expect(try await service.apply(bulk, to: try await store.items(numbers)) { progress.add([$0]) } == [])
    #expect(progress.all == [50, 51])
    let run = try #require(try await store.find(bulk.id))
    for (account, role, isPermitted) in [
      ("Ada", .triage, false), ("Ada", .moderator, true), ("Bob", .moderator, false), ("Bob", .administrator, true),
    ] as [(String, Role, Bool)] {
      #expect(Actor(name: account, role: role).canFinishBulks(of: run.account) == isPermitted)
    }
    // A finished one is not finished again, and an unknown one cannot be.
    #expect(try await service.finish(bulk.id, by: ada, at: now + 1))
    #expect(try await !service.finish(UUID(), by: ada, at: now + 1))
    #expect(try await events("bulk.finish").isEmpty)
    #expect(try await service.undo(bulk.id, by: ada, at: now + 2) == 51)
    #expect(try await service.reviewed(bulk, try await store.items(numbers)) == 0)
  }

  @Test func `a row with a rule against it has its number or its reason as the value`() async throws {
    let (held, plain) = (33_199_000_248 as Int64, 33_199_000_251 as Int64)
    let finding = BrigadeDetection.Finding(reason: .oneDay(peak: 12, reporters: 13, others: 1), reporters: [])
    _ = try await HoldStore(pool: pool).hold([(held, finding)], at: now)
    let triage = Actor(name: "Tom", role: .triage)
    let rows = [held, plain].enumerated().map { line, number in
      DecisionRow(line: line + 2, number: number, values: DecisionValues(treatment: .allow, reason: "Known."))
    }
    let plan = try #require(
      try await BulkService(pool: pool).plan(
        rows, id: UUID(), by: triage, isReplacing: false, isConfirmed: false, at: now))
    #expect(plan.items.map(\.number) == [plain])
    #expect(plan.problems.map(\.line) == [2] && plan.problems.map(\.value) == ["Known."])
    #expect(plan.problems.map(\.violation.field) == ["reason"])
  }

  @Test func `only moderators share filters and only the owner or an administrator deletes them`() async throws {
    let service = SavedFilterService(pool: pool)
    func filter(_ isShared: Bool, _ name: String) throws -> SavedFilter {
      try SavedFilter(account: "Ada", name: name, filter: QueueFilter(), order: .urgency, isShared: isShared)
    }
    let (own, shared) = (try filter(false, "Own"), try filter(true, "Shared"))
    #expect(try await service.save(shared, role: .triage, at: now) == .notShareable)
    #expect(try await service.save(own, role: .triage, at: now) == .saved)
    #expect(try await service.save(shared, role: .moderator, at: now) == .saved)
    let root = Actor(name: "Root", role: .administrator)
    #expect(try await !service.delete(own.id, by: root))
    #expect(try await !service.delete(shared.id, by: bob))
    #expect(try await service.delete(shared.id, by: root))
    #expect(try await service.delete(own.id, by: Actor(name: "Ada", role: .triage)))
  }
}

private struct Unexpected: Error {}
