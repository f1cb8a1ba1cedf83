// SPDX-License-Identifier: Apache-2.0

/// A region that libphonenumber supports: a country or a territory with its own numbering plan.
public struct PhoneRegion: Hashable, Sendable {
  /// ISO 3166-1 alpha-2 in uppercase, such as `FR`; also `AC`, `TA` and `XK`, which libphonenumber adds.
  public let code: String

  /// The country calling code, 1…999, such as 33; several regions may share one.
  public let callingCode: Int

  /// Takes a code of two ASCII letters of either case; nil when libphonenumber does not support the region.
  public init?(_ code: String) {
    guard code.utf8.count == 2, !code.utf8.contains(0) else { return nil }
    let upper = code.uppercasedASCII
    guard let callingCode = libraryCallingCode(upper) else { return nil }
    self.code = upper
    self.callingCode = callingCode
  }

  /// Every supported region in ascending order of its code, about 245 of them.
  public static let all: [PhoneRegion] = libraryRegions().compactMap { PhoneRegion($0) }

  /// Whether a code names a supported region, in either case.
  public static func isSupported(_ code: String) -> Bool { PhoneRegion(code) != nil }
}

extension PhoneRegion: Comparable {
  /// Compares the codes.
  public static func < (lhs: Self, rhs: Self) -> Bool { lhs.code < rhs.code }
}

extension PhoneRegion: CustomStringConvertible {
  /// The code; see ``code``.
  public var description: String { code }
}

extension String {
  /// The string with ASCII letters in uppercase; other characters are unchanged.
  var uppercasedASCII: String {
    guard utf8.contains(where: { UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 }) else { return self }
    let bytes = utf8.map { UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 ? $0 - 32 : $0 }
    return String(decoding: bytes, as: UTF8.self)
  }
}

/// The place from which a text is dialed: a supported region, or none.
struct DialingPlace: Equatable {
  /// Two uppercase letters; nil for international forms only.
  let code: String?

  /// The two letters as bytes, high first, 0 without a region; and the highest bit for ``isInternational``.
  let packed: UInt16

  /// Whether digits without a prefix are first read as an international number.
  let isInternational: Bool

  /// The digits of the calling code; empty without a region.
  private let callingCode: String

  /// Whether the region shares calling code 1.
  let isNorthAmerican: Bool

  /// No region: only international forms can be read.
  static let nowhere = DialingPlace()

  private init() { (code, packed, isNorthAmerican, callingCode, isInternational) = (nil, 0, false, "", false) }

  /// The region of a code of either case, or nowhere for nil.
  /// - Throws: `.unknownRegion` with at most 16 characters of the code.
  init(_ region: String?, isInternational: Bool = false) throws(PhoneNumberError) {
    self.isInternational = isInternational
    let bit: UInt16 = isInternational ? 1 << 15 : 0
    guard let region else {
      (code, packed, isNorthAmerican, callingCode) = (nil, bit, false, "")
      return
    }
    guard let supported = PhoneRegion(region) else { throw .unknownRegion(String(region.prefix(16))) }
    code = supported.code
    packed = supported.code.utf8.reduce(0) { $0 << 8 | UInt16($1) } | bit
    isNorthAmerican = supported.callingCode == 1
    callingCode = String(supported.callingCode)
  }

  /// Whether digits without a prefix may be an international number.
  func maybeInternational(_ digits: Substring) -> Bool { isInternational || !isNorthAmerican && isOwn(digits) }

  /// Whether digits without a prefix begin with the region's own calling code.
  func isOwn(_ digits: Substring) -> Bool { code != nil && digits.hasPrefix(callingCode) }

  /// The error of ten digits of North America that would be read as a number of another country: `+201-555-0123` is none of
  /// Egypt, and `2015550123` without a region may be one.
  func ambiguity(of number: Substring) -> PhoneNumberError? {
    let (isGlobal, text) = (number.hasPrefix("+"), number.drop { $0 == "+" })
    guard isGlobal || code == nil && isInternational,
      let match = text.wholeMatch(of: /([2-9][0-9]{2})(\)?[ .-]?)[0-9]{3}([ .-]?)[0-9]{4}/),
      let digits = Int64("1" + text.filter(\.isNumber)), libraryIsNorthAmerican(digits)
    else { return nil }
    guard isGlobal else { return .needsRegion }
    return match.2.isEmpty || match.3.isEmpty || NumberingPlan.isCallingCode(match.1) ? nil : .unknownCallingCode
  }

  /// Whether digits without a prefix that are a national number, and an international one too, are the former.
  /// - Parameter digits: the E.164 digits of the national number.
  func prefersNational(_ digits: Int64) -> Bool {
    guard !isNorthAmerican, let code else { return true }
    return !libraryHasNationalPrefix(code) || NumberingPlan.lengths(of: digits / 10_000) == ["\(digits)".utf8.count]
  }
}
