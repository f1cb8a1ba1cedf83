// SPDX-License-Identifier: Apache-2.0

#if canImport(CryptoKit)
  import CryptoKit
#else
  import Crypto
#endif

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The public half of an Ed25519 key.
public struct VerifyingKey: Sendable, Hashable, CustomStringConvertible {
  /// The 32 bytes of the key.
  public let bytes: [UInt8]

  /// Creates a key from its bytes.
  /// - Returns: nil for anything but 32 bytes.
  public init?(_ bytes: some Collection<UInt8>) {
    guard bytes.count == 32 else { return nil }
    self.bytes = Array(bytes)
  }

  /// Creates a key from text, as `ringfence keys list` prints it.
  /// - Parameter text: 44 characters of Base64, or 64 hex digits.
  /// - Returns: nil for anything else.
  public init?(_ text: String) {
    if let digest = PackDigest(hex: text) {
      bytes = digest.bytes
    } else if let data = Data(canonicalBase64: text), data.count == 32 {
      bytes = [UInt8](data)
    } else {
      return nil
    }
  }

  /// The id of the key: the first 16 hex digits of its SHA-256.
  public var id: String { String(PackDigest.of(bytes).hex.prefix(16)) }

  /// The key in Base64.
  public var base64: String { Data(bytes).base64EncodedString() }

  /// The key in Base64.
  public var description: String { base64 }

  /// Returns whether this key has signed the envelope's payload.
  func hasSigned(_ envelope: Envelope) -> Bool {
    guard let signature = envelope.signatures.first(where: { $0.keyID == id }),
      let bytes = Data(canonicalBase64: signature.signature), bytes.count == 64,
      let key = try? Curve25519.Signing.PublicKey(rawRepresentation: self.bytes)
    else { return false }
    return key.isValidSignature(bytes, for: Data(envelope.signedBytes))
  }
}

extension Envelope {
  /// Checks that enough of these keys have signed.
  /// - Throws: ``UpdateError``: `unknownKey` when too few of them are named, `badSignature` when the signature of a
  ///   named key is invalid.
  func check(signedBy keys: [VerifyingKey], threshold: Int) throws(UpdateError) {
    let ids = Set(signatures.map(\.keyID))
    let named = keys.filter { ids.contains($0.id) }
    guard Set(named).count >= threshold else { throw .unknownKey(signatures.map(\.keyID)) }
    for key in named where !key.hasSigned(self) { throw .badSignature(keyID: key.id) }
  }
}
