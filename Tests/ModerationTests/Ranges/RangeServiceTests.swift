// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import Moderation
import PostgreSQL
import Storage
import TestSupport
import Testing

@Suite(.database) struct RangeServiceTests {
  private var service: RangeService { RangeService(stores: Stores(pool: pool)) }

  private func rule(
    _ first: Int64, size: Int64, _ treatment: Decision.Treatment = .block, by account: String = "Ada"
  ) throws -> RangeRule {
    let range = RangePattern(stored: "+\(first)-+\(first + size - 1)", blocks: [first...first + size - 1])
    return try RangeRule(
      range, treatment: treatment, label: treatment == .identify ? "Shop" : nil, reason: "x", proposedBy: account,
      at: now)
  }

  @Test func `the first number of a proposed range is not decided alone`() async throws {
    let number: Int64 = 33_199_000_400
    try await pool.execute(
      """
      INSERT INTO ranges
        (number, pattern, app_id, prefix, firsts, lasts, state, treatment, category_id, members, heat, proposed_at)
      VALUES (\(number), '+3319900040x', 0, 3319900040, '{33199000400}', '{33199000409}', 'proposed', 'block', 1, 9, 1, \(now))
      """)
    _ = try await pool.run(SQL.enqueueCases([(number, .range)], at: now))
    let decisions = DecisionService(pool: pool)
    let block = try Decision(
      number: number, treatment: .block, reason: "Many calls.", decidedBy: "Ada", decidedAt: now)
    await #expect(throws: RuleViolation(.rangeOpen, field: "number")) { _ = try await decisions.record(block) }
    // A revocation does not wait for the range.
    var allow = block
    (allow.treatment, allow.id) = (.allow, UUID())
    #expect(try await decisions.record(allow, revoking: .remove) == .recorded)
    _ = try await pool.run(SQL.enqueueCases([(number, .range)], at: now + 1))
    let range = try #require(try await RangeStore(pool: pool).rules(containing: number).first)
    try await service.decide([range], isApproved: false, by: .commandLine("Ada"), reason: "No.", at: now)
    var later = block
    later.decidedAt = now + 2
    #expect(try await decisions.record(later) == .recorded)
  }

