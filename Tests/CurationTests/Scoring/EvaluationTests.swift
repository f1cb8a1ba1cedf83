// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import Curation

@Suite struct EvaluationTests {
  private func evaluation(reporters: Double, listDays: Double) -> Evaluation {
    Evaluation(
      verdict: .needsReview, category: .fraud, threshold: nil, isListed: false,
      conditions: [
        ListingCondition(kind: .heat, have: 1, need: 2), ListingCondition(kind: .reporters, have: reporters, need: 3),
        ListingCondition(kind: .networks, have: reporters, need: 2),
        ListingCondition(kind: .listComplaints, source: 7, have: 5, need: 5),
        ListingCondition(kind: .listDays, source: 7, have: listDays, need: 2),
        ListingCondition(kind: .listComplaints, source: 8, have: 0, need: 5),
        ListingCondition(kind: .listDays, source: 8, have: 0, need: 2),
      ], meetsThreshold: false, reviewHeat: 1)
  }

  @Test func `a list replaces reporters and other lists`() {
    let met = evaluation(reporters: 0, listDays: 2)
    #expect(met.meetingList == 7)
    #expect(met.conditions.map { met.isReplaced($0) } == [false, true, true, false, false, true, true])
    // Of heat, reporters and networks, only heat is missed.
    #expect(ExplanationLine.needsReview(met.conditions).values["missed"] == 1)
  }

  @Test func `reporters replace lists`() {
    let met = evaluation(reporters: 3, listDays: 1)
    #expect(met.meetingList == nil)
    #expect(met.conditions.map { met.isReplaced($0) } == [false, false, false, false, true, true, true])
  }

  @Test func `figures have at most four decimal digits in JSON`() throws {
    var explanation = Explanation(number: 33_199_005, time: Date(timeIntervalSince1970: 1_795_000_000))
    var evaluation = evaluation(reporters: 0, listDays: 1)
    evaluation.conditions = [ListingCondition(kind: .confidence, have: 1.23456789, need: 0.6000000000000001)]
    explanation.evaluation = evaluation
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    let json = String(decoding: try encoder.encode(explanation), as: UTF8.self)
    #expect(json.contains(#""conditions":[{"condition":"confidence","have":1.2346,"met":true,"need":0.6}]"#))
    #expect((-2.00005).readable == -2.0001 && Double.infinity.readable == .infinity)
  }

  @Test func `nothing is replaced when both alternatives are missed`() {
    let missed = evaluation(reporters: 0, listDays: 1)
    #expect(missed.conditions.allSatisfy { !missed.isReplaced($0) })
  }
}
