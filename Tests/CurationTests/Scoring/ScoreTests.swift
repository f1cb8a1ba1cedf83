// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import TestSupport
import Testing

@Suite struct ScoreTests {
  private func record(_ generator: inout SeededGenerator) -> NumberRecord {
    .random(number: 33_199_000_248, at: now, using: &generator)
  }

  @Test func `a number that meets the enter limits also meets the leave limits`() throws {
    var generator = SeededGenerator(seed: 21)
    var entered: [SourceCeiling: Int] = [:]
    var stayed: [SourceCeiling: Int] = [:]
    for _ in 0..<200 {
      let thresholds = try ThresholdSet.random(countries: ["DE", "FR"], using: &generator)
      for _ in 0..<100 {
        var record = record(&generator)
        (record.isListed, record.isBlocked) = (false, false)
        let country = OverrideState(country: ["DE", "FR", "IT", nil].randomElement(using: &generator)!)
        let enters = Score(record, at: now).evaluate(by: thresholds, in: country)
        entered[enters.outcome, default: 0] += 1
        for treatment in [SourceCeiling.identify, .block] {
          (record.isListed, record.isBlocked) = (true, treatment == .block)
          let stays = Score(record, at: now).evaluate(by: thresholds, in: country)
          if enters.verdict == .candidate {
            #expect(stays.verdict == .listed && stays.outcome >= min(enters.outcome, treatment))
          }
          if stays.outcome == treatment { stayed[treatment, default: 0] += 1 }
        }
      }
    }
    // Both kinds of limits are met, for each treatment, and those for leaving by many more.
    for treatment in [SourceCeiling.identify, .block] {
      let (entered, stayed) = (entered[treatment] ?? 0, stayed[treatment] ?? 0)
      #expect(entered > 500 && stayed > entered, "\(treatment): \(entered), \(stayed)")
    }
  }

