// SPDX-License-Identifier: Apache-2.0

import Curation
import TestSupport
import Testing

@Suite struct ProtectedNumbersTests {
  private func rule(_ pattern: String, _ number: Int64) throws -> ProtectionReason? {
    ProtectedNumbers(patterns: [(try ProtectedPattern(pattern), "Bank")], numbers: []).rule(for: number)
  }

  @Test func `a pattern matches its own numbers only`() throws {
    #expect(try rule("+49 116-117", 49_116_117) == .protectedPattern(reason: "Bank", pattern: "+49116117"))
    #expect(try rule("+49116117", 491_161_170) == nil)
    #expect(try rule("+49116xxx", 49_116_000) != nil)
    #expect(try rule("+49116xxx", 49_116_999) != nil)
    #expect(try rule("+49116xxx", 49_117_000) == nil)
    #expect(try rule("+49116xxx", 4_911_600) == nil)
    #expect(try rule("+4930197*", 4_930_197) != nil)
    #expect(try rule("+4930197*", 493_019_712_345_678) != nil)
    #expect(try rule("+4930197*", 493_019_8) == nil)
    #expect(try rule("+4930x1X7", 49_302_157) != nil)
    #expect(try rule("+4930x1x7", 49_302_257) == nil)
    #expect(try rule("+4930x12*", 4_930_512_999) != nil)
  }

  @Test(arguments: [
    ("", ProtectedPatternError.tooWide), ("+49*", .tooWide), ("+4x30111", .tooWide), ("0049301", .tooWide),
    ("+49*30", .starWithin), ("+4930a", .unexpected), ("+1234567890123456", .tooLong),
    ("+4930x1x2x3", .tooManyWildcards), (String(repeating: "4", count: 65), .tooLong),
  ]) func `an invalid pattern is refused with the reason`(_ text: String, _ error: ProtectedPatternError) {
    #expect(throws: error) { try ProtectedPattern(text) }
  }

  @Test func `overlapping patterns and numbers match like a linear search`() throws {
    var generator = SeededGenerator(seed: 7)
    for _ in 0..<40 {
      let texts = (0..<12).map { _ -> String in
        let head = "+4930" + String(Int.random(in: 0..<30, using: &generator))
        return head + ["", "x", "xx", "*", "x1", "x*"].randomElement(using: &generator)!
      }
      let numbers = (0..<20).map { _ in Int64.random(in: 49_300...4_930_299, using: &generator) }
      let protected = ProtectedNumbers(
        patterns: try texts.map { (try ProtectedPattern($0), "p") }, numbers: numbers.map { ($0, "n") })
      for number in (49_300...49_400).map(Int64.init) + numbers + (4_930_000...4_930_299).map(Int64.init) {
        let digits = Array(String(number))
        let isMeant =
          numbers.contains(number)
          || texts.contains { text in
            let isOpen = text.hasSuffix("*")
            let places = Array(text.dropFirst().prefix { $0 != "*" })
            return (isOpen ? digits.count >= places.count : digits.count == places.count)
              && zip(digits, places).allSatisfy { $1 == "x" || $0 == $1 }
          }
        #expect((protected.rule(for: number) != nil) == isMeant, "\(number) \(texts)")
      }
    }
  }

  @Test(arguments: [Int64.min, -1, 0, 1_000_000_000_000_000, .max])
  func `an impossible number is not protected`(_ number: Int64) throws {
    #expect(try rule("+49116117", number) == nil)
  }

  @Test func `other numbers are checked against the numbering plans`() {
    let protected = ProtectedNumbers(
      patterns: [], numbers: [(5, "five"), (3, "three"), (5, "again")],
      shortNumber: { $0 == 49_112 ? .shortNumber : nil })
    #expect(
      [3, 4, 5, 49_112].map(protected.rule)
        == [.protectedNumber(reason: "three"), nil, .protectedNumber(reason: "five"), .shortNumber])
    #expect(ProtectedNumbers.none.rule(for: 1) == nil)
  }
}
