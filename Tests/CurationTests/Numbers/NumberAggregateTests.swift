// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import Testing

@Suite struct NumberAggregateTests {
  private let now = Date(timeIntervalSince1970: 1_795_000_000)

  private func part(_ category: ReportCategory, _ weight: Double) -> NumberAggregate.Part {
    NumberAggregate.Part(
      category: category, heat: Decay.heat.storedSum(of: weight, at: now),
      evidence: Decay.evidence.storedSum(of: weight, at: now),
      reports: Int64(weight), reporters: Int32(weight))
  }

  @Test func `the category with the most heat leads`() {
    let standing = NumberAggregate(parts: [part(.survey, 2), part(.fraud, 3), part(.legitimate, 9)])
    #expect(standing.leading == .fraud)
  }

  @Test func `the first category leads when heat is equal`() {
    #expect(NumberAggregate(parts: [part(.survey, 2), part(.fraud, 2)]).leading == .fraud)
    #expect(NumberAggregate(parts: [part(.legitimate, 2)]).leading == nil)
    #expect(NumberAggregate(parts: [part(.fraud, 0)]).leading == nil)
  }
}
