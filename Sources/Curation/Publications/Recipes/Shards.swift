// SPDX-License-Identifier: Apache-2.0

/// The division of a recipe into packs for several extensions.
///
/// The shard of a number depends only on the number and on this value: it does not change between publications,
/// whatever else is listed.
public enum Shards: Sendable, Equatable {
  case one
  /// This many shards, 2 to 64, by a hash of the number; about equal in size.
  case hashed(Int)
  /// A shard from each of these prefixes of E.164 digits on, in the order of digits read from the left; ascending, the
  /// first is `1`. Sizes differ, and packs are smaller than hashed ones, since adjacent numbers stay together.
  case from([Int64])

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

  /// The shard of a number, and the last number of the same length from it on that is in the same shard without a gap.
  public func part(from number: Int64) -> (index: Int, last: Int64) {
    switch self {
    case .one: (0, .max)
    case .hashed: (index(of: number), number)
    case .from(let starts):
      (
        index(of: number),
        starts.lazy.map(Self.place).first { $0 > Self.place(number) }.map { Self.last(before: $0, like: number) }
          ?? .max
      )
    }
  }

  /// The greatest number with as many digits as another that is read before a place.
  private static func last(before place: Int64, like number: Int64) -> Int64 {
    (place - 1) / (Self.place(number) / number)
  }

  /// The sort key of digits read from the left: filled with zeros up to 15 digits.
  public static func place(_ digits: Int64) -> Int64 {
    var place = max(1, digits)
    while place < 100_000_000_000_000 { place *= 10 }
    return place
  }

  /// The first output of SplitMix64 for the number; readers depend on it, so it must not change.
  private static func mixed(_ number: Int64) -> UInt64 {
    (UInt64(bitPattern: number) &+ 0x9E37_79B9_7F4A_7C15).splitMix
  }
}

extension UInt64 {
  /// The word mixed by the finalizer of SplitMix64 (Steele, Lea, Flood 2014).
  var splitMix: UInt64 {
    var word = self
    word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
    word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
    return word ^ (word >> 31)
  }
}
