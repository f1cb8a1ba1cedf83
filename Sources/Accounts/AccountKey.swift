// SPDX-License-Identifier: Apache-2.0

import Crypto
import Foundation

/// The key that encrypts accounts' secrets. It is stored outside the database: a stolen copy of the database reveals no
/// second factor, no recovery code and no network address.
public struct AccountKey: Sendable {
  private let sealing: SymmetricKey
  private let counting: SymmetricKey
  private let recovering: SymmetricKey

  /// 32 bytes that distinguish keys and reveal nothing about them.
  public let fingerprint: [UInt8]

  /// - Parameter bytes: 32 random bytes.
  public init(_ bytes: [UInt8]) {
    precondition(bytes.count == 32)
    func derived(_ purpose: String) -> SymmetricKey {
      HKDF<SHA256>.deriveKey(
        inputKeyMaterial: SymmetricKey(data: bytes), info: Data("ringfence \(purpose)".utf8), outputByteCount: 32)
    }
    (sealing, counting, recovering) = (derived("sealing"), derived("counting"), derived("recovering"))
    fingerprint = derived("fingerprint").withUnsafeBytes { Array($0) }
  }

  /// Encrypts a secret for an account (AES-256-GCM): nonce, ciphertext and tag.
  public func seal(_ secret: [UInt8], for account: Int32) throws -> [UInt8] {
    guard let sealed = try AES.GCM.seal(secret, using: sealing, authenticating: Self.owner(account)).combined else {
      throw CryptoKitError.incorrectParameterSize
    }
    return Array(sealed)
  }

  /// Decrypts a secret; nil where it was encrypted for another account or with another key, or was changed.
  public func open(_ sealed: [UInt8], for account: Int32) -> [UInt8]? {
    guard let box = try? AES.GCM.SealedBox(combined: sealed) else { return nil }
    return (try? AES.GCM.open(box, using: sealing, authenticating: Self.owner(account))).map { Array($0) }
  }

  /// A keyed hash of a subject whose attempts are counted: 32 bytes.
  func subject(_ kind: String, _ parts: [UInt8]...) -> [UInt8] {
    var code = HMAC<SHA256>(key: counting)
    code.update(data: Data(kind.utf8))
    for part in parts {
      // With their lengths, so that different subjects cannot have the same input.
      withUnsafeBytes(of: UInt32(part.count).bigEndian) { code.update(data: $0) }
      code.update(data: part)
    }
    return Array(code.finalize())
  }

  /// The stored hash of a recovery code: 32 bytes.
  func recovery(_ code: String) -> [UInt8] {
    Array(HMAC<SHA256>.authenticationCode(for: Data(code.utf8), using: recovering))
  }

  private static func owner(_ account: Int32) -> Data {
    Data("totp \(account)".utf8)
  }
}
