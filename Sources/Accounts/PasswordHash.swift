// SPDX-License-Identifier: Apache-2.0

import Crypto
import CryptoExtras
import Foundation

/// A password as it is stored: `scrypt$15$8$1$SALT$HASH`, salt and hash in base64. The parameters are included, so that
/// they can be strengthened later.
struct PasswordHash: Equatable, Sendable {
  /// scrypt's cost: N = 2^log2N, block size r, parallelism p (RFC 7914). Memory is 128·N·r bytes.
  struct Cost: Equatable, Sendable {
    let log2N: Int
    let r: Int
    let p: Int

    /// 32 MiB.
    static let standard = Cost(log2N: 15, r: 8, p: 1)
  }

  let cost: Cost
  let salt: [UInt8]
  let hash: [UInt8]

  var text: String {
    "scrypt$\(cost.log2N)$\(cost.r)$\(cost.p)$\(Data(salt).base64EncodedString())$\(Data(hash).base64EncodedString())"
  }

  /// Hashes a new password with a new salt. Takes about 100 ms and ``Cost``'s memory.
  init(_ password: String, cost: Cost = .standard) throws {
    self.cost = cost
    salt = (0..<16).map { _ in UInt8.random(in: 0...255) }
    hash = try Self.derive(Self.bytes(password), salt: salt, cost: cost, count: 32)
  }

  /// - Parameter text: the format of ``text``; nil for anything else, and for a cost above 256 MiB.
  init?(_ text: String) {
    let parts = text.split(separator: "$", omittingEmptySubsequences: false)
    guard parts.count == 6, parts[0] == "scrypt", let log2N = Int(parts[1]), let r = Int(parts[2]),
      let p = Int(parts[3]), (1...18).contains(log2N), (1...32).contains(r), (1...16).contains(p),
      128 * r << log2N <= 1 << 28, let salt = Data(base64Encoded: String(parts[4])),
      let hash = Data(base64Encoded: String(parts[5])), !salt.isEmpty, hash.count == 32
    else { return nil }
    cost = Cost(log2N: log2N, r: r, p: p)
    self.salt = Array(salt)
    self.hash = Array(hash)
  }

  /// Whether a password matches. A wrong one takes as long as the right one.
  func matches(_ password: String) throws -> Bool {
    let other = try Self.derive(Self.bytes(password), salt: salt, cost: cost, count: hash.count)
    return ConstantTime.areEqual(other, hash)
  }

  static func derive(_ password: [UInt8], salt: [UInt8], cost: Cost, count: Int) throws -> [UInt8] {
    let key = try KDF.Scrypt.deriveKey(
      from: password, salt: salt, outputByteCount: count, rounds: 1 << cost.log2N, blockSize: cost.r,
      parallelism: cost.p)
    return key.withUnsafeBytes { Array($0) }
  }

  /// The bytes of a password, equal for all keyboards (RFC 8265 asks for NFC; NFKC accepts more variants).
  private static func bytes(_ password: String) -> [UInt8] {
    Array(password.precomposedStringWithCompatibilityMapping.utf8)
  }
}
