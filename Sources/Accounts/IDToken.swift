// SPDX-License-Identifier: Apache-2.0

import Crypto
import CryptoExtras
import Curation
import Foundation

/// The reason why a sign-in with an identity provider is refused. The raw value is for the audit log.
public enum SignOnRefusal: String, Error, CaseIterable {
  /// The sign-in was not started in this browser, was finished before, or took too long.
  case state = "no sign-in of this browser"
  /// The answer names another provider (RFC 9207).
  case provider = "answer of another provider"
  case denied = "error of the provider"
  /// The provider does not answer, or its answer is too long, too slow or not valid.
  case unreachable = "no valid answer of the provider"
  case code = "code refused"
  /// The token is not a signed token with the claims that OpenID Connect requires.
  case malformed = "malformed token"
  /// The token is signed with another algorithm than RS256 and ES256.
  case algorithm = "unsupported algorithm"
  /// The token is signed with a key that the provider does not have.
  case key = "unknown key"
  case signature = "wrong signature"
  case issuer = "wrong issuer"
  case audience = "wrong audience"
  case nonce = "wrong nonce"
  case expired = "expired token"
  case early = "token of the future"
  /// The person has no account, and none is added.
  case noAccount = "no account"
  case noRole = "no role"
  case disabled = "disabled account"
}

enum JSONValue: Decodable, Equatable {
  case string(String)
  case number(Double)
  case bool(Bool)
  case array([JSONValue])
  case object([String: JSONValue])
  case null

  init(from decoder: any Decoder) throws {
    let value = try decoder.singleValueContainer()
    if let text = try? value.decode(String.self) {
      self = .string(text)
    } else if let flag = try? value.decode(Bool.self) {
      self = .bool(flag)
    } else if value.decodeNil() {
      self = .null
    } else if let number = try? value.decode(Double.self) {
      self = .number(number)
    } else if let members = try? value.decode([JSONValue].self) {
      self = .array(members)
    } else {
      self = .object(try value.decode([String: JSONValue].self))
    }
  }

  var text: String? { if case .string(let text) = self { text } else { nil } }

  var number: Double? { if case .number(let number) = self { number } else { nil } }

  /// A text as a list of one, or the texts of a list; nil for another type.
  var texts: [String]? {
    switch self {
    case .string(let text): return [text]
    case .array(let members):
      let texts = members.compactMap(\.text)
      return texts.count == members.count ? texts : nil
    default: return nil
    }
  }
}

/// A public key of a provider, from its key set (RFC 7517).
struct ProviderKey: Sendable {
  let id: String?
  private let key: Key

  private enum Key: Sendable {
    case rsa(_RSA.Signing.PublicKey)
    case p256(P256.Signing.PublicKey)
  }

  /// - Parameter members: of the key; nil for a key that signs no tokens with RS256 or ES256.
  init?(_ members: [String: JSONValue]) {
    guard members["use"] == nil || members["use"] == .string("sig") else { return nil }
    func bytes(_ name: String) -> Data? { members[name]?.text.flatMap { Base64URL.decode($0) } }
    switch members["kty"]?.text {
    case "RSA":
      // Long keys take long to check.
      guard let n = bytes("n"), let e = bytes("e"), n.count <= 1_024, e.count <= 4,
        let key = try? _RSA.Signing.PublicKey(n: n, e: e)
      else { return nil }
      self.key = .rsa(key)
    case "EC":
      guard members["crv"] == .string("P-256"), let x = bytes("x"), let y = bytes("y"), x.count == 32, y.count == 32,
        let key = try? P256.Signing.PublicKey(rawRepresentation: x + y)
      else { return nil }
      self.key = .p256(key)
    default: return nil
    }
    id = members["kid"]?.text
    if let algorithm = members["alg"], algorithm != .string(self.algorithm) { return nil }
  }

  /// The algorithm of the key's signatures. It follows from the key and never from a token, so that no token chooses it.
  var algorithm: String {
    switch key {
    case .rsa: "RS256"
    case .p256: "ES256"
    }
  }

  func isValid(_ signature: Data, for text: Data) -> Bool {
    switch key {
    case .rsa(let key):
      key.isValidSignature(
        _RSA.Signing.RSASignature(rawRepresentation: signature), for: text, padding: .insecurePKCS1v1_5)
    case .p256(let key):
      (try? P256.Signing.ECDSASignature(rawRepresentation: signature)).map { key.isValidSignature($0, for: text) }
        ?? false
    }
  }

  /// The keys of a key set; keys of other kinds are left out.
  static func read(_ data: Data) throws -> [ProviderKey] {
    struct KeySet: Decodable { let keys: [[String: JSONValue]] }
    return try JSONDecoder().decode(KeySet.self, from: data).keys.compactMap(ProviderKey.init)
  }
}

/// A token about a sign-in (OpenID Connect Core, section 2), before its signature is checked.
struct IDToken {
  /// The token as the provider has sent it.
  let text: String
  let keyID: String?
  let algorithm: String
  private let signed: Data
  private let signature: Data
  private let payload: Data

  static let maxBytes = 65_536
  /// The greatest difference of two clocks, in seconds.
  static let clockSkew: TimeInterval = 60

  /// Reads a token in the compact form (RFC 7515). Unsigned tokens and tokens of a shared secret are refused.
  init(_ text: String) throws(SignOnRefusal) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard text.utf8.count <= Self.maxBytes, parts.count == 3, let head = Base64URL.decode(parts[0]),
      let payload = Base64URL.decode(parts[1]), let signature = Base64URL.decode(parts[2]),
      let members = try? JSONDecoder().decode([String: JSONValue].self, from: head), members["crit"] == nil,
      let algorithm = members["alg"]?.text
    else { throw .malformed }
    guard ["RS256", "ES256"].contains(algorithm) else { throw .algorithm }
    (keyID, self.algorithm, self.payload, self.signature) = (members["kid"]?.text, algorithm, payload, signature)
    self.text = text
    signed = Data("\(parts[0]).\(parts[1])".utf8)
  }

  /// The key of the token: the one of its id, or the only one of its algorithm.
  func key(in keys: [ProviderKey]) -> ProviderKey? {
    let fitting = keys.filter { $0.algorithm == algorithm && (keyID == nil || $0.id == keyID) }
    return fitting.count == 1 || keyID != nil ? fitting.first : nil
  }

  /// The claims of the token, after all checks of OpenID Connect Core, section 3.1.3.7.
  func claims(
    key: ProviderKey, issuer: String, client: String, nonce: String, at time: Date
  ) throws(SignOnRefusal) -> [String: JSONValue] {
    guard key.algorithm == algorithm, key.isValid(signature, for: signed) else { throw .signature }
    guard let claims = try? JSONDecoder().decode([String: JSONValue].self, from: payload),
      let subject = claims["sub"]?.text, (1...255).contains(subject.unicodeScalars.count), !subject.contains("\0"),
      let audience = claims["aud"]?.texts, let end = claims["exp"]?.number, let begin = claims["iat"]?.number
    else { throw .malformed }
    guard claims["iss"] == .string(issuer) else { throw .issuer }
    guard audience.contains(client), claims["azp"].map({ $0 == .string(client) }) ?? (audience.count == 1) else {
      throw .audience
    }
    let now = time.timeIntervalSince1970
    guard now < end + Self.clockSkew else { throw .expired }
    guard max(begin, claims["nbf"]?.number ?? begin) <= now + Self.clockSkew else { throw .early }
    guard claims["nonce"] == .string(nonce) else { throw .nonce }
    return claims
  }
}
