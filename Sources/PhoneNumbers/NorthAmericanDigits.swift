/// The written forms under calling code 1 whose reading by libphonenumber is certain beforehand.
///
/// `+1` and ten digits from anywhere; ten digits, or `1` and ten digits, dialled in a region of calling code 1. The
/// ten begin with 2…9. libphonenumber finds no extension in bare digits; 011, the plan's international prefix, does
/// not begin them; the plan's national prefix is 1, and its regions' rules for local numbers want seven digits. So the
/// national number is the ten digits as they stand, and only their validity is left to ask.
enum NorthAmericanDigits {
  /// E.164 digits, 1 and the ten; nil for any other text.
  static func read(_ text: UnsafeBufferPointer<UInt8>, dialledThere: Bool) -> Int64? {
    let national: Slice<UnsafeBufferPointer<UInt8>>
    switch text.count {
    case 10 where dialledThere:
      national = text[...]
    case 11 where dialledThere && text[0] == UInt8(ascii: "1"):
      national = text.dropFirst()
    case 12 where text[0] == UInt8(ascii: "+") && text[1] == UInt8(ascii: "1"):
      national = text.dropFirst(2)
    default:
      return nil
    }
    guard let first = national.first, UInt8(ascii: "2")...UInt8(ascii: "9") ~= first else { return nil }
    var digits: Int64 = 1
    for byte in national {
      guard UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte else { return nil }
      digits = digits * 10 + Int64(byte - UInt8(ascii: "0"))
    }
    return digits
  }
}
