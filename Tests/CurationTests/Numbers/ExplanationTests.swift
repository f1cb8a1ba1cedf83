import Curation
import Foundation
import Testing

@Suite struct ExplanationTests {
  private let now = Date(timeIntervalSince1970: 1_795_000_000)

  @Test func aMemberOfARangeIsExplainedByItFirst() {
    var explanation = Explanation(number: 33_162_005, time: now)
    #expect(explanation.account[0].hasPrefix("Quiet"))
    explanation.range = NumberRange(around: 33_162_000, digits: 1)
    explanation.listing = Explanation.Listing(category: .oneRing, serial: 7, listedAt: now)
    #expect(explanation.account[0].hasPrefix("Listed with its range: it lies in +3316200x"))
    #expect(explanation.account[0].contains("Publication 7 listed it first"))
    #expect(!explanation.account.dropFirst().contains { $0.contains("+3316200x") })
    explanation.protection = "a bank"
    #expect(explanation.account[0].hasPrefix("Protected"))
    #expect(explanation.account.last?.contains("+3316200x") == true)
  }

  @Test func whatIsOnlyNamedSaysSo() {
    var explanation = Explanation(number: 33_162_005, time: now)
    explanation.listing = Explanation.Listing(category: .other, serial: 7, listedAt: now, treatment: .identify)
    #expect(explanation.account[0].hasSuffix("Publication 7 named it first, on 2026-11-18, and does not block it."))
  }
}