  @Test func `of two opposite decisions about a range one is stored`() async throws {
    let store = RangeStore(pool: pool)
    _ = try await service.add([try rule(33_199_000_000, size: 1_000_001)], by: .commandLine("Ada"), at: now)
    let seen = try await store.rules()
    let outcomes = await withTaskGroup(of: RuleViolation?.self) { group in
      for (account, isApproved) in [("Bob", true), ("Cy", false)] {
        group.addTask { [service, now] in
          do {
            try await service.decide(seen, isApproved: isApproved, by: .commandLine(account), reason: "x", at: now)
            return nil
          } catch { return error as? RuleViolation }
        }
      }
      return await group.reduce(into: []) { $0.append($1?.code) }
    }
    #expect(outcomes.count(where: { $0 == nil }) == 1 && outcomes.contains(.rangeChanged))
    // An account that has read the review in force may change it; a rule that is gone cannot be decided.
    let read = try await store.rules()
    try await service.decide(read, isApproved: true, by: .commandLine("Di"), reason: "x", at: now + 0.123_456_7)
    let again = try await store.rules()
    try await service.decide(again, isApproved: false, by: .commandLine("Di"), reason: nil, at: now + 1)
    #expect(try await store.rules().map(\.state) == [.rejected])
    #expect(try await service.remove(again, by: .commandLine("Di"), reason: nil, at: now) == 1)
    await #expect(throws: RuleViolation(.rangeChanged, field: "range")) {
      try await service.decide(again, isApproved: true, by: .commandLine("Di"), reason: "x", at: now)
    }
  }

  @Test func `a million numbers in a day need no approval and one more does`() async throws {
    let small = try rule(33_199_000_000, size: 600_000)
    #expect(try await service.add([small], by: .commandLine("Ada"), at: now).map(\.state) == [.approved])
    let rest = try rule(33_198_000_000, size: 400_000)
    let more = try rule(33_197_000_000, size: 400_001)
    #expect(try await service.add([more], by: .commandLine("Ada"), at: now + 86_399).map(\.state) == [.proposed])
    // Rules of others do not count, nor rules that block nothing, nor rules of the day before.
    #expect(
      try await service.add([try rule(33_196_000_000, size: 900_000, by: "Bob")], by: .commandLine("Bob"), at: now).map(
        \.state) == [
          .approved
        ])
    #expect(
      try await service.add([try rule(33_195_000_000, size: 2_000_000, .identify)], by: .commandLine("Ada"), at: now)
        .map(\.state)
        == [.approved])
    #expect(try await service.add([rest], by: .commandLine("Ada"), at: now + 86_399).map(\.state) == [.approved])
    #expect(try await service.add([more], by: .commandLine("Ada"), at: now + 86_400).map(\.state) == [.approved])
    // The same range counts once.
    #expect(try await service.add([small, small], by: .commandLine("Ada"), at: now + 172_801).count == 1)
    // A proposal does not end the rule in force.
    await #expect(throws: RuleViolation(.rangeInForce, field: "range")) {
      _ = try await service.add([rest, more], by: .commandLine("Ada"), at: now + 172_801)
    }
  }

  @Test func `a proposal needs another person's approval`() async throws {
    let proposed = try await service.add([try rule(33_199_000_000, size: 1_000_001)], by: .commandLine("Ada"), at: now)
    #expect(proposed.map(\.state) == [.proposed])
    await #expect(throws: RuleViolation.self) {
      try await service.decide(proposed, isApproved: true, by: .commandLine("Ada"), reason: nil, at: now)
    }
    try await service.decide(proposed, isApproved: true, by: .commandLine("Bob"), reason: nil, at: now)
    let store = RangeStore(pool: pool)
    let approved = try await store.rules(.approved)
    #expect(approved.map(\.decidedBy) == ["Bob"] && approved.map(\.reason) == ["x"])
    // Its author may end it, and approve it again as it is in force.
    try await service.decide(approved, isApproved: true, by: .commandLine("Ada"), reason: "Again.", at: now + 1)
    #expect(try await store.rules(.approved).map(\.reason) == ["Again."])
    let again = try await store.rules(.approved)
    try await service.decide(again, isApproved: false, by: .commandLine("Ada"), reason: nil, at: now + 2)
    #expect(try await store.rules(.rejected).count == 1)
    #expect(try await service.remove(approved, by: .commandLine("Ada"), reason: nil, at: now + 3) == 1)
    #expect(try await store.rules().isEmpty)
  }

  @Test func `a preview counts what the rules would list`() async throws {
    try await ProtectionStore(pool: pool).add([(try ProtectionTarget("+33199000001"), "Bank")], by: "Ada", at: now)
    let finding = BrigadeDetection.Finding(reason: .oneDay(peak: 12, reporters: 13, others: 1), reporters: [])
    _ = try await HoldStore(pool: pool).hold([(33_199_000_002, finding)], at: now)
    let decisions = DecisionService(pool: pool)
    for (number, treatment) in [(33_199_000_003, .allow), (33_199_000_004, .block)] as [(Int64, Decision.Treatment)] {
      _ = try await decisions.record(
        try Decision(number: number, treatment: treatment, reason: "x", decidedBy: "Ada", decidedAt: now))
    }
    let shop = StoredDirectoryEntry(number: 33_199_000_005, name: "A shop", category: nil)
    try await DirectoryStore(pool: pool).replace(source: "A list", with: [shop], at: now)
    let effect = try await service.preview([
      try rule(33_199_000_000, size: 10), try rule(33_199_000_020, size: 10, .allow),
    ])
    #expect(effect.lists == 5 && effect.counts.named == 1 && effect.counts.numbers == 20 && !effect.needsApproval)
    #expect(effect.counts.protected == 1 && effect.counts.held == 1 && effect.counts.allowed == 1)
    #expect(try await service.preview([try rule(33_199_000_000, size: 1_000_001)]).needsApproval)
  }
}
