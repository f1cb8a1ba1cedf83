// SPDX-License-Identifier: Apache-2.0

import PhoneNumbers
import Testing

/// A parser gives the results of `PhoneNumber`, on the first and on later calls.
@Suite struct PhoneNumberParserTests {
  @Test(.enabled(if: SharedData.has(RawSample.path)), arguments: ["", "+", "+1", "1", "0", "011", "(", "\u{FF0B}"])
  func `a parser reads as PhoneNumber does`(prefix: String) throws {
    var parser = PhoneNumberParser()
    for (place, row) in try RawSample.rows().enumerated() where place % 5 == 0 {
      let (text, region) = (prefix + row.raw, ["US", "FR", nil, "XX"][place / 5 % 4])
      #expect(reading(text, region, by: &parser) == reading(text, region), "\(text) in \(region ?? "no region")")
    }
  }

  /// Swift treats these strings as equal.
  @Test func `canonically equivalent texts are read alike`() {
    let texts = [";", "\u{37E}"].map { "tel:6502530000\($0)ext=3" }
    #expect(texts[0] == texts[1] && reading(texts[0], "US") == reading(texts[1], "US"))
  }

  @Test func `a wrong region leaves the parser usable`() {
    var parser = PhoneNumberParser()
    #expect(reading("6502530000", "US", by: &parser) == reading("6502530000", "US"))
    #expect(reading("6502530000", "XX", by: &parser) == .failure(.unknownRegion("XX")))
    #expect(reading("6502530000", nil, by: &parser) == .failure(.needsRegion))
    #expect(reading("6502530000", "US", by: &parser) == reading("6502530000", "US"))
  }

  /// 555-0123 is fictional in every area code, those that are not assigned too.
  @Test func `a number that is not in the plan is possible if its length is`() throws {
    let known = try PhoneNumber.parsePossible("212 555 0123", region: "US")
    #expect(known.isAssigned && known.number.digits == 12_125_550_123)
    let unknown = try PhoneNumber.parsePossible("+1 212 155 0123", region: nil)
    #expect(!unknown.isAssigned && unknown.number.digits == 12_121_550_123 && !unknown.number.isValid)
    #expect(throws: PhoneNumberError.notValid(region: "US")) {
      try PhoneNumber(parsing: "+1 212 155 0123", region: nil)
    }
    for (text, error) in [
      ("555 0123", PhoneNumberError.tooShort), ("212 555 01234", .tooLong), ("911", .shortOrEmergency(region: "US")),
    ] {
      #expect(throws: error) { try PhoneNumber.parsePossible(text, region: "US") }
    }
  }
}
