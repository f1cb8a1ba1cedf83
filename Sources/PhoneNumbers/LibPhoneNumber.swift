// SPDX-License-Identifier: Apache-2.0

import CPhoneNumber

// The calls into libphonenumber except parsing, with Swift types. The library is safe to call from several tasks at
// once; its only shared state, the cache of compiled expressions, has its own mutex.

func libraryIsValid(_ digits: Int64) -> Bool { cphone_is_valid(digits) == 1 }

/// Validates by the library's regular expressions, without the table.
func libraryIsValidByExpressions(_ digits: Int64) -> Bool { cphone_is_valid_by_library(digits) == 1 }

func libraryIsNorthAmerican(_ digits: Int64) -> Bool { cphone_is_north_american(digits) == 1 }

func libraryRegion(_ digits: Int64) -> String? {
  withUnsafeTemporaryAllocation(of: CChar.self, capacity: 4) { code in
    cphone_region(digits, code.baseAddress)
    // Two letters; "001" is not a region of ISO 3166.
    guard code[0] != 0, code[2] == 0 else { return nil }
    return String(decoding: code.prefix(2).map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}

func libraryKind(_ digits: Int64) -> PhoneNumber.Kind {
  switch cphone_kind(UInt32(bitPattern: cphone_kind_of(digits))) {
  case CPHONE_FIXED_LINE: .fixedLine
  case CPHONE_MOBILE: .mobile
  case CPHONE_FIXED_LINE_OR_MOBILE: .fixedLineOrMobile
  case CPHONE_TOLL_FREE: .tollFree
  case CPHONE_PREMIUM_RATE: .premiumRate
  case CPHONE_SHARED_COST: .sharedCost
  case CPHONE_VOIP: .voip
  case CPHONE_PERSONAL_NUMBER: .personal
  case CPHONE_PAGER: .pager
  case CPHONE_UAN: .universalAccess
  case CPHONE_VOICEMAIL: .voicemail
  default: .unknown
  }
}

func libraryFormat(_ digits: Int64, _ style: PhoneNumber.Style) -> String? {
  let form = style == .national ? CPHONE_NATIONAL : CPHONE_INTERNATIONAL
  return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 128) { buffer in
    let length = cphone_format(digits, Int32(form.rawValue), buffer.baseAddress, buffer.count)
    guard length > 0 else { return nil }
    return String(decoding: buffer.prefix(length).map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}

func libraryCallingCode(_ region: String) -> Int? {
  let code = cphone_calling_code(region)
  return code > 0 ? Int(code) : nil
}

/// Whether national numbers are dialed with a prefix, such as 0.
func libraryHasNationalPrefix(_ region: String) -> Bool { cphone_has_national_prefix(region) == 1 }

func libraryRegions() -> [String] {
  var count = 0
  guard let joined = cphone_regions(&count) else { return [] }
  let bytes = UnsafeBufferPointer(start: joined, count: count * 2).map(UInt8.init(bitPattern:))
  return (0..<count).map { String(decoding: bytes[($0 * 2)..<($0 * 2 + 2)], as: UTF8.self) }
}

func libraryShortNumber(_ digits: Int64) -> ShortNumber? { shortNumber(cphone_short_kind_of(digits)) }

/// The numbering plan of a calling code, by libphonenumber.
public enum NumberingPlan {
  /// The calling code that digits begin with; nil for an unknown or an incomplete one.
  public static func callingCode(of digits: Int64) -> Int64? {
    let code = cphone_code_of(digits)
    return code > 0 ? Int64(code) : nil
  }

  /// Whether digits are exactly a calling code.
  static func isCallingCode(_ digits: Substring) -> Bool { Int64(digits).map { callingCode(of: $0) == $0 } ?? false }

  /// The lengths of the valid numbers that begin with some digits, the calling code included; ascending, at most 15.
  public static func lengths(of prefix: Int64) -> [Int] {
    let lengths = cphone_lengths(prefix)
    return (1...15).filter { lengths >> UInt32($0) & 1 == 1 }
  }

  /// The first short or emergency number among numbers of one length; nil for none.
  public static func shortNumber(in numbers: ClosedRange<Int64>) -> Int64? {
    let found = cphone_first_short(numbers.lowerBound, numbers.upperBound)
    return found > 0 ? found : nil
  }
}

private func shortNumber(_ found: Int32) -> ShortNumber? {
  switch cphone_short(UInt32(bitPattern: found)) {
  case CPHONE_EMERGENCY: .emergency
  case CPHONE_SHORT: .short
  default: nil
  }
}

/// A number that works only within a region and that cannot be a caller.
public enum ShortNumber: String, Sendable, CaseIterable {
  /// An emergency number, such as 112 or 911.
  case emergency
  /// A short code of the region, such as 118 000.
  case short

  /// The kind of these digits if they were dialed in a region of their calling code without it; nil for a regular
  /// number, by libphonenumber's `ShortNumberInfo`. Takes well under 1 µs except for numbers of eight national digits or fewer.
  /// - Parameter digits: E.164 without the plus, such as 49112.
  public init?(digits: Int64) {
    guard let found = libraryShortNumber(digits) else { return nil }
    self = found
  }
}
