// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import Curation

/// The strongest action that sources can trigger alone.
@Suite struct CeilingTests {
  private let now = Date(timeIntervalSince1970: 1_795_000_000)

  private func set(
    _ ceilings: [Int32: SourceCeiling], reporters: Int = 1, days: Int = 0, suspended: Set<Int32> = [],
    heat: Double = 1, suspendedWeights: [Int32: Double] = [:], blocksShared: Bool = false
  ) throws -> ThresholdSet {
    let bar = ThresholdLimits(heat: heat, evidence: 1, confidence: 0.1, reporters: reporters, networks: 0, days: days)
    let source = SourceRule.Bar(complaints: 1, days: 1)
    return try ThresholdSet(
      thresholds: ReportCategory.allCases.filter(\.isToxic).map {
        Threshold(category: $0, enter: bar, leave: bar, reviewHeat: 1)
      },
      sources: [SourceRule(appID: 0, weight: 1, enter: source, leave: source, blocksShared: blocksShared)],
      ceilings: ceilings,
      suspended: suspended, suspendedWeights: suspendedWeights)
  }

  private func score(sources: [Int32], reporters: Int32 = 0, number: Int64 = 12_015_550_123) -> Score {
    let standing = NumberAggregate(parts: [
      .init(
        category: .fraud, heat: Decay.heat.storedSum(of: 10, at: now),
        evidence: Decay.evidence.storedSum(of: 10, at: now), reports: 10, reporters: reporters)
    ])
    var record = NumberRecord(number: number, standing: standing)
    let weight = reporters == 0 ? 10 / Double(sources.count) : 3
    func share(_ decay: Decay) -> Double { decay.storedSum(of: weight, at: now) }
    record.sources = sources.map {
      SourceTally(
        appID: $0, complaints: 3, heat: share(.heat), evidence: share(.evidence),
        days: ComplaintDays(bits: 7, lastDay: 20_775))
    }
    return Score(record, at: now)
  }

  @Test(arguments: [
    (SourceCeiling.nothing, Verdict.quiet), (.review, .needsReview), (.identify, .candidate), (.block, .candidate),
  ])
  func `a source alone causes at most its ceiling`(ceiling: SourceCeiling, verdict: Verdict) throws {
    let evaluation = score(sources: [7]).evaluate(by: try set([7: ceiling]))
    #expect(evaluation.verdict == verdict)
    #expect(evaluation.ceiling == ceiling)
    #expect(evaluation.meetsThreshold == (ceiling >= .identify))
    #expect(evaluation.meetingList == (ceiling >= .identify ? 7 : nil))
  }

  @Test func `a list without a ceiling counts as before`() throws {
    #expect(score(sources: [7]).evaluate(by: try set([8: .nothing])).ceiling == .block)
  }

  @Test func `of several sources the highest ceiling applies`() throws {
    let set = try set([7: .nothing, 8: .review, 9: .identify])
    #expect(score(sources: [7, 8]).evaluate(by: set).verdict == .needsReview)
    #expect(score(sources: [7, 8, 9]).evaluate(by: set).ceiling == .identify)
    #expect(score(sources: [7]).evaluate(by: set).verdict == .quiet)
  }

  @Test func `a source with a low ceiling helps no reporter over a limit`() throws {
    // Ten complaints, seven of them from reporters.
    for ceiling in [SourceCeiling.nothing, .review, .identify] {
      let set = try set([7: ceiling], heat: 8)
      let evaluation = score(sources: [7], reporters: 2).evaluate(by: set)
      #expect(evaluation.ceiling == (ceiling == .identify ? .identify : .review), "\(ceiling)")
      #expect(score(sources: [7], reporters: 2).evaluate(by: try self.set([7: ceiling], heat: 7)).ceiling == .block)
    }
    #expect(score(sources: [7], reporters: 2).evaluate(by: try set([7: .block], heat: 8)).ceiling == .block)
    // Too few reporters: the number needs review, and the source is no alternative to them.
    let few = score(sources: [7], reporters: 1).evaluate(by: try set([7: .review], reporters: 2))
    #expect(few.verdict == .needsReview && few.meetingList == nil)
  }

