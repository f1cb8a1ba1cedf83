/// Finds blocks of numbers that attack together, as whoever rents a block of lines and calls from all of them does.
///
/// A block of ten is proposed when complaints fall on at least four of its numbers, a block of a hundred when they fall on
/// at least twelve, and no more than half of the heat lies on one number: one hot number with chance neighbours is no
/// range. The heat, in fresh complaints of full weight, is at least 1.5 a number complained of, so that a single angry
/// person who dials along does not make one, and 6 (30 for a hundred) in all. A number in the block whose callers say that
/// it is no nuisance speaks against the block: with as many such numbers as complained-of ones it is none. A block of ten
/// inside a proposed hundred is not proposed by itself.
///
/// Four of ten: in an area code where one number in a thousand is complained of, a block of ten has four such numbers by
/// chance once in 5·10⁹ blocks (binomial), and twelve of a hundred once in 10²¹.
public enum RangeDetection {
  /// The most numbers that all approved ranges add to a pack.
  public static let mostExpanded = 100_000

  /// What is known of a block.
  public struct Facts: Sendable, Equatable {
    /// The block.
    public var range: NumberRange
    /// Its numbers that are complained of.
    public var members: Int
    /// Their decayed heat together.
    public var heat: Double
    /// The greatest of theirs.
    public var greatest: Double
    /// Its numbers for which more is said than against them.
    public var defended: Int

    /// - Parameters: see the properties.
    public init(range: NumberRange, members: Int, heat: Double, greatest: Double, defended: Int) {
      self.range = range
      self.members = members
      self.heat = heat
      self.greatest = greatest
      self.defended = defended
    }
  }

  /// The fewest complained-of numbers of a block.
  public static func leastMembers(digits: Int16) -> Int { digits == 1 ? 4 : 12 }

  /// The least heat of a block, in fresh complaints of full weight.
  public static func leastHeat(digits: Int16) -> Double { digits == 1 ? 6 : 30 }

  /// Whether a block is to be proposed.
  public static func proposes(_ facts: Facts) -> Bool {
    facts.members >= leastMembers(digits: facts.range.digits)
      && facts.heat >= leastHeat(digits: facts.range.digits)
      && facts.heat >= 1.5 * Double(facts.members)
      && facts.greatest * 2 <= facts.heat
      && facts.defended < facts.members
  }
}
