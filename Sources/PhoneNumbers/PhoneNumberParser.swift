// SPDX-License-Identifier: Apache-2.0

import CPhoneNumber

/// Parses many texts with the same results as ``PhoneNumber/init(parsing:region:isInternational:)``, and caches them.
///
/// One parser belongs to one task at a time: it is a value that changes as it parses. The cache pays off for repeated
/// texts, as in complaints; not for a directory.
public struct PhoneNumberParser: Sendable {
  /// Number of parsed texts, and of those answered from the cache.
  public struct Statistics: Hashable, Sendable {
    /// Texts with a supported region or none.
    public internal(set) var texts = 0
    /// Texts answered from the cache.
    public internal(set) var remembered = 0
  }

  /// Counts since the parser was made.
  public private(set) var statistics = Statistics()

  private var memory: OutcomeMemory
  private var place = DialingPlace.nowhere
  private var lastRegion: (code: String?, isInternational: Bool) = (nil, false)

  /// A parser that caches up to `capacity` texts at 48 bytes each, rounded up to a power of two and at most 2²⁴; 0 for
  /// none.
  public init(capacity: Int = 65_536) {
    memory = OutcomeMemory(capacity: capacity)
  }

  /// Reads one text, as ``PhoneNumber/init(parsing:region:isInternational:)`` does.
  /// - Throws: every case of ``PhoneNumberError``.
  public mutating func parse(
    _ text: String, region: String?, isInternational: Bool = false
  ) throws(PhoneNumberError) -> PhoneNumber {
    if (region, isInternational) != lastRegion {
      place = try DialingPlace(region, isInternational: isInternational)
      lastRegion = (region, isInternational)
    }
    statistics.texts += 1
    guard !memory.isEmpty else { return try ParseOutcome(parsing: text, from: place).number() }
    var text = text
    let key = text.withUTF8 { OutcomeMemory.Key(text: $0, region: place.packed) }
    guard let key else { return try ParseOutcome(parsing: text, from: place).number() }
    if let outcome = memory[key] {
      statistics.remembered += 1
      return try outcome.number()
    }
    let outcome = ParseOutcome(parsing: text, from: place)
    memory[key] = outcome
    return try outcome.number()
  }
}

/// The result of parsing a text, without references: small enough to cache.
struct ParseOutcome: Equatable {
  /// 1…999_999_999_999_999 when a number was read, the prefix of a mask, else 0.
  let digits: Int64

  /// `cphone_status`, or a negative status of this file.
  let status: Int32

  /// The region of the status: two letters, high byte first; 0 when unknown or non-geographic. Of a mask, its free digits.
  let region: UInt16

  private static let emptyStatus: Int32 = -1

  /// Parses a text dialed from a place. North American digits bypass libphonenumber's parser, but never its validation.
  init(parsing text: String, from place: DialingPlace) {
    var text = text
    let candidate = text.withUTF8 { NorthAmericanDigits.read($0, dialledThere: place.isNorthAmerican) }
    if let candidate, libraryIsNorthAmerican(candidate) {
      self.init(digits: candidate, status: Int32(bitPattern: CPHONE_OK.rawValue))
    } else {
      self.init(ofAnyForm: text, from: place)
    }
  }

  /// Parses a text of any form, through libphonenumber's parser.
  init(ofAnyForm text: String, from place: DialingPlace) {
    // Checked before any scan of the text: a long one is refused by its length alone.
    guard text.utf8.count <= 250 else {
      self.init(digits: 0, status: Int32(bitPattern: CPHONE_TOO_LONG.rawValue))
      return
    }
    self = NumberText.isPlain(text) ? ParseOutcome(plain: text, from: place) : NumberText.outcome(of: text, from: place)
  }

  /// Parses a text of digits and separators. Digits without a prefix, and those behind 00, may be international.
  init(plain text: String, from place: DialingPlace) {
    self.init(undivided: text, from: place)
    guard isNumber, let start = text.firstIndex(where: \.isNumber),
      let first = text[start...].firstIndex(where: { !$0.isNumber }),
      let last = text.lastIndex(where: { !$0.isNumber }), last > start
    else { return }
    func endsNumber(at gap: String.Index, atLeast least: Int64) -> Bool {
      let head = ParseOutcome(undivided: String(text[..<gap]), from: place)
      return head.isNumber && head.digits >= least
    }
    // No plan has ordinary numbers of 14 digits: 030 23125136-138 is a series of numbers. And digits without a gap are
    // complete where they are 12: the 1 of +493023125138 1 counts something.
    guard
      digits >= 10_000_000_000_000 && endsNumber(at: last, atLeast: 1)
        || text[first] == " " && endsNumber(at: first, atLeast: 100_000_000_000)
    else { return }
    self = .refused(.severalNumbers)
  }

  private init(undivided text: String, from place: DialingPlace) {
    let number = text.drop { $0 != "+" && !$0.isNumber }
    func international(_ digits: Substring) -> ParseOutcome {
      ParseOutcome(throughLibrary: "+\(digits)", from: place)
    }
    if let error = place.ambiguity(of: number) {
      self = .refused(error)
    } else if number.hasPrefix("00") {
      // In some countries national numbers begin with 00, such as 0077 in Japan.
      let own = ParseOutcome(throughLibrary: text, from: place)
      let other = own.isNumber ? own : international(number.dropFirst(2))
      self = other.isNumber || place.code == nil ? other : own
    } else if number.first.map({ $0 != "0" && $0 != "+" }) ?? false, place.maybeInternational(number) {
      let other = international(number)
      let own =
        other.isNumber && place.isInternational && !place.isNorthAmerican && !place.isOwn(number)
        ? nil : ParseOutcome(throughLibrary: text, from: place)
      guard let own, own.isNumber || !other.isNumber else {
        self = other
        return
      }
      self = place.prefersNational(own.digits) || !other.isNumber ? (place.code == nil ? other : own) : other
    } else {
      self.init(throughLibrary: text, from: place)
    }
  }

