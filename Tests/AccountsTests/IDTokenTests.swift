// SPDX-License-Identifier: Apache-2.0

import Crypto
import CryptoExtras
import Curation
import Foundation
import Testing

@testable import Accounts

/// Checks of tokens about a sign-in, with tokens of the test's own keys.
@Suite struct IDTokenTests {
  private static let rsa = Result { try _RSA.Signing.PrivateKey(keySize: .bits2048) }
  private static let other = Result { try _RSA.Signing.PrivateKey(keySize: .bits2048) }
  private static let p256 = P256.Signing.PrivateKey()
  private let now = Date(timeIntervalSince1970: 1_795_000_000)
  private let issuer = "https://id.example.org"

  private var claims: [String: Any] {
    [
      "iss": issuer, "aud": "ringfence", "sub": "248289761001", "nonce": "n-0S6", "iat": 1_795_000_000,
      "exp": 1_795_000_300,
    ]
  }

  private func encoded(_ members: [String: Any]) throws -> String {
    Base64URL.encode(try JSONSerialization.data(withJSONObject: members))
  }

  private func token(
    _ claims: [String: Any], head: [String: Any] = ["alg": "RS256", "kid": "a"],
    _ sign: (Data) throws -> Data = { try Self.sign($0, Self.rsa.get()) }
  ) throws -> String {
    let text = "\(try encoded(head)).\(try encoded(claims))"
    return "\(text).\(Base64URL.encode(try sign(Data(text.utf8))))"
  }

  private static func sign(_ data: Data, _ key: _RSA.Signing.PrivateKey) throws -> Data {
    try key.signature(for: data, padding: .insecurePKCS1v1_5).rawRepresentation
  }

  private static func key(
    _ key: _RSA.Signing.PrivateKey, id: String? = "a", _ more: [String: JSONValue] = [:]
  ) throws -> ProviderKey {
    let numbers = try key.publicKey.getKeyPrimitives()
    var members: [String: JSONValue] = [
      "kty": .string("RSA"), "n": .string(Base64URL.encode(numbers.modulus)),
      "e": .string(Base64URL.encode(numbers.publicExponent)),
    ]
    members["kid"] = id.map { .string($0) }
    return try #require(ProviderKey(members.merging(more) { $1 }))
  }

  private static var elliptic: [String: JSONValue] {
    let point = p256.publicKey.rawRepresentation
    return [
      "kty": .string("EC"), "crv": .string("P-256"), "kid": .string("e"),
      "x": .string(Base64URL.encode(point.prefix(32))), "y": .string(Base64URL.encode(point.suffix(32))),
    ]
  }

  private func check(_ text: String, keys: [ProviderKey]? = nil, at time: Date? = nil) throws -> [String: JSONValue] {
    let token = try IDToken(text)
    let key = token.key(in: try keys ?? [Self.key(Self.rsa.get())])
    guard let key else { throw SignOnRefusal.key }
    return try token.claims(key: key, issuer: issuer, client: "ringfence", nonce: "n-0S6", at: time ?? now)
  }

  private func refuses(
    _ refusal: SignOnRefusal, _ change: (inout [String: Any]) -> Void, _ location: SourceLocation = #_sourceLocation
  ) throws {
    var claims = claims
    change(&claims)
    let text = try token(claims)
    #expect(throws: refusal, sourceLocation: location) { try check(text) }
  }

