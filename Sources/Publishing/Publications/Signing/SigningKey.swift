public import CallerPack
import Crypto
import Foundation

/// The private half of the key that publications are signed with. Its text never goes into a log or a page.
public struct SigningKey: Sendable {
  private let key: Curve25519.Signing.PrivateKey

  /// Makes a new key.
  public init() {
    key = Curve25519.Signing.PrivateKey()
  }

  /// - Parameter text: 44 characters of Base64, or 64 hex digits: the 32 bytes of Ed25519's seed.
  /// - Returns: nil for anything else.
  public init?(_ text: String) {
    let text = text.trimmingCharacters(in: .whitespacesAndNewlines)
    guard let seed = VerifyingKey(text)?.bytes,
      let key = try? Curve25519.Signing.PrivateKey(rawRepresentation: seed)
    else { return nil }
    self.key = key
  }

  /// The key in Base64, to be kept where nobody else reads.
  public var secretText: String { key.rawRepresentation.base64EncodedString() }

  /// The public half.
  public var verifying: VerifyingKey {
    guard let key = VerifyingKey(Array(key.publicKey.rawRepresentation)) else {
      preconditionFailure("a public key of Ed25519 has 32 bytes")
    }
    return key
  }

  /// Adds this key's signature, in place of one that it made before.
  public func sign(_ envelope: inout Envelope) throws {
    let signature = try key.signature(for: Data(envelope.signedBytes))
    envelope.signatures.removeAll { $0.keyID == verifying.id }
    envelope.signatures.append(Envelope.Signature(keyID: verifying.id, signature: signature))
  }
}

extension Envelope {
  /// Seals the signed part of a manifest.
  /// - Throws: what the encoder or the signature throws.
  public init(sealing head: ManifestHead, with keys: [SigningKey]) throws {
    self.init(payloadType: Manifest.payloadType, payload: try head.encoded(), signatures: [])
    for key in keys { try key.sign(&self) }
  }

  /// Seals a root.
  /// - Throws: what the encoder or the signature throws.
  public init(sealing root: Root, with keys: [SigningKey]) throws {
    self.init(payloadType: Root.payloadType, payload: try root.encoded(), signatures: [])
    for key in keys { try key.sign(&self) }
  }
}
