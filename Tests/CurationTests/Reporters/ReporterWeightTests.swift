// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import Testing

@Suite struct ReporterWeightTests {
  private let now = Date(timeIntervalSince1970: 1_795_000_000)

  private func record(
    days: Double = 100, numbers: Int = 10, establishedDays: Double? = 30, judged: Int = 0, agreed: Int = 0,
    brigades: Int = 0
  ) -> ReporterRecord {
    ReporterRecord(
      reporter: Reporter([1]), firstReceivedAt: now - days * 86_400, numbers: numbers,
      establishedAt: establishedDays.map { now - $0 * 86_400 }, judged: judged, agreed: agreed, brigades: brigades)
  }

  @Test func `a newcomer has a lower weight`() {
    #expect(ReporterWeight.weight(of: record(), at: now) == 1)
    #expect(ReporterWeight.weight(of: record(establishedDays: 0), at: now) == 1)
    #expect(ReporterWeight.weight(of: record(establishedDays: -0.1), at: now) == ReporterWeight.newcomer)
    #expect(ReporterWeight.weight(of: record(establishedDays: nil), at: now) == ReporterWeight.newcomer)
  }

  @Test func `accuracy has no effect below five decisions`() {
    for judged in 0..<5 { #expect(ReporterWeight.accuracy(agreed: 0, judged: judged) == 1) }
    let figures = [(5, 5), (20, 20), (18, 20), (10, 20), (0, 5), (0, 20)].map { agreed, judged in
      (ReporterWeight.accuracy(agreed: agreed, judged: judged) * 100).rounded() / 100
    }
    #expect(figures == [1, 1, 0.97, 0.7, 0.43, 0.16])
  }

  @Test func `more agreement never lowers the accuracy`() {
    for judged in 5...60 {
      let weights = (0...judged).map { ReporterWeight.accuracy(agreed: $0, judged: judged) }
      #expect(weights == weights.sorted())
      #expect(weights.allSatisfy { (0...1).contains($0) })
    }
  }

  @Test func `a reporter caught in a brigade has no weight`() {
    #expect(ReporterWeight.weight(of: record(judged: 50, agreed: 50, brigades: 1), at: now) == 0)
  }
}
