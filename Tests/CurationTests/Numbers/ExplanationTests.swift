// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import Testing

@Suite struct ExplanationTests {
  private let now = Date(timeIntervalSince1970: 1_795_000_000)

  @Test func `reports of a number that is held trigger what its ceiling permits`() {
    typealias Ceiling = SourceCeiling
    for (ceiling, isLabeled, expected) in [
      (nil, false, nil), (nil, true, nil), (.identify, false, .nothing), (.identify, true, .identify),
      (.nothing, false, .nothing), (.nothing, true, .nothing), (.block, false, .block), (.block, true, .block),
    ] as [(Ceiling?, Bool, Ceiling?)] {
      let hold = Explanation.Hold(
        reason: .split(complaints: 5, legitimate: 5), heldAt: now, ceiling: ceiling, labeledAt: isLabeled ? now : nil)
      #expect(hold.reportCeiling == expected)
    }
  }

  @Test func `the explanation of a range member starts with the range`() {
    var explanation = Explanation(number: 33_199_005, time: now)
    #expect(explanation.lines == [.quiet, .published(nil), .noReports])
    let range = RangeRule(
      stored: RangePattern(around: 33_199_000, size: 10), category: .fraud, state: .approved, proposedAt: Date())
    let listing = Explanation.Listing(category: .oneRing, serial: 7, listedAt: now)
    (explanation.range, explanation.listing) = (range, listing)
    #expect(explanation.lines == [.listed(by: range), .published(listing), .noReports])
    explanation.protection = .protectedNumber(reason: "a bank")
    #expect(explanation.lines.first?.code == .protectedNumber)
    #expect(explanation.lines.last == .approvedRange(range))
  }

  @Test func `an explanation line is one flat JSON object`() throws {
    var explanation = Explanation(number: 33_199_005, time: now)
    explanation.listing = Explanation.Listing(category: .other, serial: 7, listedAt: now, treatment: .identify)
    let line = try #require(explanation.lines.dropFirst().first)
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    let json = String(decoding: try encoder.encode(line), as: UTF8.self)
    #expect(json == #"{"code":"published_identified","listed_day":"2026-11-18","serial":"7"}"#)
    #expect(throws: DecodingError.self) { try HoldReason(json: #"{"code": "no_such_code"}"#) }
  }

  @Test func `only the account of a held number has the figures of its rule`() {
    var explanation = Explanation(number: 33_199_005, time: now)
    let reason = HoldReason.oneDay(peak: 12, reporters: 13, others: 1)
    explanation.hold = Explanation.Hold(reason: reason, heldAt: now)
    #expect(explanation.lines.contains(.hold(reason)) && !explanation.summary.contains(.hold(reason)))
    #expect(explanation.summary.first == .held(since: now))
  }
}
