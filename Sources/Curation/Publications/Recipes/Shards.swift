/// How a recipe is divided into packs for several extensions.
///
/// Which shard a number is in depends on the number and on this alone: it does not move from night to night, whatever
/// else is listed.
public enum Shards: Sendable, Equatable {
  /// Undivided.
  case one
  /// This many, 2 to 64, by a hash of the number: of the same size but for chance.
  case hashed(Int)
  /// A shard from each of these prefixes of E.164 digits on, in the order of digits read from the left; ascending, the
  /// first is `1`. Sizes differ, and packs are smaller than hashed ones, since neighbours stay together.
  case from([Int64])

  /// How many there are.
  public var count: Int {
    switch self {
    case .one: 1
    case .hashed(let count): count
    case .from(let starts): starts.count
    }
  }

  /// The shard of a number, from 0.
  public func index(of number: Int64) -> Int {
    switch self {
    case .one: 0
    case .hashed(let count): Int(Self.mixed(number).multipliedFullWidth(by: UInt64(count)).high)
    case .from(let starts):
      (starts.lastIndex { Self.place($0) <= Self.place(number) }) ?? 0
    }
  }

  /// Where digits stand when read from the left: filled up to 15.
  public static func place(_ digits: Int64) -> Int64 {
    var place = max(1, digits)
    while place < 100_000_000_000_000 { place *= 10 }
    return place
  }

  /// SplitMix64's finaliser (Steele, Lea, Flood 2014): part of what readers rely on, never changed.
  private static func mixed(_ number: Int64) -> UInt64 {
    var word = UInt64(bitPattern: number) &+ 0x9E37_79B9_7F4A_7C15
    word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
    word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
    return word ^ (word >> 31)
  }
}
