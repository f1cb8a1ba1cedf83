// SPDX-License-Identifier: Apache-2.0

/// Parses many texts with the same results as ``PhoneNumber/init(parsing:region:isInternational:)``, from few places.
public struct PhoneNumberParser: Sendable {
  private var place: DialingPlace?
  private var lastRegion: (code: String?, isInternational: Bool) = (nil, false)

  /// A parser that has read nothing.
  public init() {}

  /// Reads one text, as ``PhoneNumber/init(parsing:region:isInternational:)`` does.
  /// - Throws: every case of ``PhoneNumberError``.
  public mutating func parse(
    _ text: String, region: String?, isInternational: Bool = false
  ) throws(PhoneNumberError) -> PhoneNumber {
    try ParseOutcome(parsing: text, from: place(region, isInternational)).number()
  }

  /// Reads one text, as ``PhoneNumber/parsePossible(_:region:isInternational:)`` does.
  /// - Throws: every case of ``PhoneNumberError``; `.notValid` only for impossible lengths.
  public mutating func parsePossible(
    _ text: String, region: String?, isInternational: Bool = false
  ) throws(PhoneNumberError) -> PossibleNumber {
    try ParseOutcome(parsing: text, from: place(region, isInternational)).possibleNumber()
  }

  private mutating func place(_ region: String?, _ isInternational: Bool) throws(PhoneNumberError) -> DialingPlace {
    if let place, NumberingPlans.isCurrent(place.plansID), (region, isInternational) == lastRegion { return place }
    let place = try DialingPlace(region, isInternational: isInternational)
    (self.place, lastRegion) = (place, (region, isInternational))
    return place
  }
}

/// A number by its length and calling code, in the plan or not.
public struct PossibleNumber: Hashable, Sendable {
  /// The number.
  public let number: PhoneNumber
  /// Whether the plan has the number; if not, it may be newer than the plan.
  public let isAssigned: Bool
}

extension PhoneNumber {
  /// Reads a number as ``init(parsing:region:isInternational:)`` does, and accepts numbers that are not in the plan as long as
  /// their calling code has numbers of their length.
  /// - Throws: every case of ``PhoneNumberError``; `.notValid` only for impossible lengths.
  public static func parsePossible(
    _ text: String, region: String?, isInternational: Bool = false
  ) throws(PhoneNumberError) -> PossibleNumber {
    let place = try DialingPlace(region, isInternational: isInternational)
    return try ParseOutcome(parsing: text, from: place).possibleNumber()
  }

  /// Reads a number by the plans alone, below every other form of texts: what tests compare with other programs.
  package static func parsePossible(byPlans text: String, region: String?) throws(PhoneNumberError) -> PossibleNumber {
    let place = try DialingPlace(region)
    var text = text
    return try text.withUTF8 { NumberReader.outcome(of: $0, hasPlus: false, from: place) }.possibleNumber()
  }
}

/// The result of parsing a text.
struct ParseOutcome: Equatable {
  /// 1…999_999_999_999_999: the number, one that is not in the plan but has a possible length, or the prefix of a mask; else 0.
  var digits: Int64 = 0
  /// The reason there is no number.
  var error: PhoneNumberError?

  /// Parses a text dialed from a place.
  init(parsing text: String, from place: DialingPlace) {
    // Checked before any scan of the text: a long one is refused by its length alone.
    guard text.utf8.count <= 250 else {
      self = .refused(.tooLong)
      return
    }
    self = NumberText.isPlain(text) ? ParseOutcome(plain: text, from: place) : NumberText.outcome(of: text, from: place)
  }

  /// Parses a text of digits and separators. Digits without a prefix, and those behind 00, may be international.
  init(plain text: String, from place: DialingPlace) {
    self.init(undivided: text, from: place)
    guard isNumber, digits >= 1_000_000_000_000, let start = text.firstIndex(where: \.isNumber),
      let first = text[start...].firstIndex(where: { !$0.isNumber }),
      let last = text.lastIndex(where: { !$0.isNumber }), last > start
    else { return }
    func endsNumber(at gap: String.Index, atLeast least: Int64) -> Bool {
      let head = ParseOutcome(undivided: String(text[..<gap]), from: place)
      return head.isNumber && head.digits >= least
    }
    // No plan has ordinary numbers of 14 digits: 030 23125136-138 is a series of numbers. And digits without a gap are
    // complete where they are 12: a digit behind a space counts something, or is of another number.
    guard
      digits >= 10_000_000_000_000 && endsNumber(at: last, atLeast: 1)
        || text[first] == " " && endsNumber(at: first, atLeast: 100_000_000_000)
    else { return }
    self = .refused(.severalNumbers)
  }