  @Test func `reports that are held leave a number to its sources`() throws {
    func outcome(_ ceilings: [Int32: SourceCeiling], _ reports: SourceCeiling, heat: Double = 1) throws -> SourceCeiling
    {
      score(sources: [7], reporters: 2)
        .evaluate(by: try set(ceilings, heat: heat), in: OverrideState(reportCeiling: reports)).outcome
    }
    #expect(try outcome([7: .review], .block) == .block)
    #expect(try outcome([7: .review], .nothing) == .nothing)
    #expect(try outcome([7: .identify], .nothing) == .identify)
    #expect(try outcome([7: .block], .nothing) == .block)
    // Three complaints of the source are not enough.
    #expect(try outcome([7: .block], .nothing, heat: 4) == .nothing)
    #expect(try outcome([7: .block], .block, heat: 4) == .block)
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
    record.sources = [
      SourceTally(
        appID: 7, complaints: 3, heat: 0, evidence: 0, days: ComplaintDays(bits: 7, lastDay: 20_775))
    ]
    let score = Score(record, at: now)
    let reported = score.evaluate(by: try set([7: .review]))
    #expect(reported.category == .silent && reported.threshold?.category == .silent)
    #expect(score.evaluate(by: try set([7: .identify])).category == .fraud)
    #expect(score.evaluate(by: try set([:])).category == .fraud)
    // Another source that may list the number leaves the choice to a low ceiling, and not to a suspended source.
    record.sources.append(
      SourceTally(appID: 8, complaints: 3, heat: 0, evidence: 0, days: ComplaintDays(bits: 7, lastDay: 20_775)))
    let both = Score(record, at: now)
    #expect(both.evaluate(by: try set([7: .review])).category == .fraud)
    #expect(both.evaluate(by: try set([:], suspended: [7])).category == .silent)
    // Without reporters there is no other category.
    #expect(self.score(sources: [7]).evaluate(by: try set([7: .review])).category == .fraud)
  }

  @Test func `thresholds that ask for no reporters do not lift the ceiling`() throws {
    #expect(score(sources: [7]).evaluate(by: try set([7: .review], reporters: 0)).verdict == .needsReview)
    #expect(score(sources: [7]).evaluate(by: try set([7: .identify], reporters: 0)).ceiling == .identify)
  }

  @Test func `a source with the lowest ceiling opens no case`() throws {
    for (ceiling, causes) in [(SourceCeiling.nothing, QueueCauses([])), (.review, QueueCauses([.threshold]))] {
      let score = score(sources: [7])
      let facts = QueueFacts(score: score, evaluation: score.evaluate(by: try set([7: ceiling])), since: now)
      #expect(QueueRule.causes(facts) == causes)
    }
  }