  @Test func `another complaint of the leading category never lowers a score`() throws {
    var generator = SeededGenerator(seed: 22)
    let thresholds = try ThresholdSet.random(countries: [], using: &generator)
    for _ in 0..<20_000 {
      var record = record(&generator)
      guard let leading = record.standing.leading,
        let place = record.standing.parts.firstIndex(where: { $0.category == leading })
      else { continue }
      let before = Score(record, at: now)
      let said = now - Double.random(in: 0...30, using: &generator) * 86_400
      let weight = Double.random(in: 0...1, using: &generator)
      record.standing.parts[place].heat += Decay.heat.storedSum(of: weight, at: said)
      record.standing.parts[place].evidence += Decay.evidence.storedSum(of: weight, at: said)
      record.standing.parts[place].reporters += 1
      record.networks.insert([UInt8.random(in: 0...255, using: &generator)])
      // Older days are dropped only when a newer one arrives.
      record.days.insert(record.days.lastDay ?? ComplaintDays.day(of: said))
      let after = Score(record, at: now)
      #expect(after.heat >= before.heat && after.evidence >= before.evidence)
      #expect(after.confidence >= before.confidence - 1e-12)
      #expect(after.networks >= before.networks && after.days >= before.days)
      // Which complaints are a list's is an estimate; see `Score/categoryOfLists`.
      guard record.sources.isEmpty else { continue }
      if before.evaluate(by: thresholds).meetsThreshold { #expect(after.evaluate(by: thresholds).meetsThreshold) }
    }
  }

  @Test func `heat and confidence only fall over time`() {
    var generator = SeededGenerator(seed: 23)
    for _ in 0..<2_000 {
      let record = record(&generator)
      let (today, later) = (Score(record, at: now), Score(record, at: now + 14 * 86_400))
      #expect(abs(later.heat - today.heat / 2) <= 1e-9 * today.heat)
      #expect(later.confidence <= today.confidence + 1e-12)
      #expect(later.leading == today.leading)
    }
  }

  private func meets(_ bar: ThresholdLimits, _ heat: Double, _ evidence: Double, _ legitimate: Double) -> Bool {
    heat >= bar.heat && evidence >= bar.evidence
      && Confidence.wilsonLowerBound(toxic: evidence, legitimate: legitimate) >= bar.confidence
  }

  @Test func `every condition can be decisive`() throws {
    var generator = SeededGenerator(seed: 24)
    var decisive = Set<ListingCondition.Kind>()
    var decisiveForLabel = Set<ListingCondition.Kind>()
    for _ in 0..<50 {
      let thresholds = try ThresholdSet.random(countries: [], using: &generator)
      for _ in 0..<200 {
        var record = record(&generator)
        record.isBlocked = record.isListed
        let evaluation = Score(record, at: now).evaluate(by: thresholds)
        let missed = evaluation.conditions.filter { !$0.isMet }
        if evaluation.conditions.isEmpty { continue }
        let label = evaluation.identifyConditions.filter { !$0.isMet }
        #expect(evaluation.identifyConditions.allSatisfy { $0.source == nil && $0.need >= 0 })
        if evaluation.ceiling < .block, missed.count == 1 { decisive.insert(missed[0].kind) }
        if !evaluation.meetsThreshold, label.count == 1 { decisiveForLabel.insert(label[0].kind) }
        let lists = Set(evaluation.conditions.compactMap(\.source))
        let list = lists.contains { id in missed.allSatisfy { $0.source != id } }
        let (score, threshold) = (Score(record, at: now), try #require(evaluation.threshold))
        // Where a list may have listed it, reports enter the list. A list needs the limits of its own sums.
        let bar = threshold.bar(listed: record.isListed && record.sources.isEmpty)
        let reports =
          meets(bar, score.heat, score.evidence, score.legitimate) && score.reporters >= bar.reporters
          && score.networks >= bar.networks && score.days >= bar.days
        let (heat, evidence) = score.lists.reduce((0, 0)) { ($0.0 + $1.heat, $0.1 + $1.evidence) }
        let blocks =
          reports || list && meets(threshold.bar(listed: record.isListed), heat, evidence, score.legitimate)
        #expect(evaluation.meetsThreshold == (blocks || label.isEmpty))
        #expect((evaluation.ceiling == .block) == blocks)
        #expect(evaluation.isIdentifiedByReports == (!blocks && label.isEmpty))
      }
    }
    #expect(decisive.isSuperset(of: [.heat, .evidence, .confidence, .reporters, .networks, .days]))
    #expect(decisiveForLabel.isSuperset(of: [.heat, .evidence, .confidence, .reporters, .networks, .days]))
  }

  @Test func `rows of a list do not count as reporters`() throws {
    var generator = SeededGenerator(seed: 25)
    let bar = ThresholdLimits(heat: 1, evidence: 1, confidence: 0.1, reporters: 1, networks: 0, days: 0)
    let thresholds = ReportCategory.allCases.filter(\.isToxic).map { category in
      Threshold(category: category, enter: bar, leave: bar, reviewHeat: 1)
    }
    func set(_ weight: Double) throws -> ThresholdSet {
      let bar = SourceRule.Bar(complaints: 100, days: 2)
      return try ThresholdSet(
        thresholds: thresholds, sources: [SourceRule(appID: 0, weight: weight, enter: bar, leave: bar)])
    }
    var record = record(&generator)
    record.standing = NumberAggregate(parts: [
      .init(
        category: .fraud, heat: Decay.heat.storedSum(of: 100, at: now),
        evidence: Decay.evidence.storedSum(of: 100, at: now),
        reports: 100, reporters: 0)
    ])
    record.sources = [
      SourceTally(
        appID: 7, complaints: 99, heat: record.standing.heat, evidence: record.standing.parts[0].evidence,
        days: ComplaintDays(bits: 7, lastDay: 20_775))
    ]
    #expect(Score(record, at: now).evaluate(by: try set(1)).verdict == .needsReview)
    record.sources[0].complaints = 100
    record.isListed = false
    #expect(Score(record, at: now).evaluate(by: try set(1)).verdict == .candidate)
    #expect(Score(record, at: now).evaluate(by: try set(0)).verdict == .needsReview)
    record.sources = [1, 2].map {
      SourceTally(appID: $0, complaints: 50, heat: 0, evidence: 0, days: ComplaintDays(bits: 7, lastDay: 20_775))
    }
    #expect(Score(record, at: now).evaluate(by: try set(1)).verdict == .needsReview)
  }

  @Test func `protection, decisions and holds take priority over the score`() throws {
    var generator = SeededGenerator(seed: 26)
    let thresholds = try ThresholdSet.random(countries: [], using: &generator)
    for _ in 0..<100 {
      let score = Score(record(&generator), at: now)
      func verdict(_ isProtected: Bool, _ isDecided: Bool, _ isHeld: Bool) -> Verdict {
        score.evaluate(
          by: thresholds, in: OverrideState(isProtected: isProtected, isDecided: isDecided, isHeld: isHeld)
        ).verdict
      }
      #expect(verdict(true, true, true) == .protected)
      #expect(verdict(false, true, true) == .decided)
      #expect(verdict(false, false, true) == .held)
      #expect(![.protected, .decided, .held].contains(verdict(false, false, false)))
    }
  }
}
