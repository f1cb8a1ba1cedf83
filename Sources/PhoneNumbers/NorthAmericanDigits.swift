// SPDX-License-Identifier: Apache-2.0

/// The written forms under calling code 1 whose parsing by libphonenumber is known in advance.
///
/// `+1` and ten digits from anywhere; ten digits, or `1` and ten digits, dialed in a region of calling code 1; the ten
/// without separators or as 3-3-4 with one space, hyphen or dot between the parts, the first part with or without
/// parentheses. The ten begin with 2…9. libphonenumber removes this punctuation before parsing and finds no extension
/// in it; the digits do not begin with 011, the plan's international prefix; the plan's national prefix is 1, and its
/// regions' rules for local numbers require seven digits. So the national number is exactly the ten digits, and only
/// their validity must be checked.
enum NorthAmericanDigits {
  /// `+1 (212) 555-0123`
  private static let longest = 17

  /// The E.164 digits, 1 and the ten; nil for any other text.
  static func read(_ text: UnsafeBufferPointer<UInt8>, dialledThere: Bool) -> Int64? {
    guard (10...longest).contains(text.count) else { return nil }
    var rest = Rest(bytes: text, place: 0)
    if rest.skip("+") {
      guard rest.skip("1") else { return nil }
      _ = rest.skipSeparator()
    } else {
      guard dialledThere else { return nil }
      if rest.skip("1") { _ = rest.skipSeparator() }
    }
    var number: Int64 = 1
    let isBracketed = rest.skip("(")
    guard let first = rest.next, UInt8(ascii: "2")...UInt8(ascii: "9") ~= first else { return nil }
    guard rest.read(3, into: &number), !isBracketed || rest.skip(")") else { return nil }
    _ = rest.skipSeparator()
    guard rest.read(3, into: &number) else { return nil }
    _ = rest.skipSeparator()
    guard rest.read(4, into: &number), rest.next == nil else { return nil }
    return number
  }

  /// The unread rest of the text.
  private struct Rest {
    let bytes: UnsafeBufferPointer<UInt8>
    var place: Int

    var next: UInt8? { place < bytes.count ? bytes[place] : nil }

    mutating func skip(_ character: Unicode.Scalar) -> Bool {
      guard next == UInt8(ascii: character) else { return false }
      place += 1
      return true
    }

    mutating func skipSeparator() -> Bool { skip(" ") || skip("-") || skip(".") }

    mutating func read(_ count: Int, into number: inout Int64) -> Bool {
      for _ in 0..<count {
        guard let byte = next, UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte else { return false }
        number = number * 10 + Int64(byte - UInt8(ascii: "0"))
        place += 1
      }
      return true
    }
  }
}