  private init(undivided text: String, from place: DialingPlace) {
    var text = text
    let start = Self.start(of: text)
    guard start < text.utf8.count || !text.allSatisfy(\.isWhitespace) else {
      self = .blank
      return
    }
    self = text.withUTF8 { Self.read($0, start, place) }
  }

  /// The bytes in front of the first plus or digit of any script.
  private static func start(of text: String) -> Int {
    var count = 0
    for byte in text.utf8 {
      if byte == UInt8(ascii: "+") || 0x30...0x39 ~= byte { return count }
      guard byte < 0x80 else { return text.utf8.count - text.drop { $0 != "+" && !$0.isNumber }.utf8.count }
      count += 1
    }
    return count
  }

  private static func read(_ text: UnsafeBufferPointer<UInt8>, _ start: Int, _ place: DialingPlace) -> ParseOutcome {
    let number = UnsafeBufferPointer(rebasing: text[start...])
    func own() -> ParseOutcome { NumberReader.outcome(of: text, hasPlus: false, from: place) }
    func international(_ digits: UnsafeBufferPointer<UInt8>) -> ParseOutcome {
      NumberReader.outcome(of: digits, hasPlus: true, from: place)
    }
    if let error = place.ambiguity(of: number) { return .refused(error) }
    let zero = UInt8(ascii: "0")
    if number.count > 1, number[0] == zero, number[1] == zero {
      // In some countries national numbers begin with 00, such as 0077 in Japan.
      let own = own()
      let other = own.isNumber ? own : international(UnsafeBufferPointer(rebasing: number[2...]))
      return other.isNumber || place.region == nil ? other : own
    }
    guard let first = number.first, first != zero, first != UInt8(ascii: "+"), place.maybeInternational(number) else {
      return own()
    }
    let other = international(number)
    if other.isNumber, place.isInternational, !place.isNorthAmerican, !place.isOwn(number) { return other }
    let own = own()
    guard own.isNumber || !other.isNumber else { return other }
    return place.prefersNational(own.digits) || !other.isNumber ? (place.region == nil ? other : own) : other
  }

  /// The outcome of an empty text.
  static let blank = refused(.empty)

  /// The outcome of a number of the plan.
  init(number digits: Int64) { self.digits = digits }

  private init(_ error: PhoneNumberError, digits: Int64 = 0) { (self.error, self.digits) = (error, digits) }

  /// The outcome of a text that is refused.
  static func refused(_ error: PhoneNumberError) -> ParseOutcome { ParseOutcome(error) }

  /// The outcome of a number that is not in the plan.
  /// - Parameter possible: its digits, or 0 for an impossible length.
  static func notValid(region: String?, possible: Int64) -> ParseOutcome {
    ParseOutcome(.notValid(region: region), digits: possible)
  }

  /// The outcome of a mask, whose digits are its prefix.
  static func mask(_ prefix: Int64, free: Int) -> ParseOutcome {
    ParseOutcome(.mask(prefix: prefix, free: free), digits: prefix)
  }

  /// Whether a number was read.
  var isNumber: Bool { error == nil }

  /// The number, or the reason there is none.
  func number() throws(PhoneNumberError) -> PhoneNumber {
    if let error { throw error }
    return PhoneNumber(trusted: digits)
  }

  /// The number, of the plan or not, or the reason there is none.
  func possibleNumber() throws(PhoneNumberError) -> PossibleNumber {
    guard let error else { return PossibleNumber(number: PhoneNumber(trusted: digits), isAssigned: true) }
    guard case .notValid = error, digits > 0 else { throw error }
    return PossibleNumber(number: PhoneNumber(trusted: digits), isAssigned: false)
  }
}
