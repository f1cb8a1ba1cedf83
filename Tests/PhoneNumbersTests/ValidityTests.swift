// SPDX-License-Identifier: Apache-2.0

import PhoneNumbers
import Testing

/// Tests/Numbers compares validity with another program; here is what follows from the tables themselves.
@Suite struct ValidityTests {
  @Test(.enabled(if: SharedData.has(ExampleNumber.path)))
  func `the lengths of a prefix are those of its numbers`() throws {
    for row in try ExampleNumber.rows() where row.isValid {
      let digits = "\(row.digits)"
      for count in 1...digits.count {
        let prefix = try #require(Int64(digits.prefix(count)))
        guard NumberingPlan.callingCode(of: prefix) != nil else { continue }
        #expect(NumberingPlan.lengths(of: prefix).contains(digits.count), "\(row.name)")
      }
    }
  }

  @Test func `lengths are those of a plan`() {
    #expect(NumberingPlan.lengths(of: 1_212) == [11])
    #expect(NumberingPlan.lengths(of: 33) == [11])
    #expect(NumberingPlan.lengths(of: 999) == [])
    #expect(NumberingPlan.lengths(of: 0) == [])
  }

  @Test func `digits begin with one calling code`() {
    for (digits, code) in [(33_199_000_248, 33), (12_125_550_123, 1), (80_012_345_678, 800), (42, nil), (999_123, nil)]
      as [(Int64, Int64?)]
    {
      #expect(NumberingPlan.callingCode(of: digits) == code)
    }
  }

  @Test func `the first short number of a block is found`() {
    #expect(NumberingPlan.shortNumber(in: 49_100...49_199) == 49_110)
    #expect(NumberingPlan.shortNumber(in: 33_199_000_000...33_199_000_999) == nil)
  }
}
