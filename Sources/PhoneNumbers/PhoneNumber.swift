// SPDX-License-Identifier: Apache-2.0

/// A telephone number: its E.164 digits without the plus.
///
/// Eight bytes, ordered by its digits as an integer. A parsed number is valid by
/// the numbering plans of libphonenumber; one made from digits need not be.
public struct PhoneNumber: Hashable, Sendable {
  /// The range of E.164 digits: one to fifteen digits.
  public static let digitsRange: ClosedRange<Int64> = 1...999_999_999_999_999

  /// Calling code and national number in one integer, 1…999_999_999_999_999.
  ///
  /// An Italian number keeps the zeros its national part begins with: `+39 06 698…` is 3906698….
  public let digits: Int64

  /// Creates a number from unchecked digits; nil outside 1…999_999_999_999_999. Nothing is parsed or validated.
  public init?(digits: Int64) {
    guard Self.digitsRange.contains(digits) else { return nil }
    self.digits = digits
  }

  /// Creates a number from digits that libphonenumber has returned.
  init(trusted digits: Int64) {
    self.digits = digits
  }

  /// Reads a number as people write it, through libphonenumber, and accepts only valid ones.
  ///
  /// Read: punctuation, full-width and other scripts' digits, `+…`, the region's own international prefix (`00…`,
  /// `011…`), `tel:` URIs, and letters as on a keypad where there are three or more of them after a digit
  /// (`1-800-FLOWERS`). An extension (`x123`, `#1`) is dropped: the number is kept without it. Text before the first
  /// digit or plus is ignored, as libphonenumber does.
  /// - Parameters:
  ///   - text: untrusted; at most 250 bytes of UTF-8, no NUL.
  ///   - region: ISO 3166-1 alpha-2, of either case, where the number is dialed; nil to read only forms that begin with
  ///     a plus.
  /// - Throws: every case of ``PhoneNumberError``.
  public init(parsing text: String, region: String?) throws(PhoneNumberError) {
    let place = try DialingPlace(region)
    self = try ParseOutcome(parsing: text, from: place).number()
  }

  /// Parses like ``init(parsing:region:)``, but always with libphonenumber's parser: the reference for tests and
  /// benchmarks of the faster ways.
  package init(throughLibrary text: String, region: String?) throws(PhoneNumberError) {
    let place = try DialingPlace(region)
    self = try ParseOutcome(throughLibrary: text, from: place).number()
  }

  /// The number with its plus, such as `+33162000248`.
  public var e164: String { "+\(digits)" }

  /// Whether the digits are a valid number of some region according to libphonenumber; true for every parsed number.
  public var isValid: Bool { libraryIsValid(digits) }

  /// ``isValid`` by libphonenumber's own expressions: the reference for tests of the table of valid numbers.
  package var isValidByLibrary: Bool { libraryIsValidByExpressions(digits) }

  /// ISO 3166-1 alpha-2 code of the region of the calling code and the leading digits, such as `FR`.
  ///
  /// Nil for a non-geographic number (libphonenumber's `001`, such as `+800…`), and where digits that are not valid
  /// cannot be placed. Numbers of the Vatican under `+39 06 698…` are `VA`.
  public var region: String? { libraryRegion(digits) }
}

extension PhoneNumber: Comparable {
  /// Compares the digits as integers, the order of packs and of call directories.
  public static func < (lhs: Self, rhs: Self) -> Bool { lhs.digits < rhs.digits }
}

extension PhoneNumber: CustomStringConvertible {
  /// The same as ``e164``.
  public var description: String { e164 }
}
