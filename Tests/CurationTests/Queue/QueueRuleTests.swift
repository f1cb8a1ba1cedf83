// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import TestSupport
import Testing

@Suite struct QueueRuleTests {
  private func facts(
    _ record: NumberRecord, by thresholds: ThresholdSet, _ change: (inout QueueFacts) -> Void = { _ in }
  ) -> QueueFacts {
    let score = Score(record, at: now)
    var facts = QueueFacts(score: score, evaluation: score.evaluate(by: thresholds), since: now)
    facts.isPublished = record.isListed
    change(&facts)
    return facts
  }

  /// Complaints and votes for the number by this many reporters, all at this time.
  private func record(_ toxic: Int, _ legitimate: Int = 0, isListed: Bool = false) -> NumberRecord {
    let counts: [(category: ReportCategory, count: Int)] = [(.fraud, toxic), (.legitimate, legitimate)]
    var parts: [NumberAggregate.Part] = []
    for (category, count) in counts where count > 0 {
      let heat = Decay.heat.storedSum(of: Double(count), at: now)
      let evidence = Decay.evidence.storedSum(of: Double(count), at: now)
      parts.append(
        NumberAggregate.Part(
          category: category, heat: heat, evidence: evidence, reports: Int64(count), reporters: Int32(count)))
    }
    return NumberRecord(
      number: 33_199_000_248, standing: NumberAggregate(parts: parts), days: ComplaintDays(bits: 0xFF, lastDay: 20_775),
      networks: NetworkSketch(bits: 0xFFFF), isListed: isListed, lastReportedAt: now)
  }

  private func thresholds() throws -> ThresholdSet {
    var generator = SeededGenerator(seed: 70)
    return try ThresholdSet.random(countries: [], using: &generator)
  }

  @Test func `a number waits for its heat only if it needs review or is a candidate`() throws {
    var generator = SeededGenerator(seed: 71)
    var waiting = 0
    for _ in 0..<50 {
      let thresholds = try ThresholdSet.random(countries: [], using: &generator)
      for _ in 0..<200 {
        let record = NumberRecord.random(number: 33_199_000_248, at: now, using: &generator)
        let facts = facts(record, by: thresholds)
        let evaluation = try #require(facts.evaluation)
        // A number that reports only label waits for more.
        let isWanted = [.needsReview, .candidate].contains(evaluation.verdict) || evaluation.isIdentifiedByReports
        #expect(QueueRule.causes(facts).contains(QueueCause.threshold) == isWanted)
        waiting += isWanted ? 1 : 0
      }
    }
    #expect((1_000..<9_000).contains(waiting))
  }

  @Test func `a decided number does not wait`() throws {
    let thresholds = try thresholds()
    let hot = facts(record(50), by: thresholds)
    func causes(_ change: (inout QueueFacts) -> Void) -> [QueueCause] {
      var facts = hot
      change(&facts)
      return QueueRule.causes(facts).all
    }
    #expect(causes { _ in } == [.threshold])
    #expect(causes { $0.decidedAt = now } == [])
    #expect(causes { ($0.decidedAt, $0.appealedAt) = (now, now - 1) } == [])
    #expect(causes { ($0.decidedAt, $0.appealedAt) = (now, now + 1) } == [.appeal])
    #expect(causes { $0.isHeld = true } == [.held])
    #expect(causes { $0.isRangeProposed = true } == [.threshold, .range])
    // A decision about the first number, or its protection, decides nothing about the range.
    #expect(causes { ($0.decidedAt, $0.isRangeProposed) = (now, true) } == [.range])
    #expect(causes { ($0.isProtected, $0.isRangeProposed) = (true, true) } == [.range])
    #expect(causes { $0.isProtected = true } == [])
    #expect(causes { ($0.isProtected, $0.recentReports) = (true, 10) } == [.protected])
    #expect(QueueRule.causes(facts(record(50, isListed: true), by: thresholds)).isEmpty)
  }

  @Test func `a split waits even if it is listed`() throws {
    let thresholds = try thresholds()
    #expect(QueueRule.causes(facts(record(20, 10, isListed: true), by: thresholds)).contains(QueueCause.split))
    #expect(QueueRule.causes(facts(record(12, 10), by: thresholds)).contains(QueueCause.split))
    #expect(!QueueRule.causes(facts(record(20, 4, isListed: true), by: thresholds)).contains(QueueCause.split))
    #expect(!QueueRule.causes(facts(record(30, 10, isListed: true), by: thresholds)).contains(QueueCause.split))
  }

  @Test func `urgency orders by harm, then rising heat, then age`() throws {
    let thresholds = try thresholds()
    func urgency(_ record: NumberRecord, _ change: (inout QueueFacts) -> Void) -> Int64 {
      let facts = facts(record, by: thresholds, change)
      return Urgency.of(facts, causes: QueueRule.causes(facts))
    }
    let year = 365.0 * 86_400
    let split = urgency(record(20, 10, isListed: true)) { _ in }
    let appeal = urgency(record(20, isListed: true)) { $0.appealedAt = now }
    let rising = urgency(record(50)) { $0.since = now - year }
    let old = urgency(NumberRecord(number: 1, standing: NumberAggregate(parts: []))) {
      ($0.isRangeProposed, $0.since) = (true, now - year)
    }
    let new = urgency(NumberRecord(number: 1, standing: NumberAggregate(parts: []))) { $0.isRangeProposed = true }
    let escalated = urgency(record(1)) { ($0.isRangeProposed, $0.level) = (true, 1) }
    for harm in [split, appeal, escalated] { #expect(harm < rising && Urgency.rank(of: harm) == .harm) }
    #expect(rising < old && old < new)
    #expect(Urgency.rank(of: rising) == .rising && Urgency.rank(of: old) == .waiting)
    // Twice the heat is worth six hours, and no more.
    let hot = urgency(record(40)) { $0.since = now }
    let hotter = urgency(record(80)) { $0.since = now + Urgency.doubling - 1 }
    let tooLate = urgency(record(80)) { $0.since = now + Urgency.doubling + 1 }
    #expect(hotter < hot && hot < tooLate)
  }
}
