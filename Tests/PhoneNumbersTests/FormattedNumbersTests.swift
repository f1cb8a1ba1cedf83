// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import PhoneNumbers

@Suite struct FormattedNumbersTests {
  @Test func `the cache of formatted numbers is bounded and correct`() {
    let numbers = FormattedNumbers()
    for round in 0..<3 as Range<Int64> {
      for digits in 0..<20_000 as Range<Int64> {
        #expect(numbers.text(of: digits + round * 7_000) { "\(digits + round * 7_000)" } == "\(digits + round * 7_000)")
      }
      #expect(numbers.count <= 2 * FormattedNumbers.most)
    }
    #expect(numbers.text(of: 33_999) { "made again" } == "33999")
  }

  @Test func `cached formats of both styles stay separate`() throws {
    let number = try #require(PhoneNumber(digits: 33_199_000_248))
    for _ in 1...2 {
      #expect(number.formatted(.international) == "+33 1 99 00 02 48")
      #expect(number.formatted(.national) == "01 99 00 02 48")
    }
  }
}
