import Crypto
import Foundation

/// What a lookup that keeps the caller private is made by: SHA-256 over the ASCII characters of the E.164 number with its
/// plus and nothing else, such as `+33162000248`.
///
/// An app asks for the first 4 to 8 hex digits and compares the whole hash at home. **What the server can learn:** which
/// app asked, when, from which network, and that the caller is one of the numbers whose hash begins so. With four digits
/// those are one in 65,536 of all numbers: some 15,000 of a thousand million that are in use, and among them, with
/// 2,000,000 numbers listed, about 31 listed ones. With eight digits it is one in 4,000 million: about as good as the
/// number itself. So apps should ask with four digits; more are for those who trust the server and want short answers.
/// **What it cannot learn:** which of those numbers rang, and whether the app found it. It could put listed numbers in or
/// leave them out, so it learns whether an app that then reports or blocks has met one. Whoever tries all numbers can undo
/// a hash; it hides a number among others, and is no secret by itself. An eavesdropper on the connection sees the length
/// of the answer, which is padded in steps.
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
