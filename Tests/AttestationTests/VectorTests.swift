// SPDX-License-Identifier: Apache-2.0

import AttestationSupport
import Curation
import Foundation
import TestData
import Testing

@testable import Attestation

/// Statements of real phones, beside the checkout. Without them the tests of phones with a root of their own remain.
@Suite(.sharedData("data/attestation/vectors.json")) struct VectorTests {
  private static let folder = Checkout.shared("data/attestation").map { URL(filePath: $0) }

  /// The members that tests read of the list and of a phone's file.
  private struct Vector: Decodable {
    struct Facts: Decodable {
      let challenge: Data?
      let packages: [String]?
      let signature_digests: [String]?
    }
    let file, kind, expect: String
    let verify_at, valid_from, valid_until: Date?
    let facts: Facts?
  }

  private struct Phone: Decodable {
    struct Statement: Decodable {
      struct Expected: Decodable {
        struct Extensions: Decodable { let category: Int64? }
        let counter: Int64?
        let public_key_x963: Data?
        let extensions: Extensions?
      }
      let object: Data
      let key_id, client_data_hash: Data?
      let expect: Expected
    }
    let app_id, environment: String?
    let public_key_x963: Data?
    let attestation, attestation_authenticator_data, assertion_authenticator_data: Statement?
    let assertions: [Statement]?

    var policy: AttestationPolicy {
      var policy = AttestationPolicy(
        iosAppIDs: app_id.map { [$0] } ?? [], allowsDevelopment: environment == "development")
      if let category = attestation?.expect.extensions?.category { policy.iosCategories.insert(category) }
      return policy
    }
  }

  private static func read<Value: Decodable>(_ path: String) throws -> Value {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    return try decoder.decode(Value.self, from: Data(contentsOf: try #require(folder).appending(path: path)))
  }

  private static func vectors(_ kind: String) throws -> [Vector] {
    struct List: Decodable { let vectors: [Vector] }
    let list: List = try read("vectors.json")
    return list.vectors.filter { $0.kind == kind }
  }

  private static func outcome(_ work: () throws -> Void) -> String {
    do {
      try work()
      return "ok"
    } catch {
      return (error as? AttestationRefusal)?.rawValue ?? "\(error)"
    }
  }

  private static func chain(_ path: String) throws -> [[UInt8]] {
    let text = try String(contentsOf: try #require(folder).appending(path: path), encoding: .utf8)
    return text.components(separatedBy: "-----BEGIN CERTIFICATE-----").dropFirst().map { part in
      Array(
        Data(base64Encoded: part.components(separatedBy: "-----END")[0], options: .ignoreUnknownCharacters) ?? Data())
    }
  }

  private static func verify(_ phone: Phone, _ object: [UInt8]? = nil, at time: Date) throws -> AttestedKey {
    let statement = try #require(phone.attestation)
    return try AppAttest.verify(
      object ?? Array(statement.object), keyID: Array(try #require(statement.key_id)),
      clientDataHash: Array(try #require(statement.client_data_hash)), policy: phone.policy, roots: .known, at: time)
  }

  private static func verify(
    _ vector: Vector, _ chain: [[UInt8]]? = nil, revoked: RevocationList?, at time: Date
  ) throws -> AttestedKey {
    var policy = AttestationPolicy()
    policy.androidPackages[vector.facts?.packages?.first ?? "none"] = vector.facts?.signature_digests ?? []
    return try KeyAttestation.verify(
      try chain ?? Self.chain(vector.file), challenge: Array(vector.facts?.challenge ?? Data()), policy: policy,
      roots: .known, revoked: revoked, at: time)
  }

  private static func status() throws -> RevocationList {
    let data = try Data(contentsOf: try #require(folder).appending(path: "status/excerpt.json"))
    return try #require(RevocationList(data))
  }

  @Test func `iPhones are accepted in their time and refused outside of it`() throws {
    let vectors = try Self.vectors("app_attest")
    #expect(vectors.count == 8)
    for vector in vectors {
      let phone: Phone = try Self.read(vector.file)
      let (from, until) = (try #require(vector.valid_from), try #require(vector.valid_until))
      let key = try Self.verify(phone, at: try #require(vector.verify_at))
      #expect(key.publicKey == phone.attestation?.expect.public_key_x963.map { Array($0) }, "\(vector.file)")
      for (time, outcome) in [(from - 1, "not_yet_valid"), (from, "ok"), (until, "ok"), (until + 1, "expired")] {
        #expect(Self.outcome { _ = try Self.verify(phone, at: time) } == outcome, "\(vector.file) at \(time)")
      }
      for statement in phone.assertions ?? [] {
        let counter = try AppAttest.verify(
          assertion: Array(statement.object), by: key.publicKey,
          clientDataHash: Array(try #require(statement.client_data_hash)), policy: phone.policy)
        #expect(counter == statement.expect.counter)
      }
    }
  }

  @Test func `single assertions and statements of iOS 27 are read`() throws {
    for vector in try Self.vectors("app_attest_assertion") {
      let phone: Phone = try Self.read(vector.file)
      for statement in try #require(phone.assertions) {
        let counter = try AppAttest.verify(
          assertion: Array(statement.object), by: Array(try #require(phone.public_key_x963)),
          clientDataHash: Array(try #require(statement.client_data_hash)), policy: phone.policy)
        #expect(counter == statement.expect.counter)
      }
    }
    for vector in try Self.vectors("app_attest_authenticator_data") {
      let phone: Phone = try Self.read(vector.file)
      let (made, used) = (
        try #require(phone.attestation_authenticator_data), try #require(phone.assertion_authenticator_data)
      )
      let data = try AuthenticatorData(attestation: Array(made.object))
      #expect(data.environment == .development)
      #expect(data.category == made.expect.extensions?.category)
      #expect(try AuthenticatorData(assertion: Array(used.object)).counter == used.expect.counter)
    }
  }

  @Test func `phones with Android are accepted or refused as the list says`() throws {
    let (vectors, status) = (try Self.vectors("key_attestation"), try Self.status())
    #expect(vectors.count == 22)
    for vector in vectors {
      let time = try #require(vector.verify_at)
      let outcome = Self.outcome { _ = try Self.verify(vector, revoked: status, at: time) }
      #expect(vector.expect.components(separatedBy: " or ").contains(outcome), "\(vector.file): \(outcome)")
      guard outcome == "ok", let from = vector.valid_from else { continue }
      #expect(Self.outcome { _ = try Self.verify(vector, revoked: status, at: from - 1) } == "not_yet_valid")
      guard let until = vector.valid_until else { continue }
      #expect(Self.outcome { _ = try Self.verify(vector, revoked: status, at: until) } == "ok", "\(vector.file)")
      #expect(Self.outcome { _ = try Self.verify(vector, revoked: status, at: until + 1) } == "expired")
    }
    let revoked = try #require(vectors.first { $0.expect == "revoked" })
    #expect(try !Self.verify(revoked, revoked: nil, at: Maker.time).isHardware)
  }

  @Test func `a root with Apple's name and key and other content is refused`() throws {
    let folder = try #require(Self.folder).appending(path: "roots")
    let altered = try String(contentsOf: folder.appending(path: "not-apple-altered-root.pem"), encoding: .utf8)
    #expect(throws: AttestationRoots.Unusable(certificate: 1)) { try AttestationRoots(apple: altered) }
    let apple = try String(contentsOf: folder.appending(path: "apple-app-attestation-root-ca.pem"), encoding: .utf8)
    let google = try ["google-rsa-4096-2022", "google-ecdsa-p384-2025"].map {
      try String(contentsOf: folder.appending(path: "\($0).pem"), encoding: .utf8)
    }
    let roots = try AttestationRoots(apple: apple, android: google.joined())
    #expect(roots.apple == AttestationRoots.known.apple)
    #expect(roots.android == AttestationRoots.known.android)
  }

  /// Changed bytes of statements that hold: what is signed is refused, and the rest changes no key.
  @Test func `10,000 changed statements crash nothing and prove no other key`() throws {
    var generator = SeededGenerator(seed: 20)
    let phones: [(Phone, Date)] = try Self.vectors("app_attest").map {
      (try Self.read($0.file), try #require($0.verify_at))
    }
    let status = try Self.status()
    let chains: [(Vector, [[UInt8]], Date)] = try Self.vectors("key_attestation").filter { $0.expect == "ok" }.map {
      ($0, try Self.chain($0.file), try #require($0.verify_at))
    }
    let keys = try (
      phones.map { try Self.verify($0.0, at: $0.1) }, chains.map { try Self.verify($0.0, revoked: status, at: $0.2) }
    )
    for round in 0..<10_000 {
      let place = round / 2
      do {
        if round.isMultiple(of: 2) {
          let (phone, time) = phones[place % phones.count]
          var object = Array(try #require(phone.attestation).object)
          Mutation.apply(to: &object, &generator)
          #expect(try Self.verify(phone, object, at: time) == keys.0[place % phones.count])
        } else {
          let (vector, genuine, time) = chains[place % chains.count]
          var chain = genuine
          Mutation.apply(to: &chain[Int.random(in: 0..<chain.count, using: &generator)], &generator)
          #expect(try Self.verify(vector, chain, revoked: status, at: time) == keys.1[place % chains.count])
        }
      } catch is AttestationRefusal {}
    }
  }
}

/// Changes of bytes.
enum Mutation {
  static func apply(to bytes: inout [UInt8], _ generator: inout SeededGenerator) {
    let place = Int.random(in: 0..<bytes.count, using: &generator)
    switch Int.random(in: 0..<4, using: &generator) {
    case 0: bytes[place] ^= UInt8.random(in: 1...255, using: &generator)
    case 1: bytes.removeSubrange(place...)
    case 2: bytes.insert(contentsOf: repeatElement(UInt8.random(in: 0...255, using: &generator), count: 40), at: place)
    default:
      for _ in 0..<8 {
        bytes[Int.random(in: 0..<bytes.count, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
      }
    }
  }
}

/// The same without shared data: statements of phones with a root of the test's own.
@Suite struct MutationTests {
  @Test func `changed statements of phones are refused, or change nothing that was proved`() throws {
    var generator = SeededGenerator(seed: 21)
    let (apple, android) = (ApplePhone(), AndroidPhone())
    let (object, appleRoots) = (try apple.attestation(), try apple.roots())
    let (chain, androidRoots) = (try android.chain(), try android.roots())
    let keys = try (apple.verify().publicKey, android.verify().publicKey)
    var refused = 0
    for round in 0..<2_000 {
      do {
        if round.isMultiple(of: 2) {
          var changed = object
          Mutation.apply(to: &changed, &generator)
          let key = try AppAttest.verify(
            changed, keyID: AttestedKey.keyID(of: apple.point), clientDataHash: apple.hash, policy: apple.policy,
            roots: appleRoots, at: apple.time)
          #expect(key.publicKey == keys.0)
        } else {
          var changed = chain
          Mutation.apply(to: &changed[Int.random(in: 0..<chain.count, using: &generator)], &generator)
          let key = try KeyAttestation.verify(
            changed, challenge: android.asked, policy: android.policy, roots: androidRoots, revoked: android.revoked,
            at: android.time)
          #expect(key.publicKey == keys.1)
        }
      } catch {
        refused += 1
      }
    }
    #expect(refused > 1_900)
  }
}
