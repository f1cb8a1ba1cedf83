#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Exact bytes and the signatures over them, in one file: DSSE version 1.
///
/// One file, so that renaming it into place shows content and signatures at once on a static site as well: with two
/// files a cache or a reader between the renames would see a manifest with the signature of another. The bytes stand in
/// it as Base64, so that no JSON library between maker and reader can change what was signed.
///
/// An envelope has exactly one form (keys in this order, no space, one newline at the end), and a reader refuses any
/// other: every byte of the file is either signed or fixed.
///
///     {"payload":"BASE64","payloadType":"TYPE","signatures":[{"keyid":"16 HEX","sig":"BASE64"}]}
///
/// What is signed is not the payload alone but, with lengths in decimal digits, `DSSEv1 LENGTH TYPE LENGTH PAYLOAD`: a
/// signature under a document of one type is none under one of another.
public struct Envelope: Sendable, Equatable {
  /// What the payload is.
  public var payloadType: String
  /// The signed bytes.
  public var payload: [UInt8]
  /// At least one and at most 16, by different keys.
  public var signatures: [Signature]

  /// One key's signature.
  public struct Signature: Sendable, Hashable, Codable {
    /// ``VerifyingKey/id`` of the key.
    public var keyID: String
    /// 64 bytes of Ed25519 in Base64.
    public var signature: String

    private enum CodingKeys: String, CodingKey {
      case keyID = "keyid"
      case signature = "sig"
    }

    /// - Parameters: the key's id, and 64 bytes.
    public init(keyID: String, signature: some Sequence<UInt8>) {
      self.keyID = keyID
      self.signature = Data(signature).base64EncodedString()
    }
  }

  /// - Parameters: see the properties.
  public init(payloadType: String, payload: [UInt8], signatures: [Signature]) {
    self.payloadType = payloadType
    self.payload = payload
    self.signatures = signatures
  }

  /// The longest envelope that is read, in bytes.
  public static let limit = CanonicalJSON.limit * 4 / 3 + 8_192

  /// Reads an envelope; says nothing of its signatures.
  /// - Parameters:
  ///   - bytes: a file's whole content.
  ///   - payloadType: what it must say it holds.
  /// - Throws: ``UpdateError``: `tooLarge`, `malformed`.
  public init(decoding bytes: [UInt8], payloadType: String) throws(UpdateError) {
    guard bytes.count <= Self.limit else { throw .tooLarge(bytes: bytes.count, limit: Self.limit) }
    guard let fields = try? JSONDecoder().decode(Fields.self, from: Data(bytes)),
      let payload = Data(base64Encoded: fields.payload), (1...16).contains(fields.signatures.count),
      Set(fields.signatures.map(\.keyID)).count == fields.signatures.count
    else { throw .malformed("This is no signed document") }
    guard fields.payloadType == payloadType else {
      throw .malformed("The document is of type \(fields.payloadType.prefix(80)), not \(payloadType)")
    }
    self.init(payloadType: payloadType, payload: [UInt8](payload), signatures: fields.signatures)
    guard encoded() == bytes else { throw .malformed("The signed document is not written in the one form it may have") }
  }

  private struct Fields: Decodable {
    let payload: String
    let payloadType: String
    let signatures: [Signature]
  }

  /// The file's bytes.
  public func encoded() -> [UInt8] {
    // Base64, hex digits and media types hold nothing that JSON escapes; a reader compares with this very form.
    let signatures = signatures.map { "{\"keyid\":\"\($0.keyID)\",\"sig\":\"\($0.signature)\"}" }
    let text = """
      {"payload":"\(Data(payload).base64EncodedString())","payloadType":"\(payloadType)",\
      "signatures":[\(signatures.joined(separator: ","))]}

      """
    return Array(text.utf8)
  }

  /// What a key signs.
  public var signedBytes: [UInt8] {
    Array("DSSEv1 \(payloadType.utf8.count) \(payloadType) \(payload.count) ".utf8) + payload
  }

  /// SHA-256 of the payload, as the next manifest names it.
  public var payloadDigest: PackDigest { .of(payload) }
}
