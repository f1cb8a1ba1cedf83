// SPDX-License-Identifier: Apache-2.0

import Curation
import TestSupport
import Testing

@Suite struct ThresholdTests {
  private let bar = ThresholdLimits(heat: 3, evidence: 2, confidence: 0.4, reporters: 3, networks: 2, days: 2)

  private var fraud: Threshold { Threshold(category: .fraud, enter: bar, leave: bar, reviewHeat: 1) }

  /// The problem of a changed threshold; nil for none.
  private func problem(_ change: (inout Threshold) -> Void) -> String? {
    var threshold = fraud
    change(&threshold)
    do {
      try threshold.check()
      return nil
    } catch {
      return error.description
    }
  }

  @Test func `each threshold rule names its field`() {
    #expect(problem { _ in } == nil)
    #expect(problem { $0.enter.heat = 0 } == "not_positive field=enter.heat most=1000000 subject=fraud")
    #expect(problem { $0.enter.heat = .nan }?.contains("enter.heat") == true)
    #expect(problem { $0.leave.heat = 3.5 } == "above_enter field=leave.heat subject=fraud")
    #expect(problem { $0.leave.confidence = 0.5 } == "above_enter field=leave.confidence subject=fraud")
    #expect(problem { $0.leave.networks = 3 } == "above_enter field=leave.networks subject=fraud")
    #expect(problem { $0.enter.confidence = 1.1 } == "out_of_range field=enter.confidence least=0 most=1 subject=fraud")
    #expect(problem { $0.enter.days = 65 } == "out_of_range field=enter.days least=0 most=64 subject=fraud")
    #expect(
      problem { $0.leave.reporters = -1 } == "out_of_range field=leave.reporters least=0 most=1000000 subject=fraud")
    #expect(problem { $0.reviewHeat = 4 } == "above_enter_heat field=review_heat subject=fraud")
    #expect(problem { $0.country = "de" } == "not_a_country field=country subject=fraud de")
    #expect(problem { $0.category = .legitimate } == "not_toxic field=category subject=legitimate")
  }

  @Test func `a threshold set is complete and has no duplicates`() throws {
    var generator = SeededGenerator(seed: 1)
    let set = try ThresholdSet.random(countries: ["DE"], using: &generator)
    #expect(throws: ThresholdProblem.noGeneralThreshold(.fraud)) {
      try ThresholdSet(thresholds: set.thresholds.filter { $0.category != .fraud }, sources: set.sources)
    }
    #expect(throws: ThresholdProblem.twice("fraud")) {
      try ThresholdSet(thresholds: set.thresholds + [fraud], sources: set.sources)
    }
    #expect(throws: ThresholdProblem.noRuleForEveryList) {
      try ThresholdSet(thresholds: set.thresholds, sources: [])
    }
  }

  @Test func `the threshold of a country has priority over the general one`() throws {
    var generator = SeededGenerator(seed: 2)
    let general = try ThresholdSet.random(countries: [], using: &generator)
    var german = fraud
    german.country = "DE"
    let set = try general.replacing(german)
    #expect(set.threshold(for: .fraud) { "DE" } == german)
    #expect(set.threshold(for: .fraud) { "FR" } == general.threshold(for: .fraud) { nil })
    #expect(set.threshold(for: .survey) { "DE" } == general.threshold(for: .survey) { nil })
    #expect(set.floor.heat == min(3, general.floor.heat))
    #expect(try set.removing(.fraud, country: "DE") == general)
    #expect(try set.replacing(fraud).threshold(for: .fraud) { nil } == fraud)
  }
}
