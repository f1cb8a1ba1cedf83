// SPDX-License-Identifier: Apache-2.0

import Crypto
public import Foundation

/// The code that a person who appealed receives; it opens the page with the answer.
///
/// 160 random bits in 32 unambiguous characters. Only the hash is stored.
public struct AppealTicket: Sendable, Equatable {
  /// 32 characters of `ABCDEFGHJKMNPQRSTVWXYZ0123456789`, in groups of eight with `-` between.
  public let code: String

  /// Of the key for stamps and tickets.
  public static let purpose = "appeals"

  private static let letters = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ")

  /// A new random ticket.
  public init() {
    var generator = SystemRandomNumberGenerator()
    let characters = (0..<32).map { _ in Self.letters[Int(generator.next() & 31)] }
    code = Self.grouped(characters)
  }

  /// The ticket for a form's stamp. A form that is sent twice gets the same ticket; without the key it cannot be computed.
  /// - Parameter key: that all servers share.
  public init?(stamp: [UInt8], key: some ContiguousBytes) {
    let code = HMAC<SHA256>.authenticationCode(for: Data("ticket ".utf8) + Data(stamp), using: SymmetricKey(data: key))
    self.init(bytes: Array(code.prefix(20)))
  }

  /// The ticket of 20 bytes, which must be unpredictable.
  /// - Returns: nil for another count of bytes.
  public init?(bytes: [UInt8]) {
    guard bytes.count == 20 else { return nil }
    var (characters, bits, count): ([Character], Int, Int) = ([], 0, 0)
    for byte in bytes {
      (bits, count) = (bits << 8 | Int(byte), count + 8)
      while count >= 5 {
        count -= 5
        characters.append(Self.letters[bits >> count & 31])
      }
      bits &= 31
    }
    code = Self.grouped(characters)
  }

  /// A typed ticket: spaces, dashes and the case of letters are ignored.
  /// - Returns: nil when the text is not a ticket.
  public init?(_ text: String) {
    guard text.utf8.count <= 64 else { return nil }
    let characters = text.uppercased().filter { $0 != "-" && $0 != " " }.map { character -> Character in
      switch character {
      case "O": "0"
      case "I", "L": "1"
      default: character
      }
    }
    guard characters.count == 32, characters.allSatisfy({ Self.letters.contains($0) }) else { return nil }
    code = Self.grouped(characters)
  }

  /// SHA-256 of the code, 32 bytes; only this is stored.
  public var hash: [UInt8] { Array(SHA256.hash(data: Data(code.utf8))) }

  private static func grouped(_ characters: [Character]) -> String {
    stride(from: 0, to: 32, by: 8).map { String(characters[$0..<$0 + 8]) }.joined(separator: "-")
  }
}
