// SPDX-License-Identifier: Apache-2.0

/// Steele, Lea and Flood's SplitMix64: a small generator whose sequence is the same everywhere, for data that must be
/// reproducible from a seed. Not for secrets.
package struct SplitMix64: RandomNumberGenerator {
  private var state: UInt64

  package init(seed: UInt64) { state = seed }

  /// A separate generator for one of several purposes, so that more draws for one do not change another.
  package init(seed: UInt64, purpose: UInt64) {
    var mixer = SplitMix64(seed: seed ^ (purpose &* 0xD134_2543_DE82_EF95))
    state = mixer.next()
  }

  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var word = state
    word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
    word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
    return word ^ (word >> 31)
  }

  /// An evenly distributed number from 0 up to, not including, `bound`, which is 1 or more. The bias, below bound /
  /// 2⁶⁴, does not matter here.
  package mutating func below(_ bound: Int) -> Int { Int(next().multipliedFullWidth(by: UInt64(bound)).high) }

  /// Returns true with a probability of `percent` %.
  mutating func chance(_ percent: Int) -> Bool { below(100) < percent }

  /// One of the elements, of which there is at least one.
  mutating func pick<Element>(_ elements: [Element]) -> Element { elements[below(elements.count)] }
}
