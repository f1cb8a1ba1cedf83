// SPDX-License-Identifier: Apache-2.0

/// A repeatable random number generator.
public struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  /// - Parameter seed: the same seed gives the same numbers.
  public init(seed: UInt64) { state = seed }

  /// SplitMix64 (Steele, Lea, Flood 2014).
  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}
