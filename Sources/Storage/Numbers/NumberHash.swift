// SPDX-License-Identifier: Apache-2.0

import Crypto
import Foundation

/// The hash for private lookups: SHA-256 over the ASCII characters of the E.164 number with its plus and nothing else,
/// such as `+33162000248`.
///
/// An app sends the first 4 to 8 hex digits and compares the complete hash itself. **The server can learn:** which
/// app asked, when, from which network, and that the caller is one of the numbers whose hash has this prefix. With four
/// digits those are one in 65,536 of all numbers: some 15,000 of a thousand million that are in use, and among them,
/// with 2,000,000 numbers listed, about 31 listed ones. With eight digits it is one in 4,000 million: about as good as
/// the number itself. So apps should send four digits; more digits suit apps that trust the server and want short
/// answers. **It cannot learn:** which of those numbers called, and whether the app found it. By adding or leaving
/// out listed numbers, it could learn from a later report whether the app met one. Trying all numbers reverses a hash;
/// a prefix hides a number among others, but the hash is not a secret. An eavesdropper on the connection sees the
/// length of the answer, which is padded in steps.
public enum NumberHash {
  /// The 32 bytes.
  /// - Parameter number: E.164 digits.
  public static func of(_ number: Int64) -> [UInt8] {
    Array(SHA256.hash(data: Data("+\(number)".utf8)))
  }
}

/// The first 4 to 8 hex digits of a ``NumberHash``.
public struct NumberHashPrefix: Sendable, Hashable {
  /// Lowercase hex digits, 4 to 8.
  public let text: String

  /// - Parameter text: 4 to 8 lowercase hex digits; anything else gives nil, so that every prefix has one URL.
  public init?(_ text: String) {
    guard (4...8).contains(text.utf8.count),
      text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || (0x61...0x66).contains($0) })
    else { return nil }
    self.text = text
  }

  /// The smallest and the greatest four bytes with this prefix.
  var bounds: (least: [UInt8], greatest: [UInt8]) { (padded("0"), padded("f")) }

  private func padded(_ digit: Character) -> [UInt8] {
    let value = UInt32(text + String(repeating: digit, count: 8 - text.utf8.count), radix: 16) ?? 0
    return [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> UInt32($0)) }
  }
}
