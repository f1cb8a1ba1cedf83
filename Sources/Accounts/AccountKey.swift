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
    try seal(secret, for: Self.owner(account))
  }

  func seal(_ secret: some Collection<UInt8>, for purpose: String) throws -> [UInt8] {
    let box = try AES.GCM.seal(Data(secret), using: sealing, authenticating: Data(purpose.utf8))
    guard let sealed = box.combined else { throw CryptoKitError.incorrectParameterSize }
    return Array(sealed)
  }

  /// Decrypts a secret; nil where it was encrypted for another account or with another key, or was changed.
  public func open(_ sealed: [UInt8], for account: Int32) -> [UInt8]? { open(sealed, for: Self.owner(account)) }

  /// Decrypts a secret; nil where it was encrypted for another purpose or with another key, or was changed.
  func open(_ sealed: some Collection<UInt8>, for purpose: String) -> [UInt8]? {
    guard let box = try? AES.GCM.SealedBox(combined: Data(sealed)) else { return nil }
    return (try? AES.GCM.open(box, using: sealing, authenticating: Data(purpose.utf8))).map { Array($0) }
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

  private static func owner(_ account: Int32) -> String { "totp \(account)" }
}
