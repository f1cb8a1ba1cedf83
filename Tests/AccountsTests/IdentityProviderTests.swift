// SPDX-License-Identifier: Apache-2.0

import Crypto
import Curation
import Foundation
import Synchronization
import Testing

@testable import Accounts

/// Metadata and keys of an identity provider.
@Suite struct IdentityProviderTests {
  private let now = Date()
  private let issuer = "https://id.example.org"

  /// A provider whose answers a test changes, and the paths that were asked for.
  private final class Answers: Sendable {
    let answers: Mutex<[String: String]>
    let asked = Mutex<[String]>([])

    init(_ answers: [String: String]) { self.answers = Mutex(answers) }

    func get(_ address: URL) throws -> Data {
      asked.withLock { $0.append(address.path) }
      guard let text = answers.withLock({ $0[address.path] }) else { throw SignOnRefusal.unreachable }
      return Data(text.utf8)
    }

    func count(_ path: String) -> Int { asked.withLock { $0.filter { $0 == path }.count } }
  }

  private static let discovery = "/.well-known/openid-configuration"

  private func document(_ change: [String: String?] = [:]) throws -> String {
    var members: [String: String?] = [
      "issuer": issuer, "authorization_endpoint": "\(issuer)/a", "token_endpoint": "\(issuer)/t",
      "jwks_uri": "\(issuer)/keys",
    ]
    members.merge(change) { $1 }
    return String(decoding: try JSONEncoder().encode(members.compactMapValues(\.self)), as: UTF8.self)
  }

  /// A key set with one key.
  private func keys(_ id: String?, _ key: P256.Signing.PrivateKey) -> String {
    let point = key.publicKey.rawRepresentation
    let (x, y) = (Base64URL.encode(point.prefix(32)), Base64URL.encode(point.suffix(32)))
    let name = id.map { #""kid":"\#($0)","# } ?? ""
    return #"{"keys":[{"kty":"EC","crv":"P-256",\#(name)"x":"\#(x)","y":"\#(y)"}]}"#
  }

  private func provider(_ answers: Answers) -> IdentityProvider {
    IdentityProvider(SignOnConfiguration(issuer: issuer, client: "ringfence", name: "Example")) {
      try answers.get($0)
    }
  }

  private let former = P256.Signing.PrivateKey()
  private let newer = P256.Signing.PrivateKey()

  /// A token that is valid for two hours from ``now``.
  private func token(_ id: String?, _ key: P256.Signing.PrivateKey) throws -> IDToken {
    let head = ["alg": "ES256", "kid": id].compactMapValues(\.self)
    let begin = Int(now.timeIntervalSince1970)
    let claims =
      #"{"iss":"\#(issuer)","aud":"ringfence","sub":"s-1","nonce":"n","iat":\#(begin),"exp":\#(begin + 7_200)}"#
    let text = "\(Base64URL.encode(try JSONEncoder().encode(head))).\(Base64URL.encode(Data(claims.utf8)))"
    return try IDToken("\(text).\(Base64URL.encode(try key.signature(for: Data(text.utf8)).rawRepresentation))")
  }

  @Test func `an unknown key lets the keys be read again, at most once a minute`() async throws {
    let answers = Answers([Self.discovery: try document(), "/keys": keys("old", former)])
    let provider = provider(answers)
    let (old, new) = (try token("old", former), try token("new", newer))
    _ = try await provider.claims(of: old, nonce: "n", at: now)
    answers.answers.withLock { $0["/keys"] = keys("new", newer) }
    for second in [0, 1, 59] {
      await #expect(throws: SignOnRefusal.key) {
        try await provider.claims(of: new, nonce: "n", at: now + Double(second))
      }
    }
    #expect(answers.count("/keys") == 1)
    _ = try await provider.claims(of: new, nonce: "n", at: now + 60)
    #expect(answers.count("/keys") == 2)
    // A key that was taken back is no longer accepted.
    await #expect(throws: SignOnRefusal.key) { try await provider.claims(of: old, nonce: "n", at: now + 61) }
    #expect(answers.count("/keys") == 2)
  }

  @Test(arguments: ["same", nil]) func `a key that is replaced without a new id is read within a minute`(
    _ id: String?
  ) async throws {
    let answers = Answers([Self.discovery: try document(), "/keys": keys(id, former)])
    let provider = provider(answers)
    let (old, new) = (try token(id, former), try token(id, newer))
    _ = try await provider.claims(of: old, nonce: "n", at: now)
    answers.answers.withLock { $0["/keys"] = keys(id, newer) }
    await #expect(throws: SignOnRefusal.signature) { try await provider.claims(of: new, nonce: "n", at: now + 59) }
    #expect(answers.count("/keys") == 1)
    #expect(try await provider.claims(of: new, nonce: "n", at: now + 60)["sub"] == .string("s-1"))
    // Wrong signatures do not let the keys be read for each token.
    for second in [61.0, 62] {
      await #expect(throws: SignOnRefusal.signature) {
        try await provider.claims(of: old, nonce: "n", at: now + second)
      }
    }
    #expect(answers.count("/keys") == 2)
  }

  @Test func `keys are read again after an hour`() async throws {
    let answers = Answers([Self.discovery: try document(), "/keys": keys("old", former)])
    let (provider, old) = (provider(answers), try token("old", former))
    _ = try await provider.claims(of: old, nonce: "n", at: now)
    answers.answers.withLock { $0["/keys"] = keys("new", newer) }
    _ = try await provider.claims(of: old, nonce: "n", at: now + 3_599)
    await #expect(throws: SignOnRefusal.key) { try await provider.claims(of: old, nonce: "n", at: now + 3_601) }
  }

  @Test func `a provider that names itself otherwise is refused`() async throws {
    for other in ["https://id.example.org/", "https://other.example.org", nil] {
      let provider = provider(Answers([Self.discovery: try document(["issuer": other])]))
      await #expect(throws: SignOnRefusal.issuer) { try await provider.metadata(at: now) }
    }
  }

  @Test func `an unsafe or missing address is refused`() async throws {
    for address in ["http://id.example.org/t", "javascript:alert(1)", "/t", "", nil] {
      for name in ["authorization_endpoint", "token_endpoint", "jwks_uri"] {
        let provider = provider(Answers([Self.discovery: try document([name: address])]))
        await #expect(throws: SignOnRefusal.unreachable) { try await provider.metadata(at: now) }
      }
    }
  }

  @Test func `a broken provider is asked once in five seconds, by all visitors together`() async throws {
    let answers = Answers([:])
    let provider = provider(answers)
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<20 {
        group.addTask { await #expect(throws: SignOnRefusal.unreachable) { try await provider.metadata(at: now) } }
      }
    }
    #expect(answers.count(Self.discovery) == 1)
    answers.answers.withLock { $0[Self.discovery] = (try? document()) ?? "" }
    await #expect(throws: SignOnRefusal.unreachable) { try await provider.metadata(at: now + 4) }
    #expect(try await provider.metadata(at: now + 5).endSession == nil)
  }
}
