// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import Curation

/// The verification of callers' numbers by networks, and its effect.
@Suite struct CallVerificationTests {
  private let now = Date(timeIntervalSince1970: 1_795_000_000)

  @Test(
    arguments: [
      ("passed", .passed), ("failed", .failed), ("none", CallVerification.none), ("TN-Validation-Passed", .passed),
      ("TN-Validation-Passed-A", .passed), ("tn-validation-failed-c", .failed), ("TN-Validation-Failed", .failed),
      ("No-TN-Validation", CallVerification.none), ("TN-Validation-Passed-D", nil), ("Passed-A", nil), ("", nil),
      ("-A", nil),
      ("A", nil),
    ] as [(String, CallVerification?)])
  func `words and values of verstat are read`(_ text: String, _ value: CallVerification?) {
    #expect(CallVerification(text) == value)
  }

  @Test func `only a trusted sender's failed call is a false caller's`() {
    for value in CallVerification.allCases {
      for isTrusted in [true, false] {
        #expect(ReportedVerification(value, isTrusted: isTrusted).isOfFalseCaller == (value == .failed && isTrusted))
      }
    }
    let codes = CallVerification.allCases.flatMap { value in
      [true, false].map { ReportedVerification(value, isTrusted: $0).code }
    }
    #expect(codes.sorted() == [0, 1, 2, 10, 11, 12])
  }

  @Test func `counts for apps agree with the exact ones`() {
    for failed in 0...40 {
      for passed in 0...40 {
        let calls = VerifiedCalls(failed: failed, passed: passed)
        #expect(!calls.isMisused || calls.coarse.isMisused, "\(failed) \(passed)")
        #expect(calls.coarse.failed <= failed && calls.coarse.passed <= passed)
      }
    }
  }

  /// Honest and dishonest: trusted reporters whose calls failed and passed, and the strongest treatment of a number that
  /// reports and a list would block.
  @Test(
    arguments: [
      ("nobody's network verifies", 0, 0, .block), ("an owner whose number is borrowed", 8, 0, .identify),
      ("a borrowed number whose owner calls, too", 8, 3, .identify), ("two phones lie for a caller", 2, 0, .block),
      ("three phones lie for a caller", 3, 0, .identify),
      ("three lie, and as many networks passed his calls", 3, 3, .block),
      ("an honest caller's calls pass", 0, 9, .block),
    ] as [(String, Int, Int, SourceCeiling)])
  func `a number with mostly failed calls is labeled at most`(
    _ name: String, _ failed: Int, _ passed: Int, _ ceiling: SourceCeiling
  ) throws {
    for reporters in [0, 10] as [Int32] {
      var record = NumberRecord(
        number: 12_015_550_123,
        standing: NumberAggregate(parts: [
          .init(
            category: .fraud, heat: Decay.heat.storedSum(of: 10, at: now),
            evidence: Decay.evidence.storedSum(of: 10, at: now), reports: 10, reporters: reporters)
        ]))
      let share = (Decay.heat.storedSum(of: 10, at: now), Decay.evidence.storedSum(of: 10, at: now))
      record.sources = [
        SourceTally(
          appID: 7, complaints: 9, heat: share.0, evidence: share.1, days: ComplaintDays(bits: 7, lastDay: 20_775))
      ]
      record.calls = VerifiedCalls(failed: failed, passed: passed)
      let bar = ThresholdLimits(heat: 1, evidence: 1, confidence: 0.1, reporters: 1, networks: 0, days: 0)
      let set = try ThresholdSet(
        thresholds: ReportCategory.allCases.filter(\.isToxic).map {
          Threshold(category: $0, enter: bar, leave: bar, reviewHeat: 1)
        },
        sources: [
          SourceRule(appID: 0, weight: 1, enter: .init(complaints: 1, days: 1), leave: .init(complaints: 1, days: 1))
        ])
      let score = Score(record, at: now)
      #expect(score.evaluate(by: set).ceiling == ceiling, "\(name)")
      // A source is not named as the reason.
      #expect(score.sourceLimit(by: set, country: nil) == nil, "\(name)")
      var explanation = Explanation(number: record.number, time: now)
      explanation.score = score
      let codes = explanation.lines.map(\.code)
      #expect(codes.contains(.misused) == (ceiling == .identify), "\(name)")
      #expect(codes.contains(.failedCalls) == (failed > 0 && ceiling == .block), "\(name)")
      let json = String(decoding: try JSONEncoder().encode(explanation), as: UTF8.self)
      #expect(json.contains("\"misused\":\(ceiling == .identify)") == (failed + passed > 0), "\(name)")
    }
  }
}
