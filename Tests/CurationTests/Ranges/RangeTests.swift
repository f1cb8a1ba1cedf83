// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import TestSupport
import Testing

@Suite struct RangeTests {
  private func facts(
    size: Int64 = 10, members: Int = 5, heat: Double = 10, greatest: Double = 3, defended: Int = 0
  ) -> RangeDetection.Facts {
    RangeDetection.Facts(
      range: RangePattern(around: 33_199_000_248, size: size), members: members, heat: heat, greatest: greatest,
      defended: defended)
  }

  @Test func `a range is proposed for enough members and heat`() {
    #expect(RangeDetection.proposes(facts()))
    #expect(!RangeDetection.proposes(facts(members: 3)))
    #expect(!RangeDetection.proposes(facts(heat: 5.9)))
    #expect(!RangeDetection.proposes(facts(members: 8, heat: 11)))
    #expect(!RangeDetection.proposes(facts(greatest: 6)))
    #expect(!RangeDetection.proposes(facts(defended: 5)))
    #expect(RangeDetection.proposes(facts(size: 100, members: 12, heat: 30)))
    #expect(!RangeDetection.proposes(facts(size: 100, members: 11, heat: 30)))
  }

  /// A plan with the codes 1, 33 and 49: French numbers have 9 digits, German ones of Berlin 5 to 11.
  private static let plan = RangePlan(
    callingCode: { number in
      let text = "\(number)"
      return [1, 33, 49].first { text.hasPrefix("\($0)") }
    },
    lengths: { prefix in
      let text = "\(prefix)"
      return text.hasPrefix("33") ? [11] : text.hasPrefix("4930") ? Array(7...13) : text.hasPrefix("4911") ? [5] : []
    },
    shortNumber: { $0.contains(49_112) ? 49_112 : nil })