  @Test func `tokens of RS256 and ES256 are accepted`() throws {
    #expect(try check(try token(claims))["sub"] == .string("248289761001"))
    let signed = try token(claims, head: ["alg": "ES256", "kid": "e"]) {
      try Self.p256.signature(for: $0).rawRepresentation
    }
    _ = try check(signed, keys: [try #require(ProviderKey(Self.elliptic))])
    // Without a key's id, the only key of the algorithm is meant.
    let unnamed = try token(claims, head: ["alg": "RS256"])
    _ = try check(unnamed, keys: [Self.key(Self.rsa.get()), try #require(ProviderKey(Self.elliptic))])
    #expect(throws: SignOnRefusal.key) {
      try check(unnamed, keys: [Self.key(Self.rsa.get()), Self.key(Self.other.get(), id: "b")])
    }
  }

  @Test func `an unsigned token is refused`() throws {
    for name in ["none", "None", "NONE", ""] {
      let text = try token(claims, head: ["alg": name]) { _ in Data() }
      #expect(throws: SignOnRefusal.algorithm) { try check(text) }
    }
  }

  @Test func `a token that is signed with the public key as a shared secret is refused`() throws {
    let secret = SymmetricKey(data: Data(try Self.rsa.get().publicKey.pemRepresentation.utf8))
    let text = try token(claims, head: ["alg": "HS256", "kid": "a"]) {
      Data(HMAC<SHA256>.authenticationCode(for: $0, using: secret))
    }
    #expect(throws: SignOnRefusal.algorithm) { try check(text) }
  }

  @Test func `a token of another key is refused`() throws {
    let forged = try token(claims) { try Self.sign($0, Self.other.get()) }
    #expect(throws: SignOnRefusal.signature) { try check(forged) }
    let unknown = try token(claims, head: ["alg": "RS256", "kid": "b"])
    #expect(throws: SignOnRefusal.key) { try check(unknown) }
    // The key decides about the algorithm, not the token.
    let renamed = try token(claims, head: ["alg": "ES256", "kid": "a"])
    #expect(throws: SignOnRefusal.key) { try check(renamed) }
  }

  @Test func `a changed token is refused`() throws {
    let parts = try token(claims).split(separator: ".")
    var claims = claims
    claims["sub"] = "administrator"
    #expect(throws: SignOnRefusal.signature) { try check("\(parts[0]).\(try encoded(claims)).\(parts[2])") }
  }

  @Test func `a token of another issuer is refused`() throws {
    try refuses(.issuer) { $0["iss"] = "https://id.example.org/" }
    try refuses(.issuer) { $0["iss"] = nil }
    try refuses(.issuer) { $0["iss"] = [issuer] }
  }

  @Test func `a token for another client is refused`() throws {
    try refuses(.audience) { $0["aud"] = "other" }
    try refuses(.audience) { $0["aud"] = [String]() }
    // One of several clients has to be the one that the token was issued to.
    try refuses(.audience) { $0["aud"] = ["ringfence", "other"] }
    try refuses(.audience) { $0["azp"] = "other" }
    try refuses(.audience) {
      $0["aud"] = ["other"]
      $0["azp"] = "ringfence"
    }
    var claims = claims
    (claims["aud"], claims["azp"]) = (["ringfence", "other"], "ringfence")
    _ = try check(try token(claims))
  }

  @Test func `a token of another sign-in is refused`() throws {
    try refuses(.nonce) { $0["nonce"] = "other" }
    try refuses(.nonce) { $0["nonce"] = nil }
  }

  @Test func `a token counts in its time, with a minute for clocks`() throws {
    let text = try token(claims)
    _ = try check(text, at: now + 359)
    #expect(throws: SignOnRefusal.expired) { try check(text, at: now + 360) }
    _ = try check(text, at: now - 60)
    #expect(throws: SignOnRefusal.early) { try check(text, at: now - 61) }
    try refuses(.early) { $0["nbf"] = 1_795_000_100 }
  }

  @Test func `claims of the wrong type are refused`() throws {
    for (name, value) in [
      ("sub", 7), ("sub", ""), ("sub", String(repeating: "s", count: 256)), ("exp", "tomorrow"), ("exp", true),
      ("iat", [1]), ("aud", 1), ("aud", ["ringfence", 1]),
    ] as [(String, Any)] {
      try refuses(.malformed) { $0[name] = value }
    }
    for name in ["sub", "aud", "exp", "iat"] { try refuses(.malformed) { $0[name] = nil } }
  }

  @Test(arguments: [
    "", ".", "..", "a.b", "a.b.c.d", "e30.e30.", "e30=.e30.e30", "e30.e30.+++", "bm8.e30.e30", "W10.e30.e30",
    String(repeating: "a", count: IDToken.maxBytes + 1),
  ])
  func `a text that is no token is refused`(text: String) {
    #expect(throws: SignOnRefusal.malformed) { try IDToken(text) }
  }

  @Test func `an extension that must be understood is refused`() throws {
    let text = try token(claims, head: ["alg": "RS256", "kid": "a", "crit": ["exp"]])
    #expect(throws: SignOnRefusal.malformed) { try IDToken(text) }
  }

  @Test func `keys for other purposes are left out`() throws {
    #expect(ProviderKey(Self.elliptic.merging(["use": .string("enc")]) { $1 }) == nil)
    #expect(ProviderKey(Self.elliptic.merging(["alg": .string("RS256")]) { $1 }) == nil)
    #expect(ProviderKey(Self.elliptic.merging(["crv": .string("P-384")]) { $1 }) == nil)
    #expect(ProviderKey(Self.elliptic.merging(["x": .string("AA")]) { $1 }) == nil)
    #expect(ProviderKey(["kty": .string("oct"), "k": .string("c2VjcmV0")]) == nil)
    // 1,024 bits are too few.
    let short = Base64URL.encode([0xC1] + [UInt8](repeating: 0x5B, count: 127))
    #expect(ProviderKey(["kty": .string("RSA"), "n": .string(short), "e": .string("AQAB")]) == nil)
    #expect(throws: (any Error).self) { try ProviderKey.read(Data("{}".utf8)) }
    #expect(try ProviderKey.read(Data(#"{"keys":[{"kty":"OKP"},{}]}"#.utf8)).isEmpty)
  }

  @Test func `roles come from a text, a list or a path of a claim`() {
    var configuration = SignOnConfiguration(issuer: issuer, client: "ringfence", name: "Example")
    configuration.roleValues = [.administrator: ["admins"], .moderator: ["moderators", "staff"]]
    func role(_ claims: [String: JSONValue]) -> Role? { configuration.role(in: claims) }
    #expect(role(["roles": .string("staff")]) == .moderator)
    #expect(role(["roles": .array([.string("staff"), .string("admins")])]) == .administrator)
    #expect(role(["roles": .array([.string("other")])]) == nil)
    #expect(role([:]) == nil)
    // A claim of another type gives no role.
    #expect(role(["roles": .number(1)]) == nil)
    #expect(role(["roles": .array([.string("admins"), .number(1)])]) == nil)
    #expect(role(["roles": .object(["admins": .bool(true)])]) == nil)
    configuration.roleClaim = "realm_access.roles"
    #expect(role(["realm_access": .object(["roles": .array([.string("admins")])])]) == .administrator)
    #expect(role(["realm_access": .string("admins")]) == nil)
    configuration.roleClaim = "https://example.org/roles"
    #expect(role(["https://example.org/roles": .array([.string("staff")])]) == .moderator)
  }

  @Test(arguments: [
    (["name": "Ада Лавлейс"], "Ада Лавлейс"), (["name": "  Ada\n\tLovelace "], "Ada Lovelace"),
    (["name": "Ada\u{202E}eca\u{0}"], "Adaeca"), (["name": "\u{200B}", "preferred_username": "ada"], "ada"),
    (["name": ""], "sub-1"), ([:], "sub-1"),
    // Names of service accounts, and of authors in the audit log that are no people.
    (["name": "app:bot"], "app bot"), (["name": "Command\u{200B} line", "email": "a@example.org"], "a@example.org"),
    (["name": "single sign-on", "preferred_username": "Ringfence"], "sub-1"),
    (["name": String(repeating: "e\u{301}\u{301}", count: 200)], String(repeating: "é\u{301}", count: 35)),
  ])
  func `an account's name is short, visible and of one line`(claims: [String: String], name: String) {
    #expect(SignOnService.name(in: claims.mapValues { .string($0) }, subject: "sub-1") == name)
    #expect(SignOnService.name(in: ["name": .number(1)], subject: "\u{202E}") == "account")
  }

  @Test func `only https, and http of this machine, is safe`() {
    for text in ["https://id.example.org/realms/x", "http://localhost:8080", "http://127.0.0.1:1", "http://[::1]:80"] {
      #expect(URL(string: text).map(SignOnConfiguration.isSafe) == true, "\(text)")
    }
    for text in ["http://id.example.org", "ftp://localhost", "https://", "https://a@b.example", "https://a.example/#x"]
    {
      #expect(URL(string: text).map(SignOnConfiguration.isSafe) != true, "\(text)")
    }
  }
}
