// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import Moderation
import PostgreSQL
import Storage
import TestSupport
import Testing

/// The queue has the cases of the rule, whatever path evaluated them.
@Suite(.database) struct QueueStreamTests {
  private let number: Int64 = 33_199_000_248

  private var queue: QueueStore { QueueStore(pool: pool) }
  private var decisions: DecisionStore { DecisionStore(pool: pool) }
  private var decisionService: DecisionService { DecisionService(pool: pool) }

  private func evaluate(_ numbers: [Int64], at time: Date? = nil) async throws -> QueueChange {
    try await queue.evaluate(
      numbers, by: try await ThresholdStore(pool: pool).current(),
      protected: try await ProtectionStore(pool: pool).load(), at: time ?? now)
  }

  private func report(_ number: Int64, count: Int, weight: Float = 1) async throws {
    let reports = (0..<count).map { index in
      Report(
        number: number, appID: 1, reportID: UUID(), reportedAt: now - Double(index), category: .fraud,
        reporter: Array(repeating: UInt8(index), count: 16), weight: weight)
    }
    _ = try await ReportStore(pool: pool).accept(reports, receivedAt: now)
  }

  private func waiting() async throws -> [Int64: [QueueCause]] {
    Dictionary(
      uniqueKeysWithValues: try await queue.page(level: 2, limit: 100_000, at: now).map {
        ($0.item.number, $0.item.causes.all)
      })
  }

  @Test func `a reported number waits until its decision and again after undo`() async throws {
    try await report(number, count: 6)
    #expect(try await evaluate([number, number + 1]) == QueueChange(judged: 2, written: 1))
    let item = try #require(try await queue.find(number))
    #expect(item.causes.all == [.threshold] && item.country == "FR" && item.category == .fraud)
    // A repeated evaluation writes nothing.
    #expect(try await evaluate([number], at: now + 1) == QueueChange(judged: 1))
    #expect(try await queue.find(number)?.since == item.since)

    let decision = try Decision(number: number, treatment: .block, reason: "Because.", decidedBy: "Ada", decidedAt: now)
    _ = try await decisionService.record(decision)
    #expect(try await waiting().isEmpty)
    #expect(try await evaluate([number]) == QueueChange(judged: 1))
    _ = try await decisionService.undo(decision.id, of: number, decidedBy: "Ada", at: now + 5)
    #expect(try await queue.stale(limit: 10) == [number])
    _ = try await evaluate(try await queue.stale(limit: 10))
    #expect(try await queue.stale(limit: 10) == [])
    #expect(try await waiting() == [number: [.threshold]])
    // The heat decays: a year later there is no case.
    #expect(try await evaluate([number], at: now + 365 * 86_400).removed == 1)
  }

  @Test func `a case has the sums of its reports, whatever its cause`() async throws {
    let (held, appealed, ranged) = (number, number + 10, number + 152)
    // They reach no threshold.
    for number in [held, appealed, ranged] { try await report(number, count: 1, weight: 0.01) }
    let finding = BrigadeDetection.Finding(reason: .oneDay(peak: 12, reporters: 13, others: 1), reporters: [])
    _ = try await HoldStore(pool: pool).hold([(held, finding)], at: now)
    try await AppealStore(pool: pool).file(try Appeal(number: appealed, statement: "Mine.", filedAt: now))
    try await pool.execute(
      """
      INSERT INTO ranges
        (number, pattern, app_id, prefix, firsts, lasts, state, treatment, category_id, members, heat, proposed_at)
      VALUES (\(ranged), '+3319900040x', 0, 3319900040, '{33199000400}', '{33199000409}', 'proposed', 'block', 1, 9, 1, \(now))
      """)
    _ = try await evaluate([held, appealed, ranged])
    #expect(try await pool.column("SELECT reports FROM queue ORDER BY number", as: Int64.self) == [1, 1, 1])
  }

  @Test func `holds, appeals and protected numbers wait`() async throws {
    let finding = BrigadeDetection.Finding(
      reason: .oneDay(peak: 12, reporters: 13, others: 1), reporters: [Reporter([1])])
    _ = try await HoldStore(pool: pool).hold([(number, finding)], at: now)
    try await ProtectionStore(pool: pool).add(
      [(try ProtectionTarget("+33199000300"), "City hospital")], by: "Ada", at: now)
    try await report(33_199_000_300, count: 10, weight: 0)
    #expect(try await queue.sweep(at: now).written == 2)
    #expect(try await waiting() == [number: [.held], 33_199_000_300: [.protected]])
    // The next sweep removes cases without a cause; unchanged ones are not written.
    try await ProtectionStore(pool: pool).add(
      [(try ProtectionTarget("+33199000248"), "City hospital")], by: "Ada", at: now)
    let change = try await queue.sweep(at: now)
    #expect(change == QueueChange(judged: 2, removed: 1))
    #expect(try await waiting() == [33_199_000_300: [.protected]])
  }

  @Test func `a cause added during the evaluation is not lost`() async throws {
    try await report(number, count: 6)
    _ = try await evaluate([number])
    let version = try #require(try await queue.find(number)).version
    _ = try await pool.run(SQL.enqueueCases([(number, .appeal)], at: now))
    #expect(try #require(try await queue.find(number)).version > version)
    #expect(try await queue.stale(limit: 10) == [number])
    _ = try await evaluate([number])
    #expect(try await waiting() == [number: [.threshold]])
  }

  @Test func `a sweep gives the same queue as evaluating each number`() async throws {
    var generator = SeededGenerator(seed: 91)
    let records = (0..<3_000).map { index in
      NumberRecord.random(number: 33_100_000_000 + Int64(index) * 7, at: now, using: &generator)
    }
    try await pool.insert(records, at: now)
    // Some cases without a cause.
    _ = try await pool.run(SQL.enqueueCases((0..<50).map { (33_199_000_000 + $0, .range) }, at: now))
    let thresholds = try await ThresholdStore(pool: pool).current()
    var expected: [Int64: [QueueCause]] = [:]
    for record in records {
      let score = Score(record, at: now)
      let facts = QueueFacts(
        score: score, evaluation: score.evaluate(by: thresholds), isPublished: record.isListed, since: now)
      let causes = QueueRule.causes(facts)
      if !causes.isEmpty { expected[record.number] = causes.all }
    }
    #expect(expected.count > 300)
    #expect(try await queue.sweep(at: now).removed == 50)
    #expect(try await waiting() == expected)
    #expect(try await queue.sweep(at: now) == QueueChange(judged: expected.count))
  }

  @Test func `only one of several simultaneous first decisions is recorded`() async throws {
    let (decisionService, number, now) = (decisionService, number, now)
    let outcomes = await withTaskGroup(of: Bool.self) { group in
      for index in 0..<12 {
        group.addTask {
          do {
            let decision = try Decision(number: number, treatment: .allow, decidedBy: "M\(index)", decidedAt: now)
            return try await decisionService.record(decision, expecting: .this(nil)) == .recorded
          } catch {
            #expect(error as? DecisionError == .stale)
            return false
          }
        }
      }
      return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
    }
    #expect(outcomes == 1)
    #expect(try await decisions.history(of: number).count == 1)
    let standing = try #require(try await decisions.standing(of: number))
    let next = try Decision(number: number, treatment: .block, reason: "x", decidedBy: "Ada", decidedAt: now + 1)
    #expect(try await decisionService.record(next, expecting: .this(standing.decisionID)) == .recorded)
    // A retry of the same decision is not a stale page.
    #expect(try await decisionService.record(next, expecting: .this(standing.decisionID)) == .duplicate)
  }
}
