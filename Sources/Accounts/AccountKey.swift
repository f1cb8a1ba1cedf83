import Crypto
import Foundation

/// The key that accounts' secrets are kept with. It lies beside the database, not in it: a stolen copy of the database
/// has no second factor, no recovery code, and no address in it.
public struct AccountKey: Sendable {
  private let sealing: SymmetricKey
  private let counting: SymmetricKey
  private let recovering: SymmetricKey

  /// 32 bytes that tell keys apart and say nothing of them.
  public let fingerprint: [UInt8]

  /// - Parameter bytes: 32 random ones.
  public init(_ bytes: [UInt8]) {
    precondition(bytes.count == 32)
    func derived(_ purpose: String) -> SymmetricKey {
      HKDF<SHA256>.deriveKey(
        inputKeyMaterial: SymmetricKey(data: bytes), info: Data("ringfence \(purpose)".utf8), outputByteCount: 32)
    }
    (sealing, counting, recovering) = (derived("sealing"), derived("counting"), derived("recovering"))
    fingerprint = derived("fingerprint").withUnsafeBytes { Array($0) }
  }

  /// Encrypts a secret for an account (AES-256-GCM): nonce, text and tag in one.
  public func seal(_ secret: [UInt8], for account: Int32) throws -> [UInt8] {
    guard let sealed = try AES.GCM.seal(secret, using: sealing, authenticating: Self.owner(account)).combined else {
      throw CryptoKitError.incorrectParameterSize
    }
    return Array(sealed)
  }

  /// Decrypts it; nil where it was made for another account, with another key, or changed.
  public func open(_ sealed: [UInt8], for account: Int32) -> [UInt8]? {
    guard let box = try? AES.GCM.SealedBox(combined: sealed) else { return nil }
    return (try? AES.GCM.open(box, using: sealing, authenticating: Self.owner(account))).map { Array($0) }
  }

  /// What stands for a subject whose attempts are counted: 32 bytes.
  func subject(_ kind: String, _ parts: [UInt8]...) -> [UInt8] {
    var code = HMAC<SHA256>(key: counting)
    code.update(data: Data(kind.utf8))
    for part in parts {
      // With their lengths, so that no two subjects run together.
      withUnsafeBytes(of: UInt32(part.count).bigEndian) { code.update(data: $0) }
      code.update(data: part)
    }
    return Array(code.finalize())
  }

  /// What is stored of a recovery code: 32 bytes.
  func recovery(_ code: String) -> [UInt8] {
    Array(HMAC<SHA256>.authenticationCode(for: Data(code.utf8), using: recovering))
  }

  private static func owner(_ account: Int32) -> Data {
    Data("totp \(account)".utf8)
  }
}
