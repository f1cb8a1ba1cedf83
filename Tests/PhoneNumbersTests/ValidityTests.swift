// SPDX-License-Identifier: Apache-2.0

import PhoneNumbers
import TestData
import Testing

/// Compares the table of valid numbers with the regular expressions from which it was generated.
@Suite struct ValidityTests {
  private func differing(_ numbers: some Sequence<Int64>) -> [Int64] {
    numbers.filter { digits in
      PhoneNumber(digits: digits).map { $0.isValid != $0.isValidByLibrary } ?? false
    }
  }

  @Test(arguments: 0..<4 as Range<UInt64>) func `validity of random digits agrees with libphonenumber`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var valid = 0
    let differing = differing(
      (0..<60_000).lazy.map { index in
        // Half of them are in the plan with the most numbers, the others have all lengths.
        let digits =
          index % 2 == 0
          ? 10_000_000_000 + Int64(random.next() % 10_000_000_000)
          : Int64(random.next() % UInt64(pow10(Int(random.next() % 9) + 7)))
        if PhoneNumber(digits: digits)?.isValid == true { valid += 1 }
        return digits
      })
    #expect(differing == [])
    #expect(valid > 2_500)
  }

  /// The example of every type and region, and all numbers that differ from it in one digit.
  @Test(.enabled(if: SharedData.has(ExampleNumber.path)))
  func `validity of numbers near the examples agrees with libphonenumber`() throws {
    var numbers: [Int64] = []
    for text in try ExampleNumber.rows().map(\.digits) {
      let digits = Array(String(text).utf8)
      numbers.append(text)
      numbers += [text / 10, text * 10 + 7]
      for place in digits.indices {
        for digit in UInt8(ascii: "0")...UInt8(ascii: "9") {
          var near = digits
          near[place] = digit
          if let number = Int64(String(decoding: near, as: UTF8.self)) { numbers.append(number) }
        }
      }
    }
    #expect(numbers.count > 10_000)
    #expect(differing(numbers) == [])
  }

  /// Neighbors within a block of 10,000 share their prefix, so at most one number of each block is checked: of every fifth
  /// one in North America.
  @Test func `validity in North America agrees with libphonenumber`() {
    let numbers = (0..<200_000 as Range<Int64>).lazy.map { block -> Int64 in
      10_000_000_000 + block * 50_000 + block % 49_999
    }
    #expect(differing(numbers) == [])
  }

  @Test(.enabled(if: SharedData.has(RawSample.path))) func `validity of real numbers agrees with libphonenumber`()
    throws
  {
    let numbers = try RawSample.rows().compactMap { row in row.digits ?? Int64(row.raw.filter(\.isNumber)) }
    #expect(numbers.count > 15_000)
    #expect(differing(numbers) == [])
  }

  private func pow10(_ exponent: Int) -> Int64 { (0..<exponent).reduce(1) { value, _ in value * 10 } }
}
