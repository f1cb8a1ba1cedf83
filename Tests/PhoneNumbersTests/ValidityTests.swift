import PhoneNumbers
import TestData
import Testing

/// The table of valid numbers, against the regular expressions that it was made of.
@Suite struct ValidityTests {
  private func differing(_ numbers: some Sequence<Int64>) -> [Int64] {
    numbers.filter { digits in
      PhoneNumber(digits: digits).map { $0.isValid != $0.isValidByLibrary } ?? false
    }
  }

  @Test(arguments: 0..<4 as Range<UInt64>) func randomDigitsAreJudgedAlike(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var valid = 0
    let differing = differing(
      (0..<250_000).lazy.map { index in
        // Half of them in the plan of the most numbers, of all lengths the others.
        let digits =
          index % 2 == 0
          ? 10_000_000_000 + Int64(random.next() % 10_000_000_000)
          : Int64(random.next() % UInt64(pow10(Int(random.next() % 9) + 7)))
        if PhoneNumber(digits: digits)?.isValid == true { valid += 1 }
        return digits
      })
    #expect(differing == [])
    #expect(valid > 10_000)
  }

  /// Every type's example of every region, and what is one digit away from it.
  @Test(.enabled(if: SharedData.has(ExampleNumber.path))) func numbersNearTheExamplesAreJudgedAlike() throws {
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

  /// Every number of a block of ten million differs from its neighbours in the last four digits only: one of each ten
  /// thousand, for all of North America.
  @Test func northAmericaIsJudgedAlike() {
    let numbers = (0..<1_000_000 as Range<Int64>).lazy.map { block -> Int64 in
      10_000_000_000 + block * 10_000 + block % 9_973
    }
    #expect(differing(numbers) == [])
  }

  @Test(.enabled(if: SharedData.has(RawSample.path))) func realNumbersAreJudgedAlike() throws {
    let numbers = try RawSample.rows().compactMap { row in row.digits ?? Int64(row.raw.filter(\.isNumber)) }
    #expect(numbers.count > 15_000)
    #expect(differing(numbers) == [])
  }

  private func pow10(_ exponent: Int) -> Int64 { (0..<exponent).reduce(1) { value, _ in value * 10 } }
}
