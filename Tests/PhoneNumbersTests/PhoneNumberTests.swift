// SPDX-License-Identifier: Apache-2.0

import Foundation
import PhoneNumbers
import Testing

@Suite struct PhoneNumberTests {
  @Test(
    arguments: [
      ("01 99 00 02 48", "FR", 33_199_000_248), ("+33199000248", nil, 33_199_000_248),
      ("0033 1 99 00 02 48", "FR", 33_199_000_248), ("0033 1 99 00 02 48", "DE", 33_199_000_248),
      ("011 33 1 99 00 02 48", "US", 33_199_000_248), ("+33 (0)1 99 00 02 48", nil, 33_199_000_248),
      ("(650) 253-0000", "us", 16_502_530_000), ("1-650-253-0000", "US", 16_502_530_000),
      ("650.253.0000 x123", "US", 16_502_530_000), ("650-253-0000 ext. 4", "US", 16_502_530_000),
      ("6502530000#1", "US", 16_502_530_000), ("?6502530000?", "US", 16_502_530_000),
      ("tel:+1-650-253-0000;ext=7", nil, 16_502_530_000), ("1-800-FLOWERS", "US", 18_003_569_377),
      (
        "\u{FF0B}\u{FF11}\u{FF16}\u{FF15}\u{FF10}\u{FF12}\u{FF15}\u{FF13}\u{FF10}\u{FF10}\u{FF10}\u{FF10}", nil,
        16_502_530_000
      ),
      ("٠١٠٠١٢٣٤٥٦٧", "EG", 201_001_234_567), ("\u{00A0}+1 650\u{2011}253\u{2011}0000\u{200B}", nil, 16_502_530_000),
      ("+39 06 698 12345", nil, 390_669_812_345), ("06 698 12345", "IT", 390_669_812_345),
      ("+800 1234 5678", nil, 80_012_345_678), ("+1 650 253 0000", "FR", 16_502_530_000),
    ] as [(String, String?, Int64)])
  func `parses a valid number`(_ text: String, _ region: String?, _ digits: Int64) {
    #expect((try? reading(text, region).get())?.digits == digits, "\(reading(text, region))")
  }

  @Test(
    arguments: [
      ("", "US", .empty), (" \t\n\u{3000}", nil, .empty),
      ("Dontremember", "US", .notANumber), ("press1online", "US", .notANumber), ("+", nil, .notANumber),
      ("🤙", "US", .notANumber),
      ("5", "US", .tooShort), ("2530000", "US", .tooShort), ("+33 1", nil, .tooShort),
      ("2121359260015482140", "US", .tooLong), ("65025300001", "US", .tooLong),
      ("0000000000000000", "US", .tooLong), ("2002620000", "US", .notValid(region: "US")),
      ("+44 7", nil, .tooShort), ("+44 1111 111111", nil, .notValid(region: "GB")),
      ("911", "US", .shortOrEmergency(region: "US")), ("112", "FR", .shortOrEmergency(region: "FR")),
      ("9 1 1", "US", .shortOrEmergency(region: "US")), ("110", "DE", .shortOrEmergency(region: "DE")),
      ("118 218", "FR", .shortOrEmergency(region: "FR")), ("999", "GB", .shortOrEmergency(region: "GB")),
      ("6502530000", "XX", .unknownRegion("XX")), ("+16502530000", "UK", .unknownRegion("UK")),
      ("+16502530000", "", .unknownRegion("")), ("+16502530000", "001", .unknownRegion("001")),
      ("+16502530000", "É", .unknownRegion("É")),
      ("6502530000", nil, .needsRegion),
      ("+999 123 456 789", nil, .unknownCallingCode), ("+210 1234567", "US", .unknownCallingCode),
    ] as [(String, String?, PhoneNumberError)])
  func `refuses an invalid number with the reason`(_ text: String, _ region: String?, _ error: PhoneNumberError) {
    #expect(reading(text, region) == .failure(error))
  }

  /// Not arguments, because arguments are printed: these are too long for a log or not printable.
  @Test func `refuses texts that are too long or not printable`() {
    #expect(reading(String(repeating: "1", count: 251), "US") == .failure(.tooLong))
    #expect(reading(String(repeating: " ", count: 1_000_000), "US") == .failure(.tooLong))
    #expect(reading("650253\u{0}0000", "US") == .failure(.notANumber))
    #expect(reading("\u{0}", nil) == .failure(.notANumber))
    #expect(reading("+16502530000", "U\u{0}") == .failure(.unknownRegion("U\u{0}")))
  }

  @Test func `a number has 1 to 15 digits`() {
    #expect(PhoneNumber(digits: 0) == nil)
    #expect(PhoneNumber(digits: -1) == nil)
    #expect(PhoneNumber(digits: .min) == nil)
    #expect(PhoneNumber(digits: 1_000_000_000_000_000) == nil)
    #expect(PhoneNumber(digits: 999_999_999_999_999)?.e164 == "+999999999999999")
    #expect(PhoneNumber(digits: 1)?.formatted(.international) == "+1")
    #expect(PhoneNumber(digits: 1)?.kind == .unknown)
    #expect(PhoneNumber(digits: 1)?.region == nil)
  }

  @Test func `leading zeros of Italian numbers are kept`() throws {
    let number = try PhoneNumber(parsing: "+39 06 698 12345", region: nil)
    #expect(number.region == "VA")
    #expect(number.formatted(.international) == "+39 06 6981 2345")
    #expect(number.formatted(.national) == "06 6981 2345")
    #expect(PhoneNumber(digits: 390_012_345)?.formatted(.international).filter(\.isNumber) == "390012345")
  }

  @Test func `a number has a region and a kind`() throws {
    #expect(try PhoneNumber(parsing: "+800 1234 5678", region: nil).region == nil)
    #expect(try PhoneNumber(parsing: "+800 1234 5678", region: nil).kind == .tollFree)
    #expect(try PhoneNumber(parsing: "+33612345678", region: nil).kind == .mobile)
    #expect(try PhoneNumber(parsing: "+16502530000", region: nil).kind == .fixedLineOrMobile)
    #expect(try PhoneNumber(parsing: "+12042345678", region: nil).region == "CA")
  }

  @Test func `the JSON form is the E.164 string`() throws {
    let number = try #require(PhoneNumber(digits: 33_199_000_248))
    #expect(String(decoding: try JSONEncoder().encode([number]), as: UTF8.self) == #"["+33199000248"]"#)
    #expect(try JSONDecoder().decode([PhoneNumber].self, from: Data(#"["+33199000248"]"#.utf8)) == [number])
    for bad in ["33199000248", "+", "+0331", "+1 650", "+1234567890123456", "+١", "+-1", ""] {
      #expect(throws: DecodingError.self) {
        try JSONDecoder().decode([PhoneNumber].self, from: try JSONEncoder().encode([bad]))
      }
    }
  }

  @Test func `numbers sort by their digits`() {
    let digits: [Int64] = [33_199_000_248, 1_650, 999, 16_502_530_000]
    #expect(digits.compactMap(PhoneNumber.init(digits:)).sorted().map(\.digits) == digits.sorted())
  }
}
