// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import Curation

/// The most treatment that sources can cause alone.
@Suite struct CeilingTests {
  private let now = Date(timeIntervalSince1970: 1_795_000_000)

  private func set(_ ceilings: [Int32: SourceCeiling], reporters: Int = 1) throws -> ThresholdSet {
    let bar = ThresholdLimits(heat: 1, evidence: 1, confidence: 0.1, reporters: reporters, networks: 0, days: 0)
    let source = SourceRule.Bar(complaints: 1, days: 1)
    return try ThresholdSet(
      thresholds: ReportCategory.allCases.filter(\.isToxic).map {
        Threshold(category: $0, enter: bar, leave: bar, reviewHeat: 1)
      },
      sources: [SourceRule(appID: 0, weight: 1, enter: source, leave: source)], ceilings: ceilings)
  }

  private func score(sources: [Int32], reporters: Int32 = 0) -> Score {
    let standing = NumberAggregate(parts: [
      .init(
        category: .fraud, heat: Decay.heat.storedSum(of: 10, at: now),
        evidence: Decay.evidence.storedSum(of: 10, at: now), reports: 10, reporters: reporters)
    ])
    var record = NumberRecord(number: 12_015_550_123, standing: standing)
    record.sources = sources.map {
      SourceTally(appID: $0, complaints: 3, days: ComplaintDays(bits: 7, lastDay: 20_775))
    }
    return Score(record, at: now)
  }

  @Test(arguments: [
    (SourceCeiling.nothing, Verdict.quiet), (.review, .needsReview), (.identify, .candidate), (.block, .candidate),
  ])
  func `a source alone causes at most its ceiling`(ceiling: SourceCeiling, verdict: Verdict) throws {
    let evaluation = score(sources: [7]).judge(by: try set([7: ceiling]))
    #expect(evaluation.verdict == verdict)
    #expect(evaluation.ceiling == ceiling)
    #expect(evaluation.meetsThreshold == (ceiling >= .identify))
    #expect(evaluation.meetingList == (ceiling >= .identify ? 7 : nil))
  }

  @Test func `a list without a ceiling counts as before`() throws {
    #expect(score(sources: [7]).judge(by: try set([8: .nothing])).ceiling == .block)
  }

  @Test func `of several sources the highest ceiling applies`() throws {
    let set = try set([7: .nothing, 8: .review, 9: .identify])
    #expect(score(sources: [7, 8]).judge(by: set).verdict == .needsReview)
    #expect(score(sources: [7, 8, 9]).judge(by: set).ceiling == .identify)
    #expect(score(sources: [7]).judge(by: set).verdict == .quiet)
  }

  @Test func `reporters lift the ceiling`() throws {
    let evaluation = score(sources: [7], reporters: 1).judge(by: try set([7: .nothing]))
    #expect(evaluation.verdict == .candidate && evaluation.ceiling == .block)
    // Too few reporters: the number needs review, and the source is no alternative to them.
    let few = score(sources: [7], reporters: 1).judge(by: try set([7: .review], reporters: 2))
    #expect(few.verdict == .needsReview && few.meetingList == nil)
  }

  @Test func `a source with a low ceiling does not choose the category`() throws {
    func part(_ category: ReportCategory, _ heat: Double, reporters: Int32) -> NumberAggregate.Part {
      .init(
        category: category, heat: Decay.heat.storedSum(of: heat, at: now),
        evidence: Decay.evidence.storedSum(of: heat, at: now), reports: 3, reporters: reporters)
    }
    let standing = NumberAggregate(parts: [
      part(.fraud, 10, reporters: 0), part(.survey, 2, reporters: 1), part(.silent, 3, reporters: 1),
    ])
    var record = NumberRecord(number: 12_015_550_123, standing: standing)
    record.sources = [SourceTally(appID: 7, complaints: 3, days: ComplaintDays(bits: 7, lastDay: 20_775))]
    let score = Score(record, at: now)
    let reported = score.judge(by: try set([7: .review]))
    #expect(reported.category == .silent && reported.threshold?.category == .silent)
    #expect(score.judge(by: try set([7: .identify])).category == .fraud)
    #expect(score.judge(by: try set([:])).category == .fraud)
    // Without reporters there is no other category.
    #expect(self.score(sources: [7]).judge(by: try set([7: .review])).category == .fraud)
  }

  @Test func `thresholds that ask for no reporters do not lift the ceiling`() throws {
    #expect(score(sources: [7]).judge(by: try set([7: .review], reporters: 0)).verdict == .needsReview)
    #expect(score(sources: [7]).judge(by: try set([7: .identify], reporters: 0)).ceiling == .identify)
  }

  @Test func `a source with the lowest ceiling opens no case`() throws {
    for (ceiling, causes) in [(SourceCeiling.nothing, QueueCauses([])), (.review, QueueCauses([.threshold]))] {
      let score = score(sources: [7])
      let facts = QueueFacts(score: score, evaluation: score.judge(by: try set([7: ceiling])), since: now)
      #expect(QueueRule.causes(facts) == causes)
    }
  }

  @Test func `a new version of the thresholds keeps the ceilings`() throws {
    let before = try set([7: .identify])
    let rule = SourceRule(
      appID: 7, weight: 2, enter: .init(complaints: 1, days: 1), leave: .init(complaints: 1, days: 1))
    let after = try before.replacing(rule).removing(ruleOfList: 7)
    #expect(after.ceiling(ofSource: 7) == .identify)
    #expect(after == before)
  }
}
