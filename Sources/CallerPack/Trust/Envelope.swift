// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

#if canImport(CryptoKit)
  import CryptoKit
#else
  import Crypto
#endif

/// Exact bytes and the signatures over them in one file: DSSE version 1.
///
/// Content and signatures share one file, so that a rename replaces both at once, even on a static site. With two
/// files, a cache or a reader between two renames would combine a manifest with the signature of another. The bytes are
/// Base64, so that no JSON library between maker and reader can change the signed content.
///
/// An envelope has exactly one form (keys in this order, no space, one newline at the end), and a reader refuses any
/// other. Every byte of the file is either signed or fixed.
///
///     {"payload":"BASE64","payloadType":"TYPE","signatures":[{"keyid":"16 HEX","sig":"BASE64"}]}
///
/// The signed bytes are not the payload alone but, with lengths in decimal digits, `DSSEv1 LENGTH TYPE LENGTH PAYLOAD`.
/// A signature under a document of one type is therefore invalid under a document of another.
public struct Envelope: Sendable, Equatable {
  /// The media type of the payload.
  public var payloadType: String
  /// The signed bytes.
  public var payload: [UInt8]
  /// The signatures: 1 to 16, by different keys.
  public var signatures: [Signature]

  /// A signature by one key.
  public struct Signature: Sendable, Hashable, Codable {
    /// The ``VerifyingKey/id`` of the key.
    public var keyID: String
    /// The 64 bytes of the Ed25519 signature in Base64.
    public var signature: String

    private enum CodingKeys: String, CodingKey {
      case keyID = "keyid"
      case signature = "sig"
    }

    /// Whether the key id and the Base64 have their only form, also under a key that the reader does not know.
    var isWellFormed: Bool {
      let isHex = { (byte: UInt8) in (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte) }
      return keyID.utf8.count == 16 && keyID.utf8.allSatisfy(isHex) && !signature.isEmpty
        && Data(canonicalBase64: signature) != nil
    }

    /// Creates a signature.
    /// - Parameters:
    ///   - keyID: the ``VerifyingKey/id`` of the key.
    ///   - signature: its 64 bytes.
    public init(keyID: String, signature: some Sequence<UInt8>) {
      self.keyID = keyID
      self.signature = Data(signature).base64EncodedString()
    }
  }

  /// Creates an envelope of signed bytes.
  /// - Parameters:
  ///   - payloadType: the media type of the payload.
  ///   - payload: the bytes.
  ///   - signatures: 1 to 16 signatures of ``signedBytes(payloadType:payload:)``.
  public init(payloadType: String, payload: [UInt8], signatures: [Signature]) {
    self.payloadType = payloadType
    self.payload = payload
    self.signatures = signatures
  }

  /// The longest envelope that is read, in bytes.
  public static let limit = CanonicalJSON.limit * 4 / 3 + 8_192

  /// Reads an envelope without checking its signatures.
  /// - Parameters:
  ///   - bytes: the complete content of a file.
  ///   - payloadType: the media type that the envelope must have.
  /// - Throws: ``UpdateError``: `tooLarge`, `malformed`.
  public init(decoding bytes: [UInt8], payloadType: String) throws(UpdateError) {
    guard bytes.count <= Self.limit else { throw .tooLarge(bytes: bytes.count, limit: Self.limit) }
    guard let fields = try? JSONDecoder().decode(Fields.self, from: Data(bytes)),
      let payload = Data(canonicalBase64: fields.payload), (1...16).contains(fields.signatures.count),
      Set(fields.signatures.map(\.keyID)).count == fields.signatures.count
    else { throw .malformed("The file is not a signed document") }
    guard fields.payloadType == payloadType else {
      throw .malformed("The document is of type \(fields.payloadType.prefix(80)), not \(payloadType)")
    }
    self.init(payloadType: payloadType, payload: [UInt8](payload), signatures: fields.signatures)
    for signature in signatures {
      guard signature.isWellFormed else {
        throw .malformed("A signature is Base64 in canonical form under a key id of 16 lower-case hex digits")
      }
    }
    guard encoded() == bytes else { throw .malformed("The signed document is not in canonical form") }
  }

  private struct Fields: Decodable {
    let payload: String
    let payloadType: String
    let signatures: [Signature]
  }

  /// Returns the content of the file.
  public func encoded() -> [UInt8] {
    // Base64, hex digits and media types contain nothing that JSON escapes. A reader compares a file with exactly this
    // form.
    let signatures = signatures.map { "{\"keyid\":\"\($0.keyID)\",\"sig\":\"\($0.signature)\"}" }
    let text = """
      {"payload":"\(Data(payload).base64EncodedString())","payloadType":"\(payloadType)",\
      "signatures":[\(signatures.joined(separator: ","))]}

      """
    return Array(text.utf8)
  }

  /// Returns the bytes that a key signs.
  public var signedBytes: [UInt8] {
    Array("DSSEv1 \(payloadType.utf8.count) \(payloadType) \(payload.count) ".utf8) + payload
  }

  /// SHA-256 of the payload, with which the next manifest names this one.
  public var payloadDigest: PackDigest { .of(payload) }
}

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

  /// The y of the points of small order, without the top bit. Under such a key anybody can sign.
  private static let smallOrder: Set<PackDigest> = Set(
    [
      "0000000000000000000000000000000000000000000000000000000000000000",
      "0100000000000000000000000000000000000000000000000000000000000000",
      "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
      "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
      "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
    ].compactMap { PackDigest(hex: $0) })

  /// Whether the key is in the only form of its point, and not of small order. BoringSSL accepts both, other verifiers
  /// do not.
  var isProper: Bool {
    let y = bytes.dropLast() + [bytes[31] & 0x7F]
    let isBelowPrime = y[0] < 0xED || y[31] < 0x7F || y[1..<31].contains { $0 < 0xFF }
    return isBelowPrime && PackDigest(y).map { !Self.smallOrder.contains($0) } == true
  }

  /// Returns whether this key has signed the envelope's payload.
  func hasSigned(_ envelope: Envelope) -> Bool {
    guard isProper, let signature = envelope.signatures.first(where: { $0.keyID == id }),
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
