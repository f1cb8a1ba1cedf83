// SPDX-License-Identifier: Apache-2.0

/// The forms in which a text may hold a telephone number, with what every door must make of them.
///
/// The numbers are fictional; the forms are in public reports and lists.
public struct NumberForm: Sendable, CustomStringConvertible {
  /// The result of reading a text as one number.
  public enum Result: Sendable, Equatable {
    /// E.164 digits.
    case number(Int64)
    /// A clear mask, such as `+493023125xxx`, which is a range where ranges are accepted.
    case mask(String)
    /// The code of the refusal.
    case refused(String)
  }

  /// The text.
  public let text: String
  /// ISO 3166 code; nil for none.
  public let region: String?
  /// The result.
  public let result: Result

  init(_ text: String, _ region: String?, _ result: Result) {
    (self.text, self.region, self.result) = (text, region, result)
  }

  /// Escaped, because test runs print it.
  public var description: String { "\(text.debugDescription) in \(region ?? "no region")" }

  /// Forms of one number.
  public static let numbers: [NumberForm] = [
    number(493_023_125_123, "DE", ["030 23125123", "030/23125123", "030 / 23125123", "030 23125-123", "03023125123"]),
    number(
      493_023_125_123, "DE", ["3023125123", "493023125123", "49 30 23125123", "49(0)3023125123", "(49) 30 23125123"]),
    number(
      493_023_125_123, "DE", ["+49 (0)30 23125123", "+49 030/23125123", "+ 49 30 23125123", "+49 (0) 30 / 23 125 123"]),
    number(493_023_125_123, "DE", ["0049 30 23125123", "0049 (0) 30 23125-123", "00493023125123"]),
    number(493_023_125_123, "FR", ["00493023125123"]),
    number(493_023_125_123, "US", ["0049 30 23125123", "011493023125123"]),
    number(493_023_125_123, nil, ["0049 30 23125123", "+49 30 23125123", "+493023125123"]),
    // Digits that begin with the region's own calling code.
    number(491_713_920_001, "DE", ["491713920001", "491 713920001", "00491713920001", "0171 3920001", "0171/3920001"]),
    number(442_079_460_123, "GB", ["442079460123", "020/7946 0123"]), number(33_199_000_123, "FR", ["33199000123"]),
    number(33_199_000_123, "FR", ["199000123", "01/99.00.01.23"]), number(12_015_550_123, "US", ["12015550123"]),
    number(61_255_501_234, "AU", ["61255501234"]),
    // Addresses of telephones.
    number(493_023_125_123, "DE", ["tel:+49-30-23125123", "tel:030-23125123", "sip:+493023125123@192.0.2.1"]),
    number(493_023_125_123, "DE", ["<sip:493023125123@192.0.2.1>;tag=x", "sips:+493023125123@example.com;user=phone"]),
    number(493_023_125_123, "US", ["tel:030-23125-123;phone-context=+49", "tel:+49-30-23125123;ext=12"]),
    number(12_015_550_123, "US", ["\"2015550100\" <sip:12015550123@192.0.2.1>;tag=x", "tel:+1-201-555-0123,1234"]),
    number(12_015_550_123, "US", ["sip:+12015550123;npdi;rn=+12015550199@192.0.2.1"]),
    // Marks of direction, spaces and digits of other scripts.
    number(
      493_023_125_123, "DE", ["\u{202A}+49 30 23125123\u{202C}", "+49 30 23125\u{202C}123", "\u{FEFF}03023125123"]),
    number(493_023_125_123, "DE", ["+49\u{A0}30\u{202F}23125\u{2011}123", "+49\u{2009}30\u{2009}23125\u{2009}123"]),
    number(493_023_125_123, "DE", ["４９３０２３１２５１２３", "\u{1F}03023125123", "\t+493023125123", " +493023125123 "]),
    number(12_015_550_123, "US", ["?2015550123?", "\u{200E}12015550123"]),
    // Spreadsheets.
    number(493_023_125_123, "DE", ["'493023125123", "'+493023125123", "=\"493023125123\"", "=+493023125123"]),
    number(
      493_023_125_123, "DE", ["493023125123.0", "3023125123.0", "3023125123,0", "03023125123.0", "493023125123.00"]),
    number(12_015_550_123, "US", ["2015550123.0"]), number(493_023_125_123, "DE", ["493,023,125,123"]),
    // Extensions.
    number(12_015_550_123, "US", ["+1 201 555 0123 x12", "+12015550123x136", "+12015550123 ext. 136"]),
    number(12_015_550_123, "US", ["2015550123#1", "(201) 555-0123 # 1234", "+12015550123;ext=136"]),
  ].flatMap(\.self)

  /// Letters of a keypad.
  public static let vanityNumbers: [NumberForm] = [
    number(18_003_569_377, "US", ["1-800-FLOWERS", "1800FLOWERS", "1 800 FLOWERS", "1-800-flowers"]),
    number(12_015_550_123, "US", ["201-JKL-0123"]),
  ].flatMap(\.self)

  /// Digits without a prefix that can only be international.
  public static let plainNumbers: [NumberForm] = [
    number(
      493_023_125_123, nil, ["493023125123", "(49) 30 23125123", "tel:493023125123", "'493023125123", "493023125123.0"])
  ].flatMap(\.self)

