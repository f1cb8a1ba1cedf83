// SPDX-License-Identifier: Apache-2.0

import Curation
import Testing

@Suite struct RangeTests {
  private func facts(
    digits: Int16 = 1, members: Int = 5, heat: Double = 10, greatest: Double = 3, defended: Int = 0
  ) -> RangeDetection.Facts {
    RangeDetection.Facts(
      range: NumberRange(around: 33_162_000_248, digits: digits), members: members, heat: heat, greatest: greatest,
      defended: defended)
  }

  @Test func `a range is proposed for enough members and heat`() {
    #expect(RangeDetection.proposes(facts()))
    #expect(!RangeDetection.proposes(facts(members: 3)))
    #expect(!RangeDetection.proposes(facts(heat: 5.9)))
    #expect(!RangeDetection.proposes(facts(members: 8, heat: 11)))
    #expect(!RangeDetection.proposes(facts(greatest: 6)))
    #expect(!RangeDetection.proposes(facts(defended: 5)))
    #expect(RangeDetection.proposes(facts(digits: 2, members: 12, heat: 30)))
    #expect(!RangeDetection.proposes(facts(digits: 2, members: 11, heat: 30)))
  }

  @Test func `a range pattern parses and prints the same block`() {
    let ten = NumberRange(around: 33_162_000_248, digits: 1)
    #expect(ten.text == "+3316200024x")
    #expect(ten.numbers == 33_162_000_240...33_162_000_249)
    #expect(NumberRange("+33 162 00 024x") == ten)
    #expect(NumberRange("331620002xx") == NumberRange(around: 33_162_000_299, digits: 2))
    for text in ["", "+", "xx", "+33", "+33xxx", "+3x3x", "+33a4x", "+123456789012345x"] {
      #expect(NumberRange(text) == nil, "\(text)")
    }
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
