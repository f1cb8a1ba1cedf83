// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import Curation
@testable import HTTPServer
@testable import ModerationSite

@Suite struct CaseSummaryTests {
  private func parts(
    _ weights: Explanation.Weights, _ language: Language, failing: [ListingCondition] = []
  ) throws -> String {
    var explanation = Explanation(number: 33_199_000_248, time: Date())
    let part = NumberAggregate.Part(category: .fraud, heat: 1, evidence: 1, reports: 5, reporters: 5)
    let record = NumberRecord(number: 33_199_000_248, standing: NumberAggregate(parts: [part]))
    explanation.score = Score(record, at: Date())
    explanation.weights = weights
    let texts = try MessageCatalog(folder: Checkout.texts)[language]
    return "\(CaseSummary.record(explanation, failing, texts))"
  }

  @Test func `a summary says how many reporters have attested phones`() throws {
    #expect(try parts(.init(partial: 5, new: 3, attested: 2), .english).contains("2 with attested phones"))
    #expect(try parts(.init(partial: 5, new: 3, attested: 1), .english).contains("1 with an attested phone"))
    #expect(try !parts(.init(partial: 5, new: 5), .english).contains("attested"))
    #expect(try parts(.init(partial: 5, new: 3, attested: 2), .russian).contains("подтверждённым"))
  }

  @Test func `only German writes the names of conditions with a capital letter within a sentence`() throws {
    let days = ListingCondition(kind: .days, have: 1, need: 2)
    #expect(try parts(.init(), .german, failing: [days]).contains("nicht erfüllt: Tage"))
    #expect(try parts(.init(), .english, failing: [days]).contains("not met: days"))
  }
}