  @Test(
    arguments: [
      ("+33199*", "+33199*", [33_199_000_000...33_199_999_999]),
      ("33 199 00 024x", "+3319900024x", [33_199_000_240...33_199_000_249]),
      ("+33199######", "+33199xxxxxx", [33_199_000_000...33_199_999_999]),
      ("+331990XXXXX", "+331990xxxxx", [33_199_000_000...33_199_099_999]),
      ("+33199000000 - +33199000499", "+33199000000-+33199000499", [33_199_000_000...33_199_000_499]),
      ("33199999950-33200000049", "+33199999950-+33200000049", [33_199_999_950...33_200_000_049]),
      (
        "+4930197123*", "+4930197123*",
        [
          49_301_971_230...49_301_971_239, 493_019_712_300...493_019_712_399,
          4_930_197_123_000...4_930_197_123_999,
        ]
      ),
    ] as [(String, String, [ClosedRange<Int64>])])
  func `a range is read in each form`(_ text: String, _ stored: String, _ blocks: [ClosedRange<Int64>]) throws {
    let range = try RangePattern(text, plan: Self.plan)
    #expect(range.text == stored && range.blocks == blocks)
    // The stored form is read to the same range.
    #expect(try RangePattern(stored, plan: Self.plan) == range)
    #expect(
      blocks.allSatisfy {
        "\($0.lowerBound)".hasPrefix("\(range.prefix)") && "\($0.upperBound)".hasPrefix("\(range.prefix)")
      })
  }

  @Test(
    arguments: [
      ("*", .tooWide), ("+", .singleNumber), ("", .singleNumber), ("+1*", .tooWide), ("+33*", .tooWide),
      ("+331*", .tooWide), ("+3*", .tooWide), ("+33199000248", .singleNumber), ("+33a4x", .unexpectedCharacter),
      ("+3x3x", .wildcardWithin), ("+33199*5", .wildcardWithin), ("+99912*", .noPlan), ("+33199xxxxx", .noSuchLength),
      ("+4955*", .noNumbers), ("+1234567890123456x", .tooLong), ("+33199000499-33199000000", .wrongOrder),
      ("+33199000-33199000499", .wrongOrder), ("+33199000000-49301971234", .noPlan), ("+4930*", .tooMany),
      ("+4911x", .shortNumber), ("+33199000000-+33199000499-1", .unexpectedCharacter),
    ] as [(String, RangeViolation.Code)])
  func `a wrong range is refused with its field, value and rule`(_ text: String, _ code: RangeViolation.Code) throws {
    let error = try #require(throws: RangeViolation.self) { try RangePattern(text, plan: Self.plan) }
    #expect(error.code == code, "\(text): \(error)")
    #expect(error.values["field"] == "pattern" && error.values["pattern"] == .text(text))
  }

  private func rule(
    _ numbers: ClosedRange<Int64>, _ treatment: Decision.Treatment = .block, at seconds: Double = 0
  ) -> RangeRule {
    RangeRule(
      stored: RangePattern(stored: "+\(numbers.lowerBound)-+\(numbers.upperBound)", blocks: [numbers]),
      treatment: treatment, category: .fraud, state: .approved, proposedAt: Date(timeIntervalSince1970: seconds))
  }

  @Test func `the rule with fewer numbers applies, then one that allows, then the newer one`() {
    let rules = [
      rule(1_000...1_999), rule(1_200...1_299, .allow), rule(1_250...1_259), rule(1_300...1_399, at: 1),
      rule(1_300...1_399, at: 2), rule(1_400...1_499, at: 3), rule(1_400...1_499, .allow),
    ]
    let found = RangeMerge.disjoint(rules).map { "\($0.numbers.lowerBound) \($0.rule)" }
    #expect(
      found == [
        "1000 0", "1200 1", "1250 2", "1260 1", "1300 4", "1400 6", "1500 0",
      ])
  }

  @Test func `merged ranges equal the rules number by number`() {
    var random = SeededGenerator(seed: 5)
    for _ in 0..<300 {
      let rules = (0..<Int.random(in: 1...12, using: &random)).map { index in
        let first = Int64.random(in: 1...180, using: &random)
        return rule(
          first...first + Int64.random(in: 0...60, using: &random),
          Decision.Treatment.allCases.randomElement(using: &random)!, at: Double(index % 3))
      }
      var expected: [Int64: Int] = [:]
      for number in 1...300 as ClosedRange<Int64> {
        expected[number] = rules.indices.filter { rules[$0].range.contains(number) }.min { one, other in
          let (a, b) = (rules[one], rules[other])
          if a.range.size != b.range.size { return a.range.size < b.range.size }
          if (a.treatment == .allow) != (b.treatment == .allow) { return a.treatment == .allow }
          return a.proposedAt != b.proposedAt ? a.proposedAt > b.proposedAt : one < other
        }
      }
      var found: [Int64: Int] = [:]
      var last: Int64 = 0
      for item in RangeMerge.disjoint(rules) {
        #expect(item.numbers.lowerBound > last)
        last = item.numbers.upperBound
        for number in item.numbers { found[number] = item.rule }
      }
      #expect(found == expected)
    }
  }

  @Test func `a hundred thousand overlapping rules are merged`() {
    let rules = (0..<100_000).map { rule(Int64($0) + 1_000...Int64($0) * 3 + 2_000) }
    let found = RangeMerge.disjoint(rules)
    #expect(found.count <= 200_000 && found.first?.numbers.lowerBound == 1_000)
    #expect(found.last?.numbers.upperBound == 301_997)
  }

  @Test func `ranges are divided into decimal blocks`() {
    func blocks(_ range: ClosedRange<Int64>) -> [String] { range.decimalBlocks.map { "\($0.prefix):\($0.wildcards)" } }
    #expect(blocks(33_199_000_000...33_199_999_999) == ["33199:6"])
    #expect(
      blocks(198...1_203) == ["198:0", "199:0", "2:2"] + (3...9).map { "\($0):2" } + ["10:2", "11:2"]
        + (1_200...1_203).map { "\($0):0" })
  }

  @Test func `the owner of a spoofed number is a victim`() {
    func victim(_ days: [Int32: Int], _ appeals: [Int32]) -> Bool {
      Spoofing.isVictim(complaintsByDay: days, appealDays: appeals)
    }
    #expect(victim([100: 10, 101: 3], [102]))
    #expect(victim([100: 10], [100]))
    #expect(!victim([100: 10], []))
    #expect(!victim([100: 10], [99]))
    #expect(!victim([100: 9], [101]))
    #expect(!victim([100: 10, 101: 6, 102: 5], [103]))
    #expect(!victim([:], [103]))
  }
}
