/// About how many networks complained of a number: a set of 64 bits, one of which each network sets.
///
/// Linear counting (Whang, Vander-Zanden, Taylor, ACM TODS 15, 1990) with one difference: the bits set are taken for the
/// number of networks. Networks that share a bit count once, so it is an undercount, and never makes a number look worse:
/// 5 networks are counted as 4.85 on average, 10 as 9.3, 64 as 40.6. The bits outlive the networks' hashes, which are
/// purged after 30 days, and tell nothing about any one of them.
public struct NetworkSketch: Sendable, Equatable {
  /// Bit i is set when a network was seen whose hash begins with a byte that is i modulo 64.
  public private(set) var bits: UInt64

  /// - Parameter bits: see the property.
  public init(bits: UInt64 = 0) {
    self.bits = bits
  }

  /// Networks at least, 0 to 64.
  public var count: Int { bits.nonzeroBitCount }

  /// Adds a network.
  /// - Parameter hash: its keyed hash; an empty one adds nothing.
  public mutating func insert(_ hash: [UInt8]) {
    guard let first = hash.first else { return }
    bits |= 1 << UInt64(first & 63)
  }
}
