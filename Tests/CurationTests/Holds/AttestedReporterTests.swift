// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Curation

/// New reporters with attested phones: independent from their first day, and connected by what they report.
@Suite struct AttestedReporterTests {
  /// New reporters, one a day.
  private func votes(
    _ count: Int, from first: Int = 0, toxic: Bool = true, attested: Bool = true, age: Int32? = nil,
    network: UInt64? = nil, text: UInt64? = nil
  ) -> [ReporterVote] {
    (first..<first + count).map { index in
      ReporterVote(
        reporter: Reporter(Array("reporter \(index)       ".utf8.prefix(16))), isToxic: toxic, isNew: true,
        age: age ?? Int32(index % 10), network: network ?? UInt64(1_000 + index), text: text, isAttested: attested)
    }
  }

  private func judge(_ votes: [ReporterVote], _ circumstances: BrigadeDetection.Circumstances = .init())
    -> BrigadeDetection.Finding?
  {
    BrigadeDetection.evaluate(votes, in: circumstances).finding
  }

  @Test func `three attested phones block where three accounts only label`() {
    #expect(judge(votes(3, attested: false))?.ceiling == .identify)
    #expect(judge(votes(3)) == nil)
    #expect(judge(votes(2)) != nil)
    // They confirm up to four times as many newcomers.
    #expect(judge(votes(3) + votes(12, from: 100, attested: false)) == nil)
    #expect(judge(votes(3) + votes(17, from: 100, attested: false)) != nil)
  }

  @Test func `phones are counted instead of networks`() {
    #expect(judge(votes(5, network: 7)) == nil)
    #expect(judge(votes(5, attested: false, network: 7))?.ceiling == .nothing)
  }

  @Test func `phones that send one text or report the same numbers are connected`() {
    #expect(judge(votes(5, text: 9))?.ceiling == .nothing)
    let brigade = votes(5)
    var overlap = TargetOverlap()
    for number in Int64(1)...4 { overlap.add(number, brigade.map(\.reporter)) }
    overlap.finish()
    var circumstances = BrigadeDetection.Circumstances(overlap: overlap)
    circumstances.number = 1
    #expect(judge(brigade, circumstances)?.ceiling == .nothing)
  }

  @Test func `a burst on one day stays a burst`() {
    #expect(judge(votes(12, age: 0)) != nil)
  }

  @Test func `newcomers label nothing that attested phones contradict`() {
    let accounts = votes(20, attested: false)
    #expect(judge(accounts)?.ceiling == .identify)
    #expect(judge(accounts + votes(2, from: 100, toxic: false))?.ceiling == .identify)
    #expect(judge(accounts + votes(3, from: 100, toxic: false))?.ceiling == .nothing)
    // As many attested phones complain: nobody is contradicted.
    #expect(judge(accounts + votes(3, from: 200) + votes(3, from: 100, toxic: false))?.ceiling == .identify)
  }

  /// A brigade of 200 accounts against ten numbers, of which 40 honest people with attested phones know some.
  @Test func `200 accounts list none of ten numbers that attested people know`() {
    for number in 0..<10 {
      // All accounts against all numbers, or 20 for each number, over three days.
      for accounts in [0..<200, number * 20..<number * 20 + 20] {
        let attack = accounts.map { index in
          ReporterVote(
            reporter: Reporter(Array("account \(index)        ".utf8.prefix(16))), isToxic: true, isNew: true,
            age: Int32(index % 3), network: UInt64(index))
        }
        let honest = votes(4, from: number * 4, toxic: false)
        #expect(judge(attack + honest)?.ceiling == .nothing)
      }
    }
  }

  @Test func `weights of new reporters are between 0 and 1, and an app's own rule replaces the general one`() throws {
    let threshold = ReportCategory.allCases.filter(\.isToxic).map {
      Threshold(
        category: $0,
        enter: ThresholdLimits(heat: 2, evidence: 0, confidence: 0, reporters: 3, networks: 2, days: 2),
        leave: ThresholdLimits(heat: 1, evidence: 0, confidence: 0, reporters: 2, networks: 1, days: 1), reviewHeat: 1)
    }
    let list = SourceRule(
      appID: 0, weight: 1, enter: .init(complaints: 3, days: 3), leave: .init(complaints: 2, days: 2))
    let set = try ThresholdSet(thresholds: threshold, sources: [list])
    #expect(set.rule(ofApp: 7) == AttestationRule(appID: 7))
    let own = AttestationRule(appID: 7, hardware: 1, software: 0.6, unattested: 0)
    let changed = try set.replacing(own)
    #expect(changed.rule(ofApp: 7) == own && changed.rule(ofApp: 8) == AttestationRule(appID: 8))
    #expect(changed != set)
    #expect(throws: ThresholdProblem.self) { try set.replacing(AttestationRule(hardware: 1.1)) }
    #expect(throws: ThresholdProblem.self) { try set.replacing(AttestationRule(unattested: -0.1)) }
  }
}