  /// Parses a text dialed from a place with libphonenumber's parser.
  private init(throughLibrary text: String, from place: DialingPlace) {
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

  /// Statuses of the reader of forms, which libphonenumber does not have.
  private static let (placeholderStatus, severalStatus, decimalStatus, maskStatus): (Int32, Int32, Int32, Int32) = (
    -2, -3, -4, -5
  )

  /// The outcome of a text that is refused by its form.
  static func refused(_ error: PhoneNumberError) -> ParseOutcome {
    switch error {
    case .placeholder: ParseOutcome(digits: 0, status: placeholderStatus)
    case .severalNumbers: ParseOutcome(digits: 0, status: severalStatus)
    case .decimal: ParseOutcome(digits: 0, status: decimalStatus)
    case .needsRegion: ParseOutcome(digits: 0, status: Int32(bitPattern: CPHONE_NEEDS_REGION.rawValue))
    case .unknownCallingCode: ParseOutcome(digits: 0, status: Int32(bitPattern: CPHONE_UNKNOWN_CALLING_CODE.rawValue))
    default: ParseOutcome(digits: 0, status: Int32(bitPattern: CPHONE_NOT_A_NUMBER.rawValue))
    }
  }

  /// The outcome of a mask, whose digits are its prefix.
  static func mask(_ prefix: Int64, free: Int) -> ParseOutcome {
    ParseOutcome(digits: prefix, status: maskStatus, region: UInt16(free))
  }

  /// Whether a number was read.
  var isNumber: Bool { status == Int32(bitPattern: CPHONE_OK.rawValue) }

  /// The number, or the reason there is none.
  func number() throws(PhoneNumberError) -> PhoneNumber {
    switch status {
    case Self.emptyStatus: throw .empty
    case Self.placeholderStatus: throw .placeholder
    case Self.severalStatus: throw .severalNumbers
    case Self.decimalStatus: throw .decimal
    case Self.maskStatus: throw .mask(prefix: digits, free: Int(region))
    default: break
    }
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

/// A bounded cache of outcomes by exact text and region: each slot holds the latest text with its hash.
///
/// Only ASCII texts of up to 24 bytes are kept, byte for byte. (Swift treats canonically equivalent strings as equal,
/// libphonenumber does not; for ASCII texts the two agree.)
struct OutcomeMemory {
  /// A text and the region it was dialed from.
  struct Key: Equatable {
    private let first: UInt64
    private let second: UInt64
    private let third: UInt64
    private let region: UInt16

    /// Nil for a text that is empty, longer than 24 bytes, not ASCII, or contains a NUL.
    init?(text: UnsafeBufferPointer<UInt8>, region: UInt16) {
      guard 1...24 ~= text.count, text.allSatisfy({ 1...127 ~= $0 }) else { return nil }
      first = Self.word(text, 0)
      second = Self.word(text, 8)
      third = Self.word(text, 16)
      self.region = region
    }

    /// The key of no text, since it has no bytes.
    static let none = Key()

    private init() { (first, second, third, region) = (0, 0, 0, 0) }

    private static func word(_ text: UnsafeBufferPointer<UInt8>, _ start: Int) -> UInt64 {
      var word: UInt64 = 0
      var index = start
      while index < min(start + 8, text.count) {
        word |= UInt64(text[index]) << (8 * UInt64(index - start))
        index += 1
      }
      return word
    }

    /// A multiplicative mix of all the bytes; the high bits are mixed best.
    var hash: UInt64 {
      var mixed = first &* 0x9E37_79B9_7F4A_7C15
      mixed = (mixed ^ (mixed >> 32) ^ second) &* 0xD6E8_FEB8_6659_FD93
      mixed = (mixed ^ (mixed >> 32) ^ third) &* 0x9E37_79B9_7F4A_7C15
      return (mixed ^ (mixed >> 32) ^ UInt64(region)) &* 0xD6E8_FEB8_6659_FD93
    }
  }

  private struct Slot {
    var key = Key.none
    var outcome = ParseOutcome.blank
  }

  private var slots: [Slot]
  private let shift: UInt64

  init(capacity: Int) {
    let bits = capacity > 0 ? min(24, Int.bitWidth - (capacity - 1).leadingZeroBitCount) : 0
    slots = capacity > 0 ? Array(repeating: Slot(), count: 1 << bits) : []
    shift = UInt64(64 - bits)
  }

  /// Whether the cache has no slots.
  var isEmpty: Bool { slots.isEmpty }

  subscript(key: Key) -> ParseOutcome? {
    get {
      guard !slots.isEmpty else { return nil }
      let slot = slots[Int(key.hash >> shift)]
      return slot.key == key ? slot.outcome : nil
    }
    set {
      guard !slots.isEmpty, let newValue else { return }
      slots[Int(key.hash >> shift)] = Slot(key: key, outcome: newValue)
    }
  }
}
