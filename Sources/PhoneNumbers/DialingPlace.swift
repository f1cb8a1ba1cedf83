// SPDX-License-Identifier: Apache-2.0

/// The place from which a text is dialed: a supported region, or none.
struct DialingPlace: Equatable {
  /// Two uppercase letters; nil for international forms only.
  let code: String?

  /// The two letters as bytes, high first; 0 without a region.
  let packed: UInt16

  /// Whether the region shares calling code 1.
  let isNorthAmerican: Bool

  /// No region: only international forms can be read.
  static let nowhere = DialingPlace()

  private init() { (code, packed, isNorthAmerican) = (nil, 0, false) }

  /// The region of a code of either case, or nowhere for nil.
  /// - Throws: `.unknownRegion` with at most 16 characters of the code.
  init(_ region: String?) throws(PhoneNumberError) {
    guard let region else {
      self = .nowhere
      return
    }
    guard let supported = PhoneRegion(region) else { throw .unknownRegion(String(region.prefix(16))) }
    code = supported.code
    packed = supported.code.utf8.reduce(0) { $0 << 8 | UInt16($1) }
    isNorthAmerican = supported.callingCode == 1
  }
}
