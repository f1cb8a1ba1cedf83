// SPDX-License-Identifier: Apache-2.0

import CQRCode
import Crypto
import Curation
public import Foundation

/// Codes of authenticator apps: TOTP (RFC 6238) with HMAC-SHA-1, steps of 30 seconds and six digits, which every app
/// supports.
public enum TOTP {
  /// Length of a step in seconds.
  public static let period: TimeInterval = 30
  /// Digits of a code.
  static let length = 6
  /// Length of a secret in bytes, equal to the length of a SHA-1 hash.
  static let secretLength = 20

  public static func makeSecret() -> [UInt8] { (0..<secretLength).map { _ in UInt8.random(in: 0...255) } }

  public static func step(at time: Date) -> Int64 { Int64((time.timeIntervalSince1970 / period).rounded(.down)) }

  /// The code of a step (RFC 4226, 5.3).
  public static func code(secret: [UInt8], step: Int64, digits: Int = 6) -> String {
    let message = withUnsafeBytes(of: step.bigEndian) { Data($0) }
    let mac = Array(HMAC<Insecure.SHA1>.authenticationCode(for: message, using: SymmetricKey(data: secret)))
    let offset = Int(mac[19] & 0x0F)
    let number = mac[offset..<offset + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) } & 0x7FFF_FFFF
    let modulus = (0..<digits).reduce(UInt32(1)) { product, _ in product &* 10 }
    let text = String(digits < 10 ? number % modulus : number)
    return String(repeating: "0", count: max(0, digits - text.count)) + text
  }

  /// The ASCII digits of one typed code or of two, with the digits of any script, and white space and dashes among them; nil
  /// for another text.
  public static func digits(of typed: String) -> String? {
    var digits = ""
    for scalar in typed.unicodeScalars {
      let properties = scalar.properties
      if properties.numericType == .decimal, let value = properties.numericValue {
        digits += "\(Int(value))"
      } else if !properties.isWhitespace, !properties.isDash, properties.generalCategory != .format {
        return nil
      }
    }
    return [length, 2 * length].contains(digits.utf8.count) ? digits : nil
  }

  /// The step of a typed code, at most one step early or late; nil when it is wrong. Of two successive codes, typed one
  /// after the other, the step of the second.
  /// - Parameters:
  ///   - typed: of ``digits(of:)``.
  ///   - after: codes of this step and of earlier ones were used before.
  public static func step(of typed: String, secret: [UInt8], at time: Date, after: Int64 = 0) -> Int64? {
    let now = step(at: time)
    let more: Int64 = typed.utf8.count == 2 * length ? 1 : 0
    // All three are compared, so that the time does not reveal which one matches.
    var found: Int64?
    for step in now - 1...now + 1 {
      let expected = (step - more...step).map { code(secret: secret, step: $0) }.joined()
      if ConstantTime.areEqual(expected.utf8, typed.utf8), step - more > after { found = step }
    }
    return found
  }

  /// A secret for typing into an app: base32 (RFC 4648) in groups of four.
  public static func text(of secret: [UInt8]) -> String {
    let plain = Base32.encode(secret)
    return stride(from: 0, to: plain.count, by: 4).map { String(plain.dropFirst($0).prefix(4)) }.joined(separator: " ")
  }

  /// A secret as a URI for a link or a QR code.
  public static func address(of secret: [UInt8], account: String) -> String {
    let allowed = CharacterSet.alphanumerics.intersection(CharacterSet(charactersIn: "\0"..."~"))
    let name = account.addingPercentEncoding(withAllowedCharacters: allowed) ?? ""
    return "otpauth://totp/Ringfence:\(name)?secret=\(Base32.encode(secret))&issuer=Ringfence"
  }
}

/// Base32 (RFC 4648, section 6) without padding.
enum Base32 {
  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)

  static func encode(_ bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    var (bits, count) = (UInt32(0), 0)
    for byte in bytes {
      bits = bits << 8 | UInt32(byte)
      count += 8
      while count >= 5 {
        count -= 5
        text.append(alphabet[Int(bits >> count & 31)])
      }
      bits &= (1 << count) - 1
    }
    if count > 0 { text.append(alphabet[Int(bits << (5 - count) & 31)]) }
    return String(decoding: text, as: UTF8.self)
  }
}

/// Recovery codes for a lost authenticator app: ten, of nearly 50 random bits each, shown once.
public enum RecoveryCodes {
  public static let count = 10

  /// New codes, such as `k3xq7-mn2pa`.
  public static func make() -> [String] {
    // Without i, l, o and 1, 0, which look alike.
    let alphabet = Array("abcdefghjkmnpqrstuvwxyz23456789")
    return (0..<count).map { _ in
      let letters = (0..<10).map { _ in alphabet[Int.random(in: 0..<alphabet.count)] }
      return String(letters.prefix(5)) + "-" + String(letters.suffix(5))
    }
  }

  /// Normalizes a typed code by removing additional characters; nil when it cannot be a code.
  public static func normalised(_ typed: String) -> String? {
    let letters = typed.lowercased().filter { $0.isASCII && ($0.isLetter || $0.isNumber) }
    return letters.count == 10 ? "\(letters.prefix(5))-\(letters.suffix(5))" : nil
  }

  public static func hashes(_ codes: [String], key: AccountKey) -> [[UInt8]] { codes.map(key.recovery) }
}

/// A QR code as the path of an SVG picture, drawn by libqrencode.
public struct QRCode: Sendable, Equatable {
  /// Modules from edge to edge, including the quiet zone of four on each side.
  public let size: Int
  /// The path's `d`: dark modules of one unit each.
  public let path: String

  /// - Parameter text: the content; nil when it is too long for a code.
  public init?(_ text: String) {
    guard let code = QRcode_encodeString8bit(text, 0, QR_ECLEVEL_M) else { return nil }
    defer { QRcode_free(code) }
    let width = Int(code.pointee.width)
    let modules = UnsafeBufferPointer(start: code.pointee.data, count: width * width)
    var path = ""
    for y in 0..<width {
      var x = 0
      while x < width {
        guard modules[y * width + x] & 1 == 1 else {
          x += 1
          continue
        }
        let start = x
        while x < width, modules[y * width + x] & 1 == 1 { x += 1 }
        path += "M\(start + 4) \(y + 4)h\(x - start)v1h-\(x - start)z"
      }
    }
    size = width + 8
    self.path = path
  }
}
