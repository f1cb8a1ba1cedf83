// SPDX-License-Identifier: Apache-2.0

public import CallerPack
import Crypto
import Foundation

/// The private key that signs publications. It never appears in a log or on a page.
public struct SigningKey: Sendable {
  private let key: Curve25519.Signing.PrivateKey

  public init() {
    key = Curve25519.Signing.PrivateKey()
  }

  /// - Parameter text: the 32 bytes of an Ed25519 seed as 44 characters of Base64 or 64 hex digits.
  /// - Returns: nil for anything else.
  public init?(_ text: String) {
    let text = text.trimmingCharacters(in: .whitespacesAndNewlines)
    guard let seed = VerifyingKey(text)?.bytes,
      let key = try? Curve25519.Signing.PrivateKey(rawRepresentation: seed)
    else { return nil }
    self.key = key
  }

  /// The private key in Base64; keep it secret.
  public var secretText: String { key.rawRepresentation.base64EncodedString() }

  public var verifying: VerifyingKey {
    guard let key = VerifyingKey(Array(key.publicKey.rawRepresentation)) else {
      preconditionFailure("a public key of Ed25519 has 32 bytes")
    }
    return key
  }

  /// Adds this key's signature and replaces an earlier one.
  public func sign(_ envelope: inout Envelope) throws {
    let signature = try key.signature(for: Data(envelope.signedBytes))
    envelope.signatures.removeAll { $0.keyID == verifying.id }
    envelope.signatures.append(Envelope.Signature(keyID: verifying.id, signature: signature))
  }
}

extension Envelope {
  /// - Throws: errors of the encoder or the signature.
  public init(sealing head: ManifestHead, with keys: [SigningKey]) throws {
    self.init(payloadType: Manifest.payloadType, payload: try head.encoded(), signatures: [])
    for key in keys { try key.sign(&self) }
  }

  /// - Throws: errors of the encoder or the signature.
  public init(sealing root: Root, with keys: [SigningKey]) throws {
    self.init(payloadType: Root.payloadType, payload: try root.encoded(), signatures: [])
    for key in keys { try key.sign(&self) }
  }
}
