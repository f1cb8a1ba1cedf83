// SPDX-License-Identifier: Apache-2.0

/// An estimate of the number of networks with complaints about a number: a set of 64 bits, of which each network sets
/// one.
///
/// Linear counting (Whang, Vander-Zanden, Taylor, ACM TODS 15, 1990) with one difference: the count of set bits is used
/// as the number of networks. Networks that share a bit count once, so it underestimates and never makes a number
/// appear worse: 5 networks are counted as 4.85 on average, 10 as 9.3, 64 as 40.6. The bits are kept longer than the
/// networks' hashes, which are purged after 30 days, and reveal nothing about a single network.
public struct NetworkSketch: Sendable, Equatable {
  /// Bit i is set when the first byte of a network's hash was i modulo 64.
  public private(set) var bits: UInt64

  /// - Parameter bits: see the property.
  public init(bits: UInt64 = 0) {
    self.bits = bits
  }

  /// A lower bound of the number of networks, 0 to 64.
  public var count: Int { bits.nonzeroBitCount }

  /// Adds a network.
  /// - Parameter hash: its keyed hash; an empty one adds nothing.
  public mutating func insert(_ hash: [UInt8]) {
    guard let first = hash.first else { return }
    bits |= 1 << UInt64(first & 63)
  }
}
