// SPDX-License-Identifier: Apache-2.0

import Support
import Crypto
import CryptoExtras
import Curation
import Foundation

/// The reason why a passkey's answer is refused. The raw value is for the audit log.
public enum PasskeyRefusal: String, Error, CaseIterable {
  case malformed = "malformed passkey"
  /// The challenge is not one of this browser and session, or was used before.
  case challenge = "wrong challenge"
  case origin = "wrong origin"
  case site = "passkey of another site"
  case presence = "nobody present"
  case verification = "user not verified"
  case algorithm = "unsupported key"
  case signature = "wrong signature"
  /// No account has this passkey, or the expected account has not.
  case unknown = "unknown passkey"
  /// The counter did not grow: the passkey may have a copy.
  case counter = "counter did not grow"
  /// The account has as many passkeys as it may have, or has this one.
  case full = "no further passkey"
}

/// The site that passkeys are for: its origin, and the name that browsers tie passkeys to.
public struct PasskeySite: Sendable, Equatable {
  /// Scheme, host and port, such as `https://lists.example.org`.
  let origin: String
  let host: String

  /// - Parameter address: of the server; nil for a numeric one, for which browsers make no passkeys.
  public init?(address: String) {
    guard let url = URL(string: address), let scheme = url.scheme?.lowercased(), let host = url.host?.lowercased(),
      !host.isEmpty, !host.contains(":"), !host.allSatisfy({ $0.isNumber || $0 == "." })
    else { return nil }
    let standard = scheme == "https" ? 443 : 80
    let port = url.port.flatMap { $0 == standard ? nil : ":\($0)" } ?? ""
    self.host = host
    origin = "\(scheme)://\(host)\(port)"
  }
}

/// The answer of a browser's `navigator.credentials` (Web Authentication, 5.1), in the form of `toJSON()`.
struct PasskeyAnswer {
  let id: [UInt8]
  /// The statement of the browser about the page: a JSON text that the passkey's signature covers.
  let client: Data
  /// Of a new passkey; nil for a sign-in.
  let attestation: [UInt8]?
  /// Of a sign-in; nil for a new passkey.
  let assertion: (data: [UInt8], signature: Data, user: [UInt8]?)?

  /// - Throws: ``PasskeyRefusal/malformed``.
  init(_ json: String) throws(PasskeyRefusal) {
    guard json.utf8.count <= 32_768,
      let members = try? JSONDecoder().decode([String: JSONValue].self, from: Data(json.utf8)),
      members["type"] == .string("public-key"), case .object(let response)? = members["response"]
    else { throw .malformed }
    func bytes(_ value: JSONValue?) -> Data? { value?.text.flatMap { Base64URL.decode($0) } }
    guard let id = bytes(members["id"]), (16...1_023).contains(id.count), let client = bytes(response["clientDataJSON"])
    else { throw .malformed }
    (self.id, self.client) = (Array(id), client)
    attestation = bytes(response["attestationObject"]).map { Array($0) }
    if let data = bytes(response["authenticatorData"]), let signature = bytes(response["signature"]) {
      assertion = (Array(data), signature, bytes(response["userHandle"]).map { Array($0) })
    } else {
      assertion = nil
    }
  }

  /// Checks type, challenge and origin (Web Authentication, 7.1 and 7.2).
  /// - Parameter type: `webauthn.create` or `webauthn.get`.
  func check(_ type: String, challenge: [UInt8], site: PasskeySite) throws(PasskeyRefusal) {
    guard let members = try? JSONDecoder().decode([String: JSONValue].self, from: client),
      members["type"] == .string(type)
    else { throw .malformed }
    let sent = members["challenge"]?.text.flatMap { Base64URL.decode($0) } ?? Data()
    guard !challenge.isEmpty, ConstantTime.areEqual(sent, challenge) else { throw .challenge }
    // A page within a page of another site is refused, too.
    guard members["origin"] == .string(site.origin), members["crossOrigin"] ?? .bool(false) == .bool(false) else {
      throw .origin
    }
  }
}

/// The statement of the authenticator (Web Authentication, 6.1).
struct AuthenticatorData {
  let isVerified: Bool
  let counter: Int64
  /// The new passkey: its identifier and its key; nil in a sign-in.
  let credential: (id: [UInt8], key: [UInt8])?

