// SPDX-License-Identifier: Apache-2.0

/// A telephone number: its E.164 digits without the plus.
///
/// Eight bytes, ordered by its digits as an integer. A parsed number is valid by
/// the numbering plans; one made from digits need not be.
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

  /// Creates a number from digits that are known to be in the range.
  init(trusted digits: Int64) {
    self.digits = digits
  }

  /// Reads a number as people and programs write it, and accepts only valid ones.
  ///
  /// Read: punctuation, full-width and other scripts' digits, `+…`, `00…` and the region's own international prefix
  /// (`011…`), `tel:` and `sip:` URIs, forms of spreadsheets (`493023125123.0`), and letters as on a keypad where there are
  /// three or more of them after a digit (`1-800-FLOWERS`). An extension (`x123`, `#1`) is dropped: the number is kept
  /// without it. Text before the first digit or plus is ignored.
  ///
  /// Digits without a prefix that begin with the region's calling code are international if there is such a number, unless
  /// they are a national number and the region dials without a prefix, or has numbers of exactly this length.
  /// - Parameters:
  ///   - text: untrusted; at most 250 bytes of UTF-8, no NUL.
  ///   - region: ISO 3166-1 alpha-2, of either case, where the number is dialed; nil to read only forms that begin with
  ///     a plus or 00.
  ///   - isInternational: whether digits without a prefix are first read as an international number that has lost its plus.
  ///     In regions of the calling code 1, which dial without a prefix, they are read as a national number first.
  /// - Throws: every case of ``PhoneNumberError``.
  public init(parsing text: String, region: String?, isInternational: Bool = false) throws(PhoneNumberError) {
    let place = try DialingPlace(region, isInternational: isInternational)
    self = try ParseOutcome(parsing: text, from: place).number()
  }

  /// Whether a text has the form of the address of a telephone: `tel:…`, `sip:…`, `"Name" <sip:…>`.
  public static func isURI(_ text: String) -> Bool {
    text.split(separator: "<", omittingEmptySubsequences: false).contains { part in
      var scanner = TextScanner(part)
      scanner.space()
      return ["tel:", "callto:", "sip:", "sips:"].contains { scanner.take(word: $0) }
    }
  }

  /// The number with its plus, such as `+33199000248`.
  public var e164: String { "+\(digits)" }

  /// Whether the digits are a valid number of some region; true for every parsed number.
  public var isValid: Bool { kind != .unknown }

  /// Whether the calling code has numbers of this length; a number that is not valid may be newer than the plan.
  public var isPossible: Bool { !possibleRegions.isEmpty }

  /// The regions of the calling code that have numbers of this length: ISO 3166-1 alpha-2 codes, and `001` for none.
  public var possibleRegions: [String] {
    NumberingPlan.withNational(digits) { code, national in
      code.regions.filter { $0.length(national.count) == .possible }.map(\.name)
    } ?? []
  }

  /// ISO 3166-1 alpha-2 code of the region of the calling code and the leading digits, such as `FR`.
  ///
  /// Nil for a number of no region, such as `+800…`, and where digits that are not valid
  /// cannot be placed. Numbers of the Vatican under `+39 06 698…` are `VA`.
  public var region: String? {
    let name = NumberingPlan.withNational(digits) { code, national -> String? in
      guard code.regions.count > 1 else { return code.regions[0].isCountry ? code.regions[0].name : nil }
      return code.meaning(of: national).region.map { code.regions[Int($0)].name }
    }
    return name ?? nil
  }
}

extension PhoneNumber: Comparable {
  /// Compares the digits as integers, the order of packs and of call directories.
  public static func < (lhs: Self, rhs: Self) -> Bool { lhs.digits < rhs.digits }
}

extension PhoneNumber: CustomStringConvertible {
  /// The E.164 form; see ``e164``.
  public var description: String { e164 }
}

extension PhoneNumber {
  /// The kind of a number, by its region's numbering plan.
  public enum Kind: String, Sendable, CaseIterable, Codable {
    /// A subscriber's line at a fixed place.
    case fixedLine = "fixed_line"
    /// A mobile subscriber.
    case mobile
    /// The plan does not distinguish fixed lines from mobiles, as in North America.
    case fixedLineOrMobile = "fixed_line_or_mobile"
    /// Free for the caller.
    case tollFree = "toll_free"
    /// Paid by the caller above the ordinary rate.
    case premiumRate = "premium_rate"
    /// Paid by caller and callee together.
    case sharedCost = "shared_cost"
    /// Voice over IP, where the plan sets numbers aside for it.
    case voip
    /// A personal number, which follows a person between lines.
    case personal = "personal_number"
    /// A pager.
    case pager
    /// A company's universal access number.
    case universalAccess = "uan"
    /// Reaches a voice mailbox.
    case voicemail
    /// Not a valid number, or of no kind the plan names.
    case unknown
  }

  /// The kind by the numbering plan; `.unknown` for digits that are not valid.
  public var kind: Kind {
    NumberingPlan.withNational(digits) { code, national in code.meaning(of: national).kind } ?? .unknown
  }
}

extension PhoneNumber {
  /// The two display forms.
  public enum Style: String, Sendable, CaseIterable {
    /// With plus and calling code, such as `+33 1 99 00 02 48`.
    case international
    /// The form dialed within its region, such as `01 99 00 02 48`.
    case national
  }

  /// The number in the form of its plan, zeros of an Italian number kept. Digits under no known calling code are returned as
  /// ``e164``.
  public func formatted(_ style: Style) -> String {
    let text = NumberingPlan.withNational(digits) { code, national -> String? in
      guard !national.isEmpty else { return nil }
      let text = String(
        decoding: code.formatted(national, isInternational: style == .international), as: UTF8.self)
      return style == .international ? "+\(code.number) \(text)" : text
    }
    return (text ?? nil) ?? e164
  }
}

extension PhoneNumber: Codable {
  /// Reads the E.164 form: a string of a plus, a digit 1…9 and up to 14 more digits.
  ///
  /// No other form is accepted and no numbering plan is checked; for typed text use ``init(parsing:region:isInternational:)``.
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

  /// Writes the E.164 form as a string, such as `"+33199000248"`.
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