  /// Ranges.
  public static let masks: [NumberForm] = [
    ("+49 30 23125 xxx", nil, "+493023125xxx"), ("+493023125XXX", nil, "+493023125xxx"),
    ("+4930231251xx", nil, "+4930231251xx"), ("+1 201 555 XXXX", nil, "+1201555xxxx"),
    ("+33 1 99 00 0x xx", nil, "+33199000xxx"), ("0033199000XXX", "DE", "+33199000xxx"),
    ("030 23125xxx", "DE", "+493023125xxx"), ("493023125xxx", "DE", "+493023125xxx"),
    ("030 23125-1xx", "DE", "+4930231251xx"), ("+33199000###", "FR", "+33199000xxx"),
    ("+33 1 99 00 ## ##", "FR", "+3319900xxxx"), ("03023125*", "DE", "+493023125*"), ("+1201555*", nil, "+1201555*"),
    ("030-23125-*", "DE", "+493023125*"), ("+33 1 99 00 0х хх", nil, "+33199000xxx"),
    ("201-55X-XXXX", "US", "+120155xxxxx"),
  ].map { NumberForm($0, $1, .mask($2)) }

  /// Texts that are no number.
  public static let refusals: [NumberForm] = [
    refused(
      "not_a_number", "DE",
      [
        "28.11.2026", "2026-11-28", "30.12.2025 13:04", "Stand 28.11.2026", "Version 2026-11-28",
        "28/11/2026",
      ]),
    refused(
      "not_a_number", "US", ["1201 entries", "1800 numbers", "1 800 records", "List of 800 numbers", "1212 callers"]),
    refused("not_a_number", "US", ["201 PRIVATE", "800-Unknown", "201 BLOCKED", "201-555-ABCD", "201-555-NULL"]),
    refused("not_a_number", "FR", ["01 99 00 AB CD", "01 99 00 YY ZZ"]),
    refused(
      "not_a_number", "DE", ["ALLOW +493023125123", "not +493023125123", "Removed: +493023125123", "~ +493023125123"]),
    refused("placeholder", "DE", ["+49 30 23125(0-9)", "030 23125(00-99)", "+49 30 23125 ---", "+49 30 23125 - - -"]),
    refused("placeholder", "DE", ["+49 30 23125 ( )"]),
    refused(
      "placeholder", "DE", ["+49302312512?", "+4930231251__", "+49 30 23125...", "+49 30 23125…", "0171392000?"]),
    refused(
      "placeholder", "DE", ["+493023125nnn", "+49 30 23x25123", "+49 30 231251x3", "+493023125123x12", "03023125123#"]),
    refused(
      "placeholder", "DE", ["+4930 23125-X", "+491713920xyz", "**600", "*31#03023125123", "0171(3920005..3920017)"]),
    refused(
      "placeholder", "US",
      ["+1-201-555-AAAA", "201-5XX-0123", "xxx-xxx-0123", "_1201555XXXX", "1201555.*", "+1201555%", "#2015550123"]),
    refused("placeholder", "FR", ["+33 1 9X XX XX 83", "+3319900*****"]),
    refused(
      "not_a_number", "US",
      ["1201555$", "1201555xx+", "-12015550123", "-1201555xxxx", "!12015550123", "<=1>2015550123"]),
    refused("not_a_number", "US", ["+(201) 555-0123", "sip:user@proxy.sip.com", "sip:192.0.2.1"]),
    refused(
      "not_a_number", "DE", ["+49 30 23125[0-9][0-9]", "030 23125123 (Axel)", "+49 30 23125 Bob", "+4930231d25123"]),
    refused("not_a_number", "DE", ["// +493023125123", "; +493023125123", "-- +493023125123", "REM +493023125123"]),
    refused("not_a_number", "FR", ["33199005ba521"]),
    refused("several_numbers", "DE", ["030/23125135 oder 0171/3920005", "030 23125136 / 137", "030 23125136-138"]),
    refused(
      "several_numbers", "DE",
      ["+493023125123|+493023125124", "+493023125128;+493023125129", "030 23125123 & 030 23125124"]),
    refused(
      "several_numbers", "DE",
      ["+49 30 23125123 ::: +49 30 23125124", "030 23125123  030 23125124", "+493023125123\n+493023125124"]),
    refused("several_numbers", "DE", ["+493023125123+493023125124", "+49 30 23125123 or 23125124"]),
    refused(
      "several_numbers", "FR", ["+33199000123/24", "01 99 00 01 23 ou 01 99 00 01 24", "0199000123, 0199000124"]),
    refused("several_numbers", "DE", ["+493023125138 1", "03023125138 24"]),
    refused("unknown_calling_code", "US", ["+201-555-0128", "+201 555-0128", "+201.555.0128"]),
    refused("unknown_calling_code", "DE", ["+201-555-0128", "+201 555 0128"]),
    refused("needs_region", nil, ["201-555-0128", "2015550128", "(201) 555-0128"]),
    refused("decimal", "DE", ["3.023125126E9", "3,023125127E+09", "4,93023E+11", "493023125123.25", "123456e0"]),
    refused("short_or_emergency", "DE", ["112", "tel:112"]),
  ].flatMap(\.self)

  /// All forms of texts with a region, or without one where none is needed.
  public static var all: [NumberForm] { numbers + vanityNumbers + masks + refusals }

  private static func number(_ digits: Int64, _ region: String?, _ texts: [String]) -> [NumberForm] {
    texts.map { NumberForm($0, region, .number(digits)) }
  }

  private static func refused(_ code: String, _ region: String?, _ texts: [String]) -> [NumberForm] {
    texts.map { NumberForm($0, region, .refused(code)) }
  }
}
