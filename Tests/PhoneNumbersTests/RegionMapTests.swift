// SPDX-License-Identifier: Apache-2.0

import PhoneNumbers
import TestData
import Testing

@Suite struct RegionMapTests {
  @Test func `the longest prefix decides the region`() throws {
    let map = try RegionMap(prefixes: [(1, "A"), (12, "B"), (1203, "C"), (12039, "A"), (7, "D")])
    #expect(map.regions == ["A", "B", "C", "D"])
    for (number, region) in [
      (1, "A"), (13, "A"), (12, "B"), (1202, "B"), (1203, "C"), (120_399, "A"), (120_389, "C"),
      (120_400_000_000_000, "B"), (199_999_999_999_999, "A"), (7_999, "D"),
    ] as [(Int64, String)] {
      #expect(map.region(of: number) == region, "\(number)")
    }
    for number: Int64 in [0, -1, 2, 6, 8, 9, 1_000_000_000_000_000, .max, .min] {
      #expect(map.region(of: number) == nil)
    }
  }

  @Test func `invalid prefixes are refused and named`() {
    #expect(throws: RegionMap.Failure.duplicate(prefix: 44, first: "A", second: "B")) {
      try RegionMap(prefixes: [(44, "A"), (44, "B")])
    }
    #expect(throws: RegionMap.Failure.badPrefix(0)) { try RegionMap(prefixes: [(0, "A")]) }
    #expect(throws: RegionMap.Failure.badPrefix(.max)) { try RegionMap(prefixes: [(.max, "A")]) }
  }

  @Test func `an empty map has no region`() throws {
    #expect(try RegionMap(prefixes: []).region(of: 33_199_000_248) == nil)
  }

  /// Compares random prefixes, nested and separate, with checking every prefix of a number.
  @Test(arguments: 0..<40) func `random prefixes agree with a check of every prefix`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var prefixes: [Int64: String] = [:]
    for _ in 0..<Int.random(in: 0...60, using: &random) {
      let digits = Int.random(in: 1...5, using: &random)
      // Few distinct digits, so that prefixes overlap.
      let text = (0..<digits).map { _ in String(Int.random(in: 1...3, using: &random)) }.joined()
      prefixes[try #require(Int64(text))] = ["A", "B", "C", "D"].randomElement(using: &random)
    }
    let map = try RegionMap(prefixes: prefixes.map { ($0.key, $0.value) })
    for _ in 0..<500 {
      let digits = Int.random(in: 1...15, using: &random)
      let text = (0..<digits).map { _ in String(Int.random(in: 1...4, using: &random)) }.joined()
      var longest = Int64(text)
      while let prefix = longest, prefix > 0, prefixes[prefix] == nil { longest = prefix / 10 }
      #expect(map.region(of: try #require(Int64(text))) == longest.flatMap { prefixes[$0] }, "\(text)")
    }
  }

  @Test(.enabled(if: SharedData.has(ExampleNumber.path)))
  func `the examples lie in their countries`() throws {
    var seen = 0
    for row in try ExampleNumber.rows() {
      guard let number = PhoneNumber(digits: row.digits), number.isValid else { continue }
      // Canada's 310-xxxx.
      if row.digits < 20_000_000, row.region == "CA" { continue }
      #expect(RegionMap.countries.region(of: row.digits) == number.region, "\(row.name)")
      seen += 1
    }
    #expect(seen > 1_000)
  }

  /// Replaces the last four digits of every country's examples by random ones, and appends random digits to the map's
  /// prefixes.
  @Test(.enabled(if: SharedData.has(ExampleNumber.path)))
  func `random valid numbers lie in their countries`() throws {
    var random = SeededGenerator(seed: 7)
    var valid = 0
    var candidates: [Int64] = []
    for row in try ExampleNumber.rows() where row.isValid {
      for _ in 0..<24 { candidates.append(row.digits / 10_000 * 10_000 + Int64.random(in: 0..<10_000, using: &random)) }
    }
    for (prefix, _) in RegionMap.countryPrefixList where prefix > 1_000 {
      for digits in 8...12 {
        var number = prefix
        while String(number).count < digits { number = number * 10 + Int64.random(in: 0...9, using: &random) }
        candidates.append(number)
      }
    }
    for digits in candidates {
      guard let number = PhoneNumber(digits: digits), number.isValid, digits > 20_000_000 else { continue }
      valid += 1
      #expect(RegionMap.countries.region(of: digits) == number.region, "\(digits)")
    }
    #expect(valid > 20_000)
  }
}
