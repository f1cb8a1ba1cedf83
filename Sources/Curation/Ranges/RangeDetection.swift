// SPDX-License-Identifier: Apache-2.0

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
  public struct Facts: Sendable, Equatable {
    public var range: RangePattern
    /// Number of its numbers with complaints.
    public var members: Int
    /// Sum of their decayed heat.
    public var heat: Double
    /// The greatest heat of one of them.
    public var greatest: Double
    /// Number of its numbers with more votes for than against them.
    public var defended: Int

    public init(range: RangePattern, members: Int, heat: Double, greatest: Double, defended: Int) {
      self.range = range
      self.members = members
      self.heat = heat
      self.greatest = greatest
      self.defended = defended
    }
  }

  /// The least decayed heat of a number with complaints that counts.
  public static let memberHeat = 0.25

  /// The sizes of the ranges that are searched for, the wider one first.
  public static let sizes: [Int64] = [100, 10]

  public static func minMembers(size: Int64) -> Int { size == 10 ? 4 : 12 }

  /// In units of a fresh complaint of full weight.
  public static func minHeat(size: Int64) -> Double { size == 10 ? 6 : 30 }

  public static func proposes(_ facts: Facts) -> Bool {
    facts.members >= minMembers(size: facts.range.size)
      && facts.heat >= minHeat(size: facts.range.size)
      && facts.heat >= 1.5 * Double(facts.members)
      && facts.greatest * 2 <= facts.heat
      && facts.defended < facts.members
  }
}
