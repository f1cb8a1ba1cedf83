// SPDX-License-Identifier: Apache-2.0

extension PhoneNumber: Codable {
  /// Reads the E.164 form: a string of a plus, a digit 1…9 and up to 14 more digits.
  ///
  /// No other form is accepted and no numbering plan is checked; for typed text use ``init(parsing:region:)``.
  /// - Throws: `DecodingError.dataCorrupted` for any other string.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    guard let number = PhoneNumber(e164: text) else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "a plus and one to fifteen digits expected")
    }
    self = number
  }

  /// Writes the E.164 form as a string, such as `"+33162000248"`.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(e164)
  }

  /// The strict E.164 form only, `+` and one to fifteen ASCII digits of which the first is not zero; nil otherwise.
  public init?(e164 text: String) {
    let bytes = text.utf8
    guard bytes.count >= 2, bytes.count <= 16, bytes.first == UInt8(ascii: "+") else { return nil }
    var digits: Int64 = 0
    for byte in bytes.dropFirst() {
      guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
      digits = digits * 10 + Int64(byte - UInt8(ascii: "0"))
      if digits == 0 { return nil }
    }
    self.init(digits: digits)
  }
}
