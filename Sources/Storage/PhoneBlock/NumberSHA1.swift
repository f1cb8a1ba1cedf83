// SPDX-License-Identifier: Apache-2.0

import Crypto
import Foundation

/// The hash of PhoneBlock's lookups: SHA-1 over the number with its plus, such as `+33162000248`.
///
/// PostgreSQL has no SHA-1, so listings have a column with the first eight bytes, which the server calculates.
public enum NumberSHA1 {
  /// The 20 bytes.
  /// - Parameter text: a number with its plus, or the beginning of one.
  public static func of(_ text: String) -> [UInt8] {
    Array(Insecure.SHA1.hash(data: Data(text.utf8)))
  }

  /// The first eight bytes in network byte order, as listings store them.
  /// - Parameter number: E.164 digits.
  static func stored(_ number: Int64) -> Int64 { stored(of("+\(number)")) }

  static func stored(_ bytes: some Sequence<UInt8>) -> Int64 {
    Int64(bitPattern: bytes.prefix(8).reduce(0 as UInt64) { $0 << 8 | UInt64($1) })
  }
}

/// The first bytes of a ``NumberSHA1``, or all of them.
public struct NumberSHA1Prefix: Sendable, Hashable {
  /// 2 to 20 bytes.
  public let bytes: [UInt8]

  /// - Parameter text: an even count of 4 to 40 hex digits in either case; anything else gives nil.
  public init?(_ text: some StringProtocol) {
    let digits = text.utf8.map(Self.value)
    guard (4...40).contains(digits.count), digits.count.isMultiple(of: 2), !digits.contains(nil) else { return nil }
    bytes = stride(from: 0, to: digits.count, by: 2).map { (digits[$0] ?? 0) << 4 | (digits[$0 + 1] ?? 0) }
  }

  /// Whether it is a complete hash.
  public var isComplete: Bool { bytes.count == 20 }

  /// Whether a hash begins with it.
  /// - Parameter hash: see ``NumberSHA1/of(_:)``.
  public func matches(_ hash: [UInt8]) -> Bool { hash.starts(with: bytes) }

  /// The smallest and the greatest stored value with this prefix. The first bit is fixed, so both have the same sign.
  var bounds: (least: Int64, greatest: Int64) {
    let rest = max(0, 8 - bytes.count)
    return (
      NumberSHA1.stored(bytes + [UInt8](repeating: 0, count: rest)),
      NumberSHA1.stored(bytes + [UInt8](repeating: 255, count: rest))
    )
  }

  private static func value(_ digit: UInt8) -> UInt8? {
    switch digit {
    case 0x30...0x39: digit - 0x30
    case 0x41...0x46: digit - 0x41 + 10
    case 0x61...0x66: digit - 0x61 + 10
    default: nil
    }
  }
}
