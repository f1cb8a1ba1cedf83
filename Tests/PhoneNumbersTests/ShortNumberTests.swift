// SPDX-License-Identifier: Apache-2.0

import PhoneNumbers
import Testing

@Suite struct ShortNumberTests {
  @Test func `emergency and short numbers are recognized by their digits`() {
    #expect(ShortNumber(digits: 49_112) == .emergency)
    #expect(ShortNumber(digits: 1_911) == .emergency)
    #expect(ShortNumber(digits: 33_118_000) == .short)
  }

  @Test(arguments: [Int64(33_199_000_248), 12_015_550_123, 4_532_123_456, 0, -1, 999_999_999_999_999])
  func `an ordinary number is not a short number`(_ digits: Int64) {
    #expect(ShortNumber(digits: digits) == nil)
  }
}
