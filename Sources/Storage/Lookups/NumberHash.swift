import Crypto
import Foundation

/// What a lookup that keeps the caller private is made by: SHA-256 over the ASCII characters of the E.164 number with its
/// plus and nothing else, such as `+33162000248`.
public enum NumberHash {
  /// The 32 bytes.
  /// - Parameter number: E.164 digits.
  public static func of(_ number: Int64) -> [UInt8] {
    Array(SHA256.hash(data: Data("+\(number)".utf8)))
  }
}

/// The first 4 to 8 hex digits of a ``NumberHash``.
public struct NumberHashPrefix: Sendable, Hashable {
  /// Lower-case hex digits, 4 to 8.
  public let text: String

  /// - Parameter text: nil for anything but 4 to 8 digits and letters a to f in lower case: every prefix has one address.
  public init?(_ text: String) {
    guard (4...8).contains(text.utf8.count),
      text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || (0x61...0x66).contains($0) })
    else { return nil }
    self.text = text
  }

  /// The least and the greatest four bytes that begin so.
  var bounds: (least: [UInt8], greatest: [UInt8]) { (padded("0"), padded("f")) }

  private func padded(_ digit: Character) -> [UInt8] {
    let value = UInt32(text + String(repeating: digit, count: 8 - text.utf8.count), radix: 16) ?? 0
    return [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> UInt32($0)) }
  }
}
