// SPDX-License-Identifier: Apache-2.0

/// Reads one telephone number in any form that numbering plans know. It has libphonenumber's rules, so that both have
/// the same results; forms beyond them are a matter of ``NumberText``.
struct NumberReader {
  /// Why there is no calling code and national number.
  enum Failure: Error { case notANumber, tooShort, tooLong, unknownCallingCode }

  /// The most characters of a text.
  static let maxCharacters = 250
  /// No emergency number has more digits.
  static let maxEmergencyDigits = 6
  /// The fewest and the most digits of a national number. Some plans have more than E.164.
  private static let (minNational, maxNational) = (2, 17)

  private let place: DialingPlace
  /// Digits, each 0…9: the text's, and a national number's that a rule has made.
  private let digits, changed: UnsafeMutableBufferPointer<UInt8>

  /// Reads UTF-8.
  /// - Parameter hasPlus: whether to read as if a plus were in front.
  static func outcome(of text: UnsafeBufferPointer<UInt8>, hasPlus: Bool, from place: DialingPlace) -> ParseOutcome {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 2 * (maxCharacters + 64)) { buffer in
      let half = buffer.count / 2
      let reader = NumberReader(
        place: place, digits: UnsafeMutableBufferPointer(rebasing: buffer[..<half]),
        changed: UnsafeMutableBufferPointer(rebasing: buffer[half...]))
      do throws(Failure) {
        if let (count, plus) = try reader.readPlain(text, hasPlus: hasPlus) {
          if !plus, reader.isEmergency(reader.part(0..<count)) {
            return .refused(.shortOrEmergency(region: place.code))
          }
          return reader.outcome(try reader.parsed(count, hasPlus: plus))
        }
        let characters = NumberCharacters(text, hasPlus: hasPlus)
        if characters.dialedDigits.withUnsafeBufferPointer(reader.isEmergency) {
          return .refused(.shortOrEmergency(region: place.code))
        }
        let count = try characters.readDigits(into: reader.digits, needsPlus: place.region == nil)
        return reader.outcome(try reader.parsed(count, hasPlus: characters.hasPlus))
      } catch {
        return reader.refused(error, text, hasPlus)
      }
    }
  }

  private func refused(_ failure: Failure, _ text: UnsafeBufferPointer<UInt8>, _ hasPlus: Bool) -> ParseOutcome {
    switch failure {
    case .notANumber: .refused(!hasPlus && hasOneDigit(text) ? .tooShort : .notANumber)
    case .tooShort: .refused(.tooShort)
    case .tooLong: .refused(.tooLong)
    case .unknownCallingCode:
      // Any region settles whether it was the region that was missing.
      .refused(place.region == nil && isReadable(text, hasPlus) ? .needsRegion : .unknownCallingCode)
    }
  }

  private func isReadable(_ text: UnsafeBufferPointer<UInt8>, _ hasPlus: Bool) -> Bool {
    guard let other = try? DialingPlace("US", plans: place.plans) else { return false }
    return Self.outcome(of: text, hasPlus: hasPlus, from: other).error != .unknownCallingCode
  }

  private func hasOneDigit(_ text: UnsafeBufferPointer<UInt8>) -> Bool { text.count == 1 && 0x30...0x39 ~= text[0] }

  private func part(_ range: Range<Int>) -> UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(rebasing: UnsafeBufferPointer(digits)[range])
  }

  private func isEmergency(_ digits: UnsafeBufferPointer<UInt8>) -> Bool {
    guard 1...Self.maxEmergencyDigits ~= digits.count, let region = place.region, let code = place.callingCode else {
      return false
    }
    return code.meaning(of: digits).emergency >> UInt32(region.place) & 1 == 1
  }

  // MARK: - Plain texts

  /// Reads the digits of a text that has only digits, usual separators and a plus in front; nil for any other text.
  private func readPlain(
    _ text: UnsafeBufferPointer<UInt8>, hasPlus: Bool
  ) throws(Failure) -> (count: Int, hasPlus: Bool)? {
    guard text.count <= Self.maxCharacters else { return nil }
    var (index, count, hasPlus) = (0, 0, hasPlus)
    if !hasPlus {
      while index < text.count, text[index] != UInt8(ascii: "+"), !(0x30...0x39 ~= text[index]) {
        guard text[index] < 0x80, text[index] != UInt8(ascii: ";") else { return nil }
        index += 1
      }
    }
    while index < text.count, text[index] == UInt8(ascii: "+") { (index, hasPlus) = (index + 1, true) }
    let first = index
    var last = index
    while index < text.count {
      let byte = text[index]
      switch byte {
      case 0x30...0x39:
        digits[count] = byte - 0x30
        (count, last) = (count + 1, index)
      case UInt8(ascii: " "), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "("), UInt8(ascii: ")"),
        UInt8(ascii: "/"), UInt8(ascii: "["), UInt8(ascii: "]"):
        break
      default: return nil
      }
      index += 1
    }
    // Two digits may be a short number, if there is nothing else.
    guard count > 2 || count == 2 && last == first + 1 && !hasPlus else {
      if count > 0, !hasPlus, isEmergency(part(0..<count)) { return (count, false) }
      throw .notANumber
    }
    return (count, hasPlus)
  }

  // MARK: - Calling code and national number

  /// A national number under a calling code.
  private struct Parsed {
    var code: CallingCode
    var national: UnsafeBufferPointer<UInt8>
  }

  private func parsed(_ count: Int, hasPlus: Bool) throws(Failure) -> Parsed {
    let all = part(0..<count)
    var found: Parsed?
    if hasPlus {
      guard count > Self.minNational else { throw .tooShort }
      found = international(all)
      if found == nil {
        // The plus may be in front of an international prefix.
        found = try withoutPlus(all)
        if found == nil { throw .unknownCallingCode }
      }
    } else {
      found = try withoutPlus(all)
    }
    // The region's own plan, unless the number is of another calling code.
    var plan = place.region
    if let code = found?.code, code.regions[0] != plan { plan = code.regions[0] }
    guard let plan, let code = found?.code ?? place.callingCode else { throw .unknownCallingCode }
    var national = found?.national ?? all
    guard national.count >= Self.minNational else { throw .tooShort }
    let bare = withoutNationalPrefix(national, plan, code)
    switch plan.length(bare.count) {
    // Otherwise the prefix may be part of a short number.
    case .possible, .tooLong: national = bare
    case .tooShort, .local, .between: break
    }
    guard national.count >= Self.minNational else { throw .tooShort }
    guard national.count <= Self.maxNational else { throw .tooLong }
    return Parsed(code: code, national: national)
  }

  /// The calling code and the digits behind it; nil where they begin with none.
  private func international(_ digits: UnsafeBufferPointer<UInt8>) -> Parsed? {
    place.plans.callingCode(digits).map {
      Parsed(code: $0.code, national: UnsafeBufferPointer(rebasing: digits[$0.count...]))
    }
  }

  /// The calling code behind an international prefix, or of digits that begin with the region's own; nil where there is none.
  private func withoutPlus(_ digits: UnsafeBufferPointer<UInt8>) throws(Failure) -> Parsed? {
    guard let region = place.region, let code = place.callingCode else { return nil }
    if let prefix = region.fields.pointee.international?.match(digits)?.end,
      prefix == digits.count || digits[prefix] != 0
    {
      guard digits.count - prefix > Self.minNational else { throw .tooShort }
      guard let found = international(UnsafeBufferPointer(rebasing: digits[prefix...])) else {
        throw .unknownCallingCode
      }
      return found
    }
    guard digits.starts(with: code.digits) else { return nil }
    let rest = UnsafeBufferPointer(rebasing: digits[code.digits.count...])
    let national = withoutNationalPrefix(rest, region, code)
    let isBetter = !hasForm(digits, region, code) && hasForm(national, region, code)
    return isBetter || region.length(digits.count) == .tooLong ? Parsed(code: code, national: national) : nil
  }

  /// Whether digits have the form of a region's numbers, whatever their lengths.
  private func hasForm(_ digits: UnsafeBufferPointer<UInt8>, _ region: RegionPlan, _ code: CallingCode) -> Bool {
    code.meaning(of: digits).general >> UInt32(region.place) & 1 == 1
  }

  /// A national number without its national prefix, and as the region's rule changes it. It keeps the prefix if it is a number
  /// only with it.
  private func withoutNationalPrefix(
    _ national: UnsafeBufferPointer<UInt8>, _ region: RegionPlan, _ code: CallingCode
  ) -> UnsafeBufferPointer<UInt8> {
    guard !national.isEmpty, let prefix = region.fields.pointee.national, let match = prefix.match(national) else {
      return national
    }
    var result = UnsafeBufferPointer(rebasing: national[match.end...])
    if !region.fields.pointee.transform.isEmpty, match.groups.last ?? nil != nil {
      let all = filled(region.fields.pointee.transform, match.groups, national).map { $0 - 0x30 } + result
      result = UnsafeBufferPointer(rebasing: changed[..<changed.update(fromContentsOf: all)])
    }
    return hasForm(national, region, code) && !hasForm(result, region, code) ? national : result
  }

  // MARK: - The outcome

  private func outcome(_ number: Parsed) -> ParseOutcome {
    let (code, national) = (number.code, number.national)
    guard code.digits.count + national.count <= 15 else { return .refused(.tooLong) }
    let digits = national.reduce(Int64(code.number)) { $0 * 10 + Int64($1) }
    let meaning = code.meaning(of: national)
    guard meaning.kind == .unknown else { return ParseOutcome(number: digits) }
    let plan = code.regions[Int(meaning.region ?? 0)]
    let region = plan.isCountry ? plan.name : nil
    if let own = place.region, own.callingCode == code.number, meaning.short >> UInt32(own.place) & 1 == 1 {
      return .refused(.shortOrEmergency(region: own.name))
    }
    if meaning.isShort(regions: code.regions.count) { return .refused(.shortOrEmergency(region: region)) }
    return switch code.regions[0].length(national.count) {
    case .tooShort, .local: .refused(.tooShort)
    case .tooLong: .refused(.tooLong)
    case .possible: .notValid(region: region, possible: digits)
    case .between: .notValid(region: region, possible: 0)
    }
  }
}
