// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import Curation

/// The fewest new accounts, or phones with attestation, that label or block numbers by the rules alone, with the default
/// thresholds of fraud. The table in `Documentation/benchmarks/day-one.md` has these figures.
@Suite struct AttackCostTests {
  private struct Means {
    var isAttested: Bool
    var weight: Double

    static let accounts = Means(isAttested: false, weight: AttestationRule().unattested)
    static let ignored = Means(isAttested: false, weight: 0)
    static let phones = Means(isAttested: true, weight: AttestationRule().hardware)
  }

  private let now = Date(timeIntervalSince1970: 1_795_000_000)
  private let thresholds: ThresholdSet

  init() throws {
    let enter = ThresholdLimits(heat: 2, evidence: 2, confidence: 0.3, reporters: 3, networks: 2, days: 2)
    let leave = ThresholdLimits(heat: 1, evidence: 1, confidence: 0.2, reporters: 2, networks: 1, days: 1)
    thresholds = try ThresholdSet(
      thresholds: ReportCategory.allCases.filter(\.isToxic).map {
        Threshold(category: $0, enter: enter, leave: leave, reviewHeat: 1)
      },
      sources: [
        SourceRule(appID: 0, weight: 1, enter: .init(complaints: 3, days: 3), leave: .init(complaints: 2, days: 2))
      ])
  }

  private func reporter(_ index: Int) -> Reporter { Reporter(Array(String(format: "%016d", index).utf8)) }

  /// The treatment of a number that these accounts report over some days, each from a network of its own.
  private func treatment(
    of number: Int64, by accounts: [Int], over days: Int, _ means: Means, _ overlap: TargetOverlap
  ) -> SourceCeiling {
    var part = NumberAggregate.Part(
      category: .fraud, heat: 0, evidence: 0, reports: Int64(accounts.count),
      reporters: means.weight > 0 ? Int32(accounts.count) : 0)
    var votes: [ReporterVote] = []
    for (place, account) in accounts.enumerated() {
      let age = days - 1 - place % days
      let time = now - Double(age) * 86_400 - 3_600
      part.heat += Decay.heat.storedSum(of: means.weight, at: time)
      part.evidence += Decay.evidence.storedSum(of: means.weight, at: time)
      votes.append(
        ReporterVote(
          reporter: reporter(account), isToxic: true, isNew: true, age: Int32(age), network: UInt64(1_000 + account),
          appID: 1, isAttested: means.isAttested))
    }
    var score = Score(NumberRecord(number: number, standing: NumberAggregate(parts: [part])), at: now)
    if means.weight > 0 { (score.networks, score.days) = (accounts.count, Set(votes.map(\.age)).count) }
    var circumstances = BrigadeDetection.Circumstances(overlap: overlap, rule: thresholds.identify)
    circumstances.number = number
    var overrides = OverrideState()
    if let finding = BrigadeDetection.evaluate(votes, in: circumstances).finding {
      if let ceiling = finding.ceiling { overrides.reportCeiling = ceiling } else { overrides.isHeld = true }
    }
    let evaluation = score.evaluate(by: thresholds, in: overrides)
    return [.candidate, .listed].contains(evaluation.verdict) ? evaluation.ceiling : .nothing
  }

  /// The accounts for each number, so that any two share as few numbers as possible.
  private func plan(_ accounts: Int, numbers: Int, each: Int) -> [[Int]] {
    var uses = Array(repeating: 0, count: accounts)
    var shared = Array(repeating: uses, count: accounts)
    return (0..<numbers).map { _ in
      var chosen: [Int] = []
      while chosen.count < each {
        let free = (0..<accounts).filter { !chosen.contains($0) }
        func cost(_ account: Int) -> Int { chosen.reduce(uses[account]) { $0 + 100 * shared[account][$1] } }
        guard let next = free.min(by: { cost($0) < cost($1) }) else { break }
        chosen.append(next)
      }
      for account in chosen {
        uses[account] += 1
        for other in chosen where other != account { shared[account][other] += 1 }
      }
      return chosen
    }
  }

  /// The numbers that get at least a treatment.
  private func reached(
    _ treatment: SourceCeiling, _ plan: [[Int]], over days: Int, _ means: Means
  ) -> Int {
    var overlap = TargetOverlap()
    for (index, accounts) in plan.enumerated() { overlap.add(Int64(index + 1), accounts.map(reporter)) }
    overlap.finish()
    return plan.enumerated().count { index, accounts in
      self.treatment(of: Int64(index + 1), by: accounts, over: days, means, overlap) >= treatment
    }
  }

  /// The fewest accounts up to a limit that reach a treatment for all numbers within three days.
  private func fewest(_ treatment: SourceCeiling, numbers: Int, _ means: Means, upTo limit: Int = 20) -> Int? {
    (2...limit).first { accounts in
      (1...3).contains { days in
        (2...min(8, accounts)).contains { each in
          reached(treatment, plan(accounts, numbers: numbers, each: each), over: days, means) == numbers
        }
      }
    }
  }

  @Test func `a label costs three accounts or phones, and a block three phones`() {
    #expect(fewest(.identify, numbers: 1, .accounts) == 3)
    #expect(fewest(.block, numbers: 1, .accounts) == nil)
    #expect(fewest(.identify, numbers: 1, .ignored) == nil)
    #expect(fewest(.identify, numbers: 1, .phones) == 3)
    #expect(fewest(.block, numbers: 1, .phones) == 3)
  }

  @Test func `ten numbers cost eight, because phones that share numbers are connected`() {
    #expect(fewest(.identify, numbers: 10, .accounts) == 8)
    #expect(fewest(.identify, numbers: 10, .ignored, upTo: 9) == nil)
    #expect(fewest(.block, numbers: 10, .phones) == 8)
  }

  @Test func `200 accounts block none of ten numbers, and 200 phones block them only if they split them`() {
    let (shared, split) = (
      Array(repeating: Array(0..<200), count: 10), (0..<10).map { Array($0 * 20..<$0 * 20 + 20) }
    )
    #expect(reached(.identify, shared, over: 3, .accounts) == 0)
    #expect(reached(.identify, split, over: 3, .accounts) == 10)
    #expect(reached(.block, split, over: 3, .accounts) == 0)
    #expect(reached(.identify, split, over: 3, .ignored) == 0)
    #expect(reached(.identify, shared, over: 3, .phones) == 0)
    #expect(reached(.block, split, over: 3, .phones) == 10)
  }
}
