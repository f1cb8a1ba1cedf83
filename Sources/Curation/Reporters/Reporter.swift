// SPDX-License-Identifier: Apache-2.0

/// A reporter's pseudonym: 16 bytes.
public struct Reporter: Hashable, Sendable, Comparable {
  private let high: UInt64
  private let low: UInt64

  /// - Parameter bytes: 16 bytes; missing ones are 0.
  public init(_ bytes: [UInt8]) {
    high = bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    low = bytes.dropFirst(8).prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
  }

  public var bytes: [UInt8] {
    [high, low].flatMap { word in stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: word >> $0) } }
  }

  public static func < (left: Reporter, right: Reporter) -> Bool { (left.high, left.low) < (right.high, right.low) }
}
