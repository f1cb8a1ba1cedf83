// SPDX-License-Identifier: Apache-2.0

/// The current plans' answers about digits and the numbers that begin with them.
public enum NumberingPlan {
  /// The calling code that digits begin with; nil for an unknown or an incomplete one.
  public static func callingCode(of digits: Int64) -> Int64? {
    withDigits(digits) { NumberingPlans.current.callingCode($0).map { Int64($0.code.number) } } ?? nil
  }

  /// Whether digits are exactly a calling code.
  static func isCallingCode(_ digits: Substring) -> Bool { Int64(digits).map { callingCode(of: $0) == $0 } ?? false }

  /// The lengths of the valid numbers that begin with some digits, the calling code included; ascending, at most 15.
  public static func lengths(of prefix: Int64) -> [Int] {
    let lengths = lengthBits(of: prefix)
    return (1...15).filter { lengths >> UInt32($0) & 1 == 1 }
  }

  /// Bit n for a length of n digits.
  static func lengthBits(of prefix: Int64) -> UInt32 {
    withNational(prefix) { code, national in
      UInt32(code.lengths(after: national)) << UInt32(national.count + code.digits.count) & 0xFFFF
    } ?? 0
  }

  /// The first short or emergency number among numbers of one length; nil for none.
  public static func shortNumber(in numbers: ClosedRange<Int64>) -> Int64? {
    let longest =
      withNational(numbers.lowerBound) { code, national in national.count <= ShortNumber.maxDigits } ?? false
    guard longest else { return nil }
    return numbers.first { ShortNumber(digits: $0) != nil }
  }

  /// Calls a closure with digits, each 0…9; nil for digits that are no E.164.
  static func withDigits<Result>(
    _ digits: Int64, _ body: (UnsafeBufferPointer<UInt8>) -> Result
  ) -> Result? {
    guard PhoneNumber.digitsRange.contains(digits) else { return nil }
    return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 16) { buffer in
      var (rest, place) = (digits, buffer.count)
      while rest > 0 {
        place -= 1
        buffer[place] = UInt8(truncatingIfNeeded: rest % 10)
        rest /= 10
      }
      return body(UnsafeBufferPointer(rebasing: buffer[place...]))
    }
  }

  /// Calls a closure with the calling code of digits and those behind it, of which there may be none.
  static func withNational<Result>(
    _ digits: Int64, _ body: (CallingCode, UnsafeBufferPointer<UInt8>) -> Result
  ) -> Result? {
    withDigits(digits) { all in
      NumberingPlans.current.callingCode(all).map { body($0.code, UnsafeBufferPointer(rebasing: all[$0.count...])) }
    } ?? nil
  }
}

/// A number that works only within a region and that cannot be a caller.
public enum ShortNumber: String, Sendable, CaseIterable {
  /// An emergency number, such as 112 or 911.
  case emergency
  /// A short code of the region, such as 118 000.
  case short

  /// No short number has more digits without its calling code.
  static let maxDigits = 8

  /// The kind of these digits if they were dialed in a region of their calling code without it; nil for a regular number,
  /// which may look like a short one in a small country.
  /// - Parameter digits: E.164 without the plus, such as 49112.
  public init?(digits: Int64) {
    let kind = NumberingPlan.withNational(digits) { code, national -> Self? in
      guard 1...Self.maxDigits ~= national.count else { return nil }
      let meaning = code.meaning(of: national)
      if meaning.emergency != 0 { return .emergency }
      return meaning.isShort(regions: code.regions.count) && meaning.kind == .unknown ? .short : nil
    }
    guard let kind = kind ?? nil else { return nil }
    self = kind
  }
}
