// SPDX-License-Identifier: Apache-2.0

import CPhoneNumber

/// The result of parsing a text, without references: small enough to cache.
struct ParseOutcome: Equatable {
  /// 1…999_999_999_999_999 when a number was read, else 0.
  let digits: Int64

  /// `cphone_status`, or -1 for an empty text.
  let status: Int32

  /// The region of the status: two letters, high byte first; 0 when unknown or non-geographic.
  let region: UInt16

  private static let emptyStatus: Int32 = -1

  /// Parses a text dialed from a place. North American digits bypass libphonenumber's parser, but never its validation.
  init(parsing text: String, from place: DialingPlace) {
    var text = text
    let candidate = text.withUTF8 { NorthAmericanDigits.read($0, dialledThere: place.isNorthAmerican) }
    if let candidate, libraryIsNorthAmerican(candidate) {
      self.init(digits: candidate, status: Int32(bitPattern: CPHONE_OK.rawValue))
    } else {
      self.init(throughLibrary: text, from: place)
    }
  }

  /// Parses a text dialed from a place, always with libphonenumber's parser.
  init(throughLibrary text: String, from place: DialingPlace) {
    // Checked before any scan of the text: a long one is refused by its length alone.
    guard text.utf8.count <= 250 else {
      self.init(digits: 0, status: Int32(bitPattern: CPHONE_TOO_LONG.rawValue))
      return
    }
    guard !text.allSatisfy(\.isWhitespace) else {
      self = .blank
      return
    }
    var text = text
    let result = text.withUTF8 { bytes in
      bytes.withMemoryRebound(to: CChar.self) { cphone_parse($0.baseAddress, $0.count, place.code) }
    }
    self.init(digits: result.digits, status: result.status, region: Self.packed(result.region))
  }

  /// The outcome of an empty text, and of an unused slot of a cache.
  static let blank = ParseOutcome(digits: 0, status: emptyStatus)

  private init(digits: Int64, status: Int32, region: UInt16 = 0) {
    (self.digits, self.status, self.region) = (digits, status, region)
  }

  /// The number, or the reason there is none.
  func number() throws(PhoneNumberError) -> PhoneNumber {
    if status == Self.emptyStatus { throw .empty }
    switch cphone_status(UInt32(bitPattern: status)) {
    case CPHONE_OK: return PhoneNumber(trusted: digits)
    case CPHONE_NOT_A_NUMBER: throw .notANumber
    case CPHONE_TOO_SHORT: throw .tooShort
    case CPHONE_TOO_LONG: throw .tooLong
    case CPHONE_NOT_VALID: throw .notValid(region: Self.unpacked(region))
    case CPHONE_SHORT_OR_EMERGENCY: throw .shortOrEmergency(region: Self.unpacked(region))
    case CPHONE_NEEDS_REGION: throw .needsRegion
    case CPHONE_UNKNOWN_CALLING_CODE: throw .unknownCallingCode
    default: throw .libraryFailure
    }
  }

  private static func packed(_ code: (CChar, CChar, CChar, CChar)) -> UInt16 {
    // "001" has a third character and is not a region of ISO 3166.
    guard code.2 == 0 else { return 0 }
    return UInt16(UInt8(bitPattern: code.0)) << 8 | UInt16(UInt8(bitPattern: code.1))
  }

  private static func unpacked(_ region: UInt16) -> String? {
    region == 0 ? nil : String(decoding: [UInt8(region >> 8), UInt8(region & 0xFF)], as: UTF8.self)
  }
}