  /// Reads the bytes, and checks the site and that somebody was present.
  init(_ bytes: [UInt8], site: PasskeySite) throws(PasskeyRefusal) {
    guard (37...CBOR.maxBytes).contains(bytes.count) else { throw .malformed }
    let flags = bytes[32]
    counter = bytes[33..<37].reduce(0) { $0 << 8 | Int64($1) }
    isVerified = flags & 0x04 != 0
    var rest = bytes[37...]
    do {
      credential = flags & 0x40 != 0 ? try Self.credential(&rest) : nil
      if flags & 0x80 != 0 {
        guard case .map = try CBOR(readingFrom: &rest) else { throw PasskeyRefusal.malformed }
      }
    } catch {
      throw .malformed
    }
    // A passkey that is backed up can be backed up.
    guard rest.isEmpty, flags & 0x18 != 0x10 else { throw .malformed }
    guard bytes[..<32].elementsEqual(SHA256.hash(data: Data(site.host.utf8))) else { throw .site }
    guard flags & 0x01 != 0 else { throw .presence }
  }

  private static func credential(_ rest: inout ArraySlice<UInt8>) throws -> (id: [UInt8], key: [UInt8]) {
    // 16 bytes of the authenticator's model, which nothing depends on.
    guard rest.count >= 18 else { throw PasskeyRefusal.malformed }
    let start = rest.startIndex
    let length = Int(rest[start + 16]) << 8 | Int(rest[start + 17])
    guard (16...1_023).contains(length), rest.count >= 18 + length else { throw PasskeyRefusal.malformed }
    let id = Array(rest[(start + 18)..<(start + 18 + length)])
    rest = rest[(start + 18 + length)...]
    let key = rest
    _ = try CBOR(readingFrom: &rest)
    return (id, Array(key[..<rest.startIndex]))
  }
}

/// The public key of a passkey (COSE_Key, RFC 9053): ES256, EdDSA with Ed25519, or RS256.
enum PasskeyKey {
  case p256(P256.Signing.PublicKey)
  case ed25519(Curve25519.Signing.PublicKey)
  case rsa(_RSA.Signing.PublicKey)

  /// The algorithms by their numbers in COSE, the preferred one first.
  static let algorithms: [Int64] = [-7, -8, -257]

  static let maxBytes = 2_000

  /// - Throws: ``PasskeyRefusal/algorithm`` for a key of another kind or of wrong numbers.
  init(_ cose: [UInt8]) throws(PasskeyRefusal) {
    guard cose.count <= Self.maxBytes, let members = try? CBOR(cose) else { throw .algorithm }
    func bytes(_ label: Int64) -> [UInt8]? {
      if case .bytes(let bytes)? = members[.integer(label)] { bytes } else { nil }
    }
    func number(_ label: Int64) -> Int64? {
      if case .integer(let number)? = members[.integer(label)] { number } else { nil }
    }
    switch (number(1), number(3), number(-1)) {
    case (2, -7, 1):
      guard let x = bytes(-2), let y = bytes(-3), x.count == 32, y.count == 32,
        let key = try? P256.Signing.PublicKey(rawRepresentation: x + y)
      else { throw .algorithm }
      self = .p256(key)
    case (1, -8, 6):
      guard let x = bytes(-2), !Self.isOfSmallOrder(x),
        let key = try? Curve25519.Signing.PublicKey(rawRepresentation: x)
      else {
        throw .algorithm
      }
      self = .ed25519(key)
    case (3, -257, nil):
      guard let n = bytes(-1), let e = bytes(-2), n.count <= 1_024, e.count <= 4,
        let key = try? _RSA.Signing.PublicKey(n: n, e: e)
      else { throw .algorithm }
      self = .rsa(key)
    default: throw .algorithm
    }
  }

  /// The points of Ed25519 whose order is 1, 2, 4 or 8, without the sign: for their keys everybody can make signatures.
  /// The last two are other encodings of 0 and 1 (RFC 8032, 5.1.3 refuses them).
  private static let smallOrder = Set(
    [
      String(repeating: "0", count: 64), "01" + String(repeating: "0", count: 62),
      "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
      "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
      "ec" + String(repeating: "f", count: 60) + "7f", "ed" + String(repeating: "f", count: 60) + "7f",
      "ee" + String(repeating: "f", count: 60) + "7f",
    ].compactMap(Hexadecimal.bytes))

  private static func isOfSmallOrder(_ point: [UInt8]) -> Bool {
    guard point.count == 32 else { return false }
    return smallOrder.contains(point.dropLast() + [point[31] & 0x7F])
  }

  func isValid(_ signature: Data, for data: Data) -> Bool {
    switch self {
    case .p256(let key):
      (try? P256.Signing.ECDSASignature(derRepresentation: signature)).map { key.isValidSignature($0, for: data) }
        ?? false
    case .ed25519(let key): key.isValidSignature(signature, for: data)
    case .rsa(let key):
      key.isValidSignature(
        _RSA.Signing.RSASignature(rawRepresentation: signature), for: data, padding: .insecurePKCS1v1_5)
    }
  }
}
