// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import Testing

@testable import Publishing

@Suite struct PreviewSidesTests {
  @Test func `a preview has the category of the evaluation under a ceiling`() throws {
    let now = Date(timeIntervalSince1970: 1_795_000_000)
    let bar = ThresholdLimits(heat: 1, evidence: 1, confidence: 0.1, reporters: 1, networks: 0, days: 0)
    let list = SourceRule.Bar(complaints: 1, days: 1)
    let set = try ThresholdSet(
      thresholds: ReportCategory.allCases.filter(\.isToxic).map {
        Threshold(category: $0, enter: bar, leave: bar, reviewHeat: 1)
      },
      sources: [SourceRule(appID: 0, weight: 1, enter: list, leave: list)], ceilings: [7: .review])
    func part(_ category: ReportCategory, _ heat: Double, reporters: Int32) -> NumberAggregate.Part {
      .init(
        category: category, heat: Decay.heat.storedSum(of: heat, at: now),
        evidence: Decay.evidence.storedSum(of: heat, at: now), reports: 3, reporters: reporters)
    }
    let parts = [part(.fraud, 10, reporters: 0), part(.silent, 3, reporters: 1)]
    var record = NumberRecord(number: 12_015_550_123, standing: NumberAggregate(parts: parts))
    record.sources = [
      SourceTally(appID: 7, complaints: 3, heat: 0, evidence: 0, days: ComplaintDays(bits: 7, lastDay: 20_775))
    ]
    var sides = PreviewSides(state: CurationState(), suspects: nil, present: set, change: set)
    let outcome = try #require(sides.evaluate(record, at: now) { _ in nil })
    #expect(outcome.before == .block && outcome.category == .silent && outcome.score.leading == .fraud)
  }

  @Test func `complaints of a suspended source do not rank a number`() throws {
    let now = Date(timeIntervalSince1970: 1_795_000_000)
    let bar = ThresholdLimits(heat: 1, evidence: 1, confidence: 0.1, reporters: 1, networks: 0, days: 0)
    let list = SourceRule.Bar(complaints: 1, days: 1)
    func set(_ suspended: Set<Int32>) throws -> ThresholdSet {
      try ThresholdSet(
        thresholds: ReportCategory.allCases.filter(\.isToxic).map {
          Threshold(category: $0, enter: bar, leave: bar, reviewHeat: 1)
        },
        sources: [SourceRule(appID: 0, weight: 1, enter: list, leave: list)], suspended: suspended)
    }
    let part = NumberAggregate.Part(
      category: .fraud, heat: Decay.heat.storedSum(of: 10, at: now),
      evidence: Decay.evidence.storedSum(of: 10, at: now), reports: 10, reporters: 1)
    var record = NumberRecord(number: 12_015_550_123, standing: NumberAggregate(parts: [part]))
    record.sources = [
      SourceTally(
        appID: 7, complaints: 3, heat: Decay.heat.storedSum(of: 2.7, at: now),
        evidence: Decay.evidence.storedSum(of: 3, at: now), days: ComplaintDays(bits: 7, lastDay: 20_775))
    ]
    let selection = Selection { _ in nil }
    let all = try #require(selection.listed(record, at: now, by: try set([])))
    let rest = try #require(selection.listed(record, at: now, by: try set([7])))
    #expect(abs(all.heat - 10) < 0.01 && rest.heat > 7 && rest.heat < 7.5 && rest.evidence < 8)
  }
}
