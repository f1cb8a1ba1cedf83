// SPDX-License-Identifier: Apache-2.0

/// A range of numbers that differ only in the last one or two digits.
public struct NumberRange: Sendable, Hashable {
  /// The first number, E.164 digits; a multiple of ``size``.
  public let first: Int64
  /// Number of varying digits: 1 or 2.
  public let digits: Int16

  /// - Parameter digits: 1 or 2.
  public init(around number: Int64, digits: Int16) {
    precondition(digits == 1 || digits == 2)
    let size: Int64 = digits == 1 ? 10 : 100
    self.digits = digits
    first = number / size * size
  }

  /// 10 or 100.
  public var size: Int64 { digits == 1 ? 10 : 100 }

  /// All its numbers in ascending order; 0 is not a number.
  public var numbers: ClosedRange<Int64> { max(1, first)...first + size - 1 }

  /// The display form, such as `+3316200024x`.
  public var text: String { "+\(first / size)" + String(repeating: "x", count: Int(digits)) }

  /// - Parameter text: digits with `x` in the place of the last one or two.
  public init?(_ text: String) {
    let plain = text.filter { !" -.()/".contains($0) }
    let digits = plain.drop { $0 == "+" }
    let trailing = digits.reversed().prefix { $0 == "x" || $0 == "X" }.count
    guard trailing == 1 || trailing == 2, digits.count <= 15, let head = Int64(digits.dropLast(trailing)), head > 0
    else { return nil }
    self.init(around: head * (trailing == 1 ? 10 : 100), digits: Int16(trailing))
  }
}

/// Finds ranges of numbers that are used together, for example by a caller who rents a block of lines.
///
/// A range of 10 is proposed when at least four of its numbers have complaints, a range of 100 when at least twelve
/// have. At most half of the heat may be on one number, so that one hot number with random neighbors does not form a
/// range. The heat, in units of a fresh complaint of full weight, must be at least 1.5 for each number with complaints,
/// so that one angry person who reports many numbers does not form a range, and at least 6 in total (30 for a range of
/// 100). Numbers with more votes for than against them count against the range: with as many such numbers as members it
/// is not proposed. A range of 10 inside a proposed range of 100 is not proposed.
///
/// False positives: in an area code where one number in a thousand has complaints, four of 10 numbers have them by
/// chance once in 5·10⁹ ranges (binomial), and twelve of 100 once in 10²¹.
public enum RangeDetection {
  /// The most numbers that all approved ranges add to a pack.
  static let maxExpanded = 100_000

  /// The facts about a range.
  public struct Facts: Sendable, Equatable {
    /// The numbers.
    public var range: NumberRange
    /// Number of its numbers with complaints.
    public var members: Int
    /// Sum of their decayed heat.
    public var heat: Double
    /// The greatest heat of one of them.
    public var greatest: Double
    /// Number of its numbers with more votes for than against them.
    public var defended: Int

    /// Creates a value from its properties.
    public init(range: NumberRange, members: Int, heat: Double, greatest: Double, defended: Int) {
      self.range = range
      self.members = members
      self.heat = heat
      self.greatest = greatest
      self.defended = defended
    }
  }

  /// The least number of members of a range.
  public static func minMembers(digits: Int16) -> Int { digits == 1 ? 4 : 12 }

  /// The least heat of a range, in units of a fresh complaint of full weight.
  public static func minHeat(digits: Int16) -> Double { digits == 1 ? 6 : 30 }

  /// Whether a range is proposed.
  public static func proposes(_ facts: Facts) -> Bool {
    facts.members >= minMembers(digits: facts.range.digits)
      && facts.heat >= minHeat(digits: facts.range.digits)
      && facts.heat >= 1.5 * Double(facts.members)
      && facts.greatest * 2 <= facts.heat
      && facts.defended < facts.members
  }
}
