// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import TestSupport
import Testing

@Suite struct CurationMergeTests {
  private func decision(
    _ number: Int64, _ treatment: Decision.Treatment, _ category: ReportCategory? = nil, label: String? = nil
  ) -> StandingDecision {
    StandingDecision(
      number: number, treatment: treatment, label: label, category: category, decisionID: UUID(), decidedAt: Date())
  }

  private func reported(_ number: Int64, _ category: ReportCategory = .fraud) -> ListedNumber {
    ListedNumber(number: number, category: category, heat: 5, evidence: 6, identifications: 7)
  }

  private func merged(_ state: CurationState, _ batches: [[ListedNumber]]) -> [ListedNumber] {
    var merge = CurationMerge(state)
    return batches.flatMap { merge.take($0) } + merge.finish()
  }

  @Test func `decisions set the treatment and reports set the figures`() {
    var state = CurationState()
    for decision in [
      decision(10, .block), decision(20, .allow), decision(30, .identify, label: "Dr Who"),
      decision(40, .block, .silent),
      decision(50, .allow), decision(60, .block, label: "Cold caller"),
    ] { state.decisions.append(decision) }
    let all = merged(state, [[reported(5), reported(20)], [reported(30), reported(40), reported(45)]])
    #expect(all.map(\.number) == [5, 10, 30, 40, 45, 60])
    #expect(all[1] == ListedNumber(number: 10, category: .other, cause: .decision, heat: 0, evidence: 0))
    #expect(
      all[2]
        == ListedNumber(
          number: 30, category: .fraud, treatment: .identify, cause: .decision, heat: 5, evidence: 6,
          identifications: 7,
          label: "Dr Who")
    )
    #expect(all[3].category == .silent)
    #expect(all[5].label == "Cold caller")
  }

  @Test func `a range lists the numbers that have no decision`() throws {
    var state = CurationState(
      protected: ProtectedNumbers(patterns: [(try ProtectedPattern("+33199003"), "Bank")], numbers: []),
      held: [33_199_004], victims: [33_199_005],
      rules: [
        RangeRule(
          stored: RangePattern(around: 33_199_000, size: 10), category: .oneRing, label: "A name",
          state: .approved, proposedAt: Date())
      ])
    state.decisions.append(decision(33_199_001, .allow))
    state.decisions.append(decision(33_199_002, .identify, label: "A name"))
    #expect(
      state.ruledRanges() == [
        RuledRange(33_199_000...33_199_000, rule: 0),
        RuledRange(33_199_005...33_199_005, treatment: .identify, rule: 0),
        RuledRange(33_199_006...33_199_009, rule: 0),
      ])
    // Numbers that are listed by themselves keep their own listing; a range also blocks one that is only identified.
    var identified = reported(33_199_008)
    identified.treatment = .identify
    let all = merged(state, [[reported(33_199_007), identified]])
    #expect(all.map(\.number) == [2, 7, 8].map { 33_199_000 + $0 })
    #expect(all[1] == reported(33_199_007))
    #expect(all[2].treatment == .block && all[2].cause == .range && all[2].label == "A name")
  }

  @Test func `a protected number is not listed despite a decision`() throws {
    var state = CurationState(protected: ProtectedNumbers(patterns: [], numbers: [(10, "Bank")]))
    state.decisions.append(decision(10, .block))
    #expect(merged(state, []).isEmpty)
    #expect(state.overrides(of: 10).isProtected)
  }

  @Test func `merged numbers are unique and in order`() {
    var generator = SeededGenerator(seed: 11)
    for _ in 0..<200 {
      var state = CurationState()
      for number in (1...300 as ClosedRange<Int64>) where Int.random(in: 0..<8, using: &generator) == 0 {
        state.decisions.append(
          decision(number, Decision.Treatment.allCases.randomElement(using: &generator)!, label: nil))
      }
      state.rules = (0..<3).map { _ in
        RangeRule(
          stored: RangePattern(around: Int64.random(in: 10...290, using: &generator), size: 10), category: .fraud,
          state: .approved, proposedAt: Date())
      }
      let numbers = (1...300 as ClosedRange<Int64>).filter { _ in Int.random(in: 0..<4, using: &generator) == 0 }
      let cut = Int.random(in: 0...numbers.count, using: &generator)
      let all = merged(state, [numbers[..<cut].map { reported($0) }, numbers[cut...].map { reported($0) }])
      var expected = Set(numbers.filter { state.decisions.decision(of: $0) == nil })
      expected.formUnion((1...300).filter { state.decisions.decision(of: $0).map { $0.treatment != .allow } == true })
      #expect(all.map(\.number) == expected.sorted())
      let ruled = state.ruledRanges().flatMap { Array($0.numbers) }
      let inRules = Set(state.rules.flatMap { Array($0.range.blocks[0]) })
      #expect(ruled == inRules.filter { state.decisions.decision(of: $0) == nil }.sorted())
    }
  }
}