  @Test func `the explanation names the source whose ceiling decides`() throws {
    func limit(
      _ ceilings: [Int32: SourceCeiling], reporters: Int32 = 0, suspended: Set<Int32> = []
    ) throws -> SourceLimit? {
      score(sources: [7, 8], reporters: reporters)
        .sourceLimit(by: try set(ceilings, suspended: suspended), country: nil)
    }
    #expect(try limit([:]) == nil)
    #expect(try limit([7: .nothing]) == nil)
    #expect(
      try limit([7: .nothing, 8: .review]) == SourceLimit(appID: 8, ceiling: .review, isSuspended: false))
    #expect(try limit([7: .identify, 8: .review])?.appID == 7)
    #expect(try limit([7: .review, 8: .review], reporters: 1) == nil)
    let suspended = try #require(try limit([7: .block, 8: .nothing], suspended: [7, 8]))
    #expect(suspended == SourceLimit(appID: 7, ceiling: .nothing, isSuspended: true))
    #expect(ExplanationLine.sourceLimit(suspended, name: "A list").code == .sourceSuspended)
  }

  @Test(
    arguments: [
      // Toll-free, shared cost, premium and universal numbers belong to no place; a geographic and a mobile one do.
      (18_005_550_123, false, SourceCeiling.identify), (18_005_550_123, true, .block),
      (491_801_234_567, false, .identify),
      (19_005_550_123, false, .identify), (12_015_550_123, false, .block), (491_512_345_678, false, .block),
    ] as [(Int64, Bool, SourceCeiling)])
  func `a list alone labels a number that belongs to no place`(
    _ number: Int64, _ blocksShared: Bool, _ ceiling: SourceCeiling
  ) throws {
    let set = try set([7: .block], blocksShared: blocksShared)
    let list = score(sources: [7], number: number)
    #expect(list.evaluate(by: set).ceiling == ceiling)
    let limit = list.sourceLimit(by: set, country: nil)
    #expect(limit?.isOfShared == (ceiling == .identify ? true : nil))
    #expect(limit.map { ExplanationLine.sourceLimit($0, name: "A list").code == .sourceLabelsShared } ?? true)
    // Reports block it as any other, with the list or without it.
    #expect(score(sources: [], reporters: 10, number: number).evaluate(by: set).ceiling == .block)
    #expect(score(sources: [7], reporters: 10, number: number).evaluate(by: set).ceiling == .block)
  }

  @Test func `a list alone labels a number that an imported directory names`() throws {
    for blocksShared in [false, true] {
      let set = try set([7: .block], blocksShared: blocksShared)
      var list = score(sources: [7])
      list.isNamed = true
      #expect(list.evaluate(by: set).ceiling == .identify)
      let limit = try #require(list.sourceLimit(by: set, country: nil))
      #expect(ExplanationLine.sourceLimit(limit, name: "A list").code == .sourceLabelsNamed)
      var reported = score(sources: [7], reporters: 10)
      reported.isNamed = true
      #expect(reported.evaluate(by: set).ceiling == .block && reported.sourceLimit(by: set, country: nil) == nil)
    }
  }

  @Test func `a suspended source has no effect`() throws {
    let alone = score(sources: [7]).evaluate(by: try set([7: .block], suspended: [7]))
    #expect((alone.verdict, alone.ceiling, alone.meetsThreshold) == (.quiet, .nothing, false))
    let rest = score(sources: [7], reporters: 1).evaluate(by: try set([7: .block], suspended: [7]))
    let heat = try #require(rest.conditions.first { $0.kind == .heat }?.have)
    #expect(abs(heat - 7) < 1e-9 && rest.verdict == .candidate)
    let changed = try set([7: .block], suspended: [7], suspendedWeights: [7: 5])
    #expect(changed.weight(ofSource: 7) == 5 && changed.weight(ofSource: 8) == 1)
    #expect(try changed.removing(ruleOfList: 7).suspendedWeights == [7: 5])
  }

  @Test func `the queue and a case have the category of the evaluation`() throws {
    func part(_ category: ReportCategory, _ heat: Double, reporters: Int32) -> NumberAggregate.Part {
      .init(
        category: category, heat: Decay.heat.storedSum(of: heat, at: now),
        evidence: Decay.evidence.storedSum(of: heat, at: now), reports: 3, reporters: reporters)
    }
    let parts = [part(.fraud, 10, reporters: 0), part(.silent, 3, reporters: 1)]
    var record = NumberRecord(number: 12_015_550_123, standing: NumberAggregate(parts: parts))
    record.sources = [
      SourceTally(
        appID: 7, complaints: 3, heat: 0, evidence: 0, days: ComplaintDays(bits: 7, lastDay: 20_775))
    ]
    let score = Score(record, at: now)
    let evaluation = score.evaluate(by: try set([7: .review], reporters: 2))
    let entry = QueueEntry(
      number: record.number, facts: QueueFacts(score: score, evaluation: evaluation, since: now))
    #expect(entry?.category == .silent)
    var explanation = Explanation(number: record.number, time: now)
    (explanation.score, explanation.evaluation) = (score, evaluation)
    #expect(CaseVersion(explanation).category == .silent)
  }

  @Test func `a new version of the thresholds keeps the ceilings`() throws {
    let before = try set([7: .identify], suspended: [8])
    let rule = SourceRule(
      appID: 7, weight: 2, enter: .init(complaints: 1, days: 1), leave: .init(complaints: 1, days: 1))
    let after = try before.replacing(rule).removing(ruleOfList: 7)
    #expect(after.ceiling(ofSource: 7) == .identify && after.ceiling(ofSource: 8) == .nothing)
    #expect(after == before)
  }
}
