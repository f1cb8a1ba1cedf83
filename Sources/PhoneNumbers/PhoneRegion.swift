// SPDX-License-Identifier: Apache-2.0

/// A country or a territory with its own numbering plan.
public struct PhoneRegion: Hashable, Sendable {
  /// ISO 3166-1 alpha-2 in uppercase, such as `FR`; also `AC`, `TA` and `XK`, which the plans add.
  public let code: String

  /// The country calling code, 1…999, such as 33; several regions may share one.
  public let callingCode: Int

  /// Takes a code of two ASCII letters of either case; nil when there is no such region in the plans.
  public init?(_ code: String) {
    guard let plan = RegionPlan.named(code, in: .current) else { return nil }
    self.init(plan)
  }

  private init(_ plan: RegionPlan) { (code, callingCode) = (plan.name, plan.callingCode) }

  /// Every region of the plans in ascending order of its code, about 245 of them.
  public static var all: [PhoneRegion] { NumberingPlans.current.regions.map { PhoneRegion($0) } }

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

extension RegionPlan {
  /// The region of two ASCII letters of either case.
  static func named(_ code: String, in plans: NumberingPlans) -> RegionPlan? {
    guard code.utf8.count == 2 else { return nil }
    return plans.region(
      code.utf8.reduce(0) { $0 << 8 | UInt16(UInt8(ascii: "a")...UInt8(ascii: "z") ~= $1 ? $1 - 32 : $1) })
  }
}

/// The place from which a text is dialed: a region of the plans, or none.
struct DialingPlace {
  /// Not counted: plans that are or were the current ones stay in memory.
  unowned(unsafe) let plans: NumberingPlans
  /// Compared with the current plans for each number, without a reference that is counted.
  let plansID: ObjectIdentifier
  /// Nil for international forms only.
  let region: RegionPlan?
  /// The region's.
  let callingCode: CallingCode?
  /// Whether digits without a prefix are first read as an international number.
  let isInternational: Bool

  /// Two uppercase letters; nil for international forms only.
  var code: String? { region?.name }

  /// Whether the region shares calling code 1.
  var isNorthAmerican: Bool { region?.callingCode == 1 }

  /// The region of a code of either case, or nowhere for nil.
  /// - Parameter plans: that are or were the current ones.
  /// - Throws: `.unknownRegion` with at most 16 characters of the code.
  init(
    _ region: String?, isInternational: Bool = false, plans: NumberingPlans = .current
  ) throws(PhoneNumberError) {
    (self.plans, plansID, self.isInternational) = (plans, ObjectIdentifier(plans), isInternational)
    guard let region else {
      (self.region, callingCode) = (nil, nil)
      return
    }
    guard let supported = RegionPlan.named(region, in: plans) else { throw .unknownRegion(String(region.prefix(16))) }
    (self.region, callingCode) = (supported, plans.callingCode(of: supported))
  }

  /// Whether digits without a prefix may be an international number.
  func maybeInternational(_ digits: UnsafeBufferPointer<UInt8>) -> Bool {
    isInternational || !isNorthAmerican && isOwn(digits)
  }

  /// Whether digits without a prefix begin with the region's own calling code.
  func isOwn(_ digits: UnsafeBufferPointer<UInt8>) -> Bool {
    callingCode.map { digits.lazy.map { $0 &- 0x30 }.starts(with: $0.digits) } ?? false
  }

  /// The error of ten digits of North America that would be read as a number of another country: with a plus and the gaps of
  /// North America, and without a plus where no region is known.
  func ambiguity(of number: UnsafeBufferPointer<UInt8>) -> PhoneNumberError? {
    let isGlobal = number.first == UInt8(ascii: "+")
    guard isGlobal || region == nil && isInternational, 10...14 ~= number.count else { return nil }
    var (digits, area, gaps): (Int64, Int64, Int) = (0, 0, 0)
    var (count, isInGap) = (0, false)
    for byte in number.dropFirst(isGlobal ? 1 : 0) {
      if 0x30...0x39 ~= byte {
        (digits, count, isInGap) = (digits * 10 + Int64(byte - 0x30), count + 1, false)
        if count == 3 { area = digits }
      } else {
        // A gap is behind the area code or in the middle of the local number.
        let isFirst = byte == UInt8(ascii: ")") && count == 3 && !isInGap
        guard isFirst || " .-".utf8.contains(byte), count == 3 || count == 6 else { return nil }
        if !isInGap { gaps += 1 }
        isInGap = true
      }
    }
    guard count == 10, PhoneNumber(digits: 10_000_000_000 + digits)?.isValid == true else { return nil }
    guard isGlobal else { return .needsRegion }
    return gaps < 2 || NumberingPlan.callingCode(of: area) == area ? nil : .unknownCallingCode
  }

  /// Whether digits without a prefix that are a national number, and an international one too, are the former.
  /// - Parameter digits: the E.164 digits of the national number.
  func prefersNational(_ digits: Int64) -> Bool {
    guard !isNorthAmerican, let region else { return true }
    let length = NumberingPlan.withDigits(digits, \.count) ?? 0
    return !region.fields.pointee.hasNationalPrefix
      || NumberingPlan.lengthBits(of: digits / 10_000) == 1 << UInt32(length)
  }
}
