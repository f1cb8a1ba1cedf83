import Curation
import TestSupport
import Testing

@Suite struct ThresholdTests {
  private let bar = ThresholdLimits(heat: 3, evidence: 2, confidence: 0.4, reporters: 3, networks: 2, days: 2)

  private var fraud: Threshold { Threshold(category: .fraud, enter: bar, leave: bar, reviewHeat: 1) }

  /// What each threshold is refused for.
  private func problem(_ change: (inout Threshold) -> Void) -> String? {
    var threshold = fraud
    change(&threshold)
    do {
      try threshold.check()
      return nil
    } catch {
      return "\(error)"
    }
  }

  @Test func eachRuleNamesItsField() {
    #expect(problem { _ in } == nil)
    #expect(problem { $0.enter.heat = 0 } == "fraud: enter.heat must be above 0 and at most 1,000,000.")
    #expect(problem { $0.enter.heat = .nan }?.contains("enter.heat") == true)
    #expect(problem { $0.leave.heat = 3.5 } == "fraud: leave.heat must not be above that of enter.")
    #expect(problem { $0.leave.confidence = 0.5 } == "fraud: leave.confidence must not be above that of enter.")
    #expect(problem { $0.leave.networks = 3 } == "fraud: leave.networks must not be above that of enter.")
    #expect(problem { $0.enter.confidence = 1.1 } == "fraud: enter.confidence must be 0 to 1.")
    #expect(problem { $0.enter.days = 65 } == "fraud: enter.days must be 0 to 64.")
    #expect(problem { $0.leave.reporters = -1 } == "fraud: leave.reporters must be 0 to 1,000,000.")
    #expect(problem { $0.reviewHeat = 4 } == "fraud: review_heat must be above 0 and at most enter.heat.")
    #expect(problem { $0.country = "de" } == "fraud in de: country must be two capital letters, such as DE.")
    #expect(problem { $0.category = .legitimate }?.contains("toxic") == true)
  }

  @Test func aSetIsWholeAndHasNothingTwice() throws {
    var generator = SeededGenerator(seed: 1)
    let set = try ThresholdSet.random(countries: ["DE"], using: &generator)
    #expect(throws: ThresholdProblem(field: "fraud", rule: "has no threshold for all countries")) {
      try ThresholdSet(thresholds: set.thresholds.filter { $0.category != .fraud }, sources: set.sources)
    }
    #expect(throws: ThresholdProblem(field: "fraud", rule: "is there twice")) {
      try ThresholdSet(thresholds: set.thresholds + [fraud], sources: set.sources)
    }
    #expect(throws: ThresholdProblem(field: "sources", rule: "have no rule for every list")) {
      try ThresholdSet(thresholds: set.thresholds, sources: [])
    }
  }

  @Test func aCountrysThresholdGoesBeforeTheGeneralOne() throws {
    var generator = SeededGenerator(seed: 2)
    let general = try ThresholdSet.random(countries: [], using: &generator)
    var german = fraud
    german.country = "DE"
    let set = try general.replacing(german)
    #expect(set.threshold(for: .fraud) { "DE" } == german)
    #expect(set.threshold(for: .fraud) { "FR" } == general.threshold(for: .fraud) { nil })
    #expect(set.threshold(for: .survey) { "DE" } == general.threshold(for: .survey) { nil })
    #expect(set.lowestListedHeat == min(3, general.lowestListedHeat))
    #expect(try set.removing(.fraud, country: "DE") == general)
    #expect(try set.replacing(fraud).threshold(for: .fraud) { nil } == fraud)
  }
}
