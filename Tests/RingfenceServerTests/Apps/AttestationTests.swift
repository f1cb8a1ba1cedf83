// SPDX-License-Identifier: Apache-2.0

import AttestationSupport
import Crypto
import Foundation
import HTTPTypes
import Hummingbird
import Intake
import PostgreSQL
import Storage
import TestSupport
import Testing

@testable import API
@testable import RingfenceCommand

/// Phones that attest, renew their token, and report with it. Phones with Android and a root of the test's own.
@Suite(.database) struct AttestationTests {
  private struct Made: Decodable {
    let installation_id, token, level, public_key: String
  }

  private struct Refusal: Decodable {
    struct Field: Decodable { let code: String }
    let type, try_again: String
    let errors: [Field]
  }

  private struct Unknown: Decodable {
    struct Field: Decodable { let pointer, code, detail: String }
    let errors: [Field]
  }

  private static let installation = HTTPField.Name("Ringfence-Installation")!
  private static let attestation = HTTPField.Name("Ringfence-Attestation")!

  private var apps: AppStore { AppStore(pool: pool) }

  /// A server that trusts the root of a phone, with an app that may attest.
  private func run(
    _ phone: AndroidPhone, revocations: String? = nil,
    _ body: @Sendable @escaping (TestServer, String) async throws -> Void
  ) async throws {
    let key = try await apps.create(name: "Phones", scopes: [.report, .identify, .install], at: Date()).key
    try await InstallationStore(pool: pool).set(phone.policy, ofApp: "Phones", at: Date())
    let trust = AttestationTrust(roots: try phone.roots(), revocations: revocations)
    try await TestServer.run(configure: { $0.api.attestation = trust }) { try await body($0, key) }
  }

  private func challenge(_ server: TestServer, _ key: String) async throws -> [UInt8] {
    struct Answer: Decodable { let challenge: Data }
    let answer = try await server.post("/v1/installations/challenges", "", key: key)
    #expect(answer.status == .created && answer.headers[.cacheControl] == "no-store")
    return Array(try JSONDecoder().decode(Answer.self, from: Data(answer.body.readableBytesView)).challenge)
  }

  private func send(_ server: TestServer, _ key: String, _ members: [String: Any]) async throws -> TestResponse {
    let body = try JSONSerialization.data(withJSONObject: members.merging(["platform": "android"]) { own, _ in own })
    return try await server.post("/v1/installations", String(decoding: body, as: UTF8.self), key: key)
  }

  private func base64(_ bytes: some Sequence<UInt8>) -> String { Data(bytes).base64EncodedString() }

  private func attest(
    _ phone: AndroidPhone, _ server: TestServer, _ key: String, challenge: [UInt8]? = nil
  ) async throws -> TestResponse {
    var phone = phone
    if let challenge { phone.challenge = challenge } else { phone.challenge = try await self.challenge(server, key) }
    return try await send(
      server, key, ["challenge": base64(phone.challenge), "certificates": try phone.chain().map(base64)])
  }

  private func made(_ answer: TestResponse) throws -> Made {
    #expect(answer.status == .created, "\(String(buffer: answer.body))")
    return try JSONDecoder().decode(Made.self, from: Data(answer.body.readableBytesView))
  }

  private func expect(
    _ answer: TestResponse, refused code: String, _ tryAgain: String, _ location: SourceLocation = #_sourceLocation
  ) throws {
    #expect(answer.status == .unprocessableContent, sourceLocation: location)
    let refusal = try JSONDecoder().decode(Refusal.self, from: Data(answer.body.readableBytesView))
    #expect(refusal.type == "/problems/attestation-refused", sourceLocation: location)
    #expect(refusal.errors.map(\.code) == [code] && refusal.try_again == tryAgain, sourceLocation: location)
  }

  private func report(
    _ server: TestServer, _ key: String, token: String?, reporter: String = "user-1"
  ) async throws -> TestResponse {
    var headers = HTTPFields()
    headers[Self.installation] = token
    return try await server.post(
      "/v1/reports", try Reports.json(["reporter": reporter]), key: key, headers: headers)
  }

  private func reporters() async throws -> Int {
    try await pool.rows("SELECT DISTINCT reporter FROM reports").count
  }

  private func weights() async throws -> [Float] {
    try await pool.column("SELECT weight FROM reports ORDER BY received_at", as: Float.self)
  }

  @Test func `reports with a token are the installation's, whatever names and tokens they bring`() async throws {
    let phone = AndroidPhone()
    try await withTemporaryFolder { folder in
      let list = "\(folder)/android-status.json"
      try Data(#"{"entries":{}}"#.utf8).write(to: URL(filePath: list))
      try await run(phone, revocations: list) { server, key in
        let first = try made(try await attest(phone, server, key))
        #expect(first.level == "hardware" && first.token.count == 43)
        let second = try made(try await attest(phone, server, key))
        #expect(second.token != first.token)
        for (token, name) in [(first.token, "user-1"), (first.token, "user-2"), (second.token, "user-3")] {
          let answer = try await report(server, key, token: token, reporter: name)
          #expect(answer.status == .created && answer.headers[Self.attestation] == "ok")
        }
        #expect(try await reporters() == 1)
        #expect(try await weights() == [0.8, 0.8, 0.8])
        // Without a token the app's name counts, as before.
        let plain = try await report(server, key, token: nil)
        #expect(plain.status == .created && plain.headers[Self.attestation] == nil)
        #expect(try await reporters() == 2)
        #expect(try await weights().last == 0.5)
      }
    }
  }

  @Test func `a token that is wrong, ended or another app's is ignored, and the report is taken`() async throws {
    let phone = AndroidPhone()
    try await run(phone) { server, key in
      let made = try made(try await attest(phone, server, key))
      #expect(made.level == "software")
      let wrong = [("none", key), (String(repeating: "x", count: 300), key), (made.token, server.key)]
      for (token, key) in wrong {
        let answer = try await report(server, key, token: token)
        #expect(answer.status == .created && answer.headers[Self.attestation] == "invalid")
      }
      try await pool.execute("UPDATE installations SET expires_at = '2026-01-01T00:00:00Z'")
      let ended = try await report(server, key, token: made.token)
      #expect(ended.status == .created && ended.headers[Self.attestation] == "expired")
      #expect(try await weights().allSatisfy { $0 == 0.5 })
    }
  }

  @Test func `a report that is sent again with another token, or without one, is the same report`() async throws {
    let phone = AndroidPhone()
    try await run(phone) { server, key in
      let made = try made(try await attest(phone, server, key))
      func send(_ report: String, token: String?) async throws -> HTTPResponse.Status {
        var headers = HTTPFields()
        headers[Self.installation] = token
        // One in a batch has the same result.
        let batch = try await server.post("/v1/reports", "[\(report)]", key: key, headers: headers)
        let result = try #require(try Reports.results(of: batch).first)
        let answer = try await server.post("/v1/reports", report, key: key, headers: headers)
        #expect((result.status == "conflict") == (answer.status == .conflict))
        return result.status == "created" ? .created : answer.status
      }
      // The phone attested between the two attempts.
      let first = try Reports.json()
      #expect(try await send(first, token: nil) == .created)
      #expect(try await send(first, token: made.token) == .ok)
      // Its token has ended between them.
      let second = try Reports.json()
      #expect(try await send(second, token: made.token) == .created)
      try await pool.execute("UPDATE installations SET expires_at = '2026-01-01T00:00:00Z'")
      #expect(try await send(second, token: made.token) == .ok)
      // Another content stays a conflict.
      let other = second.replacing("fraud", with: "robocall")
      #expect(other != second)
      #expect(try await send(other, token: made.token) == .conflict)
      #expect(try await weights().count == 2)
    }
  }

  @Test(arguments: [
    (["platform": "android"], "/certificates"), (["platform": "android", "public_key": "AA=="], "/signature"),
    (["platform": "ios", "key_id": "AA=="], "/attestation"), (["platform": "ios", "assertion": "AA=="], "/public_key"),
  ]) func `a proof without a member is a malformed request`(members: [String: String], pointer: String) async throws {
    try await run(AndroidPhone()) { server, key in
      let answer = try await send(server, key, members.merging(["challenge": "AA=="]) { $1 })
      #expect(answer.status == .badRequest && String(buffer: answer.body).contains("\"\(pointer)\""))
    }
  }

  @Test func `a report with a token is found by the name that the app gives`() async throws {
    let phone = AndroidPhone()
    try await run(phone) { server, key in
      let made = try made(try await attest(phone, server, key))
      for _ in 0..<2 {
        #expect(try await report(server, key, token: made.token, reporter: "user-17").status == .created)
      }
      let pseudonymizer = Pseudonymizer(key: [UInt8](repeating: 1, count: 32))
      let app = try #require(try await apps.app(key: key))
      let rights = RightsService(stores: Stores(pool: pool), pseudonymizer: pseudonymizer, journal: nil)
      #expect(try await rights.erase("user-17", of: app, at: Date() + 60) == 2)
      #expect(try await reporters() == 0)
    }
  }

  @Test func `a challenge is the app's, and is used by one phone`() async throws {
    let phone = AndroidPhone()
    try await run(phone) { server, key in
      let challenge = try await challenge(server, key)
      let first = try made(try await attest(phone, server, key, challenge: challenge))
      // The answer was lost.
      #expect(try made(try await attest(phone, server, key, challenge: challenge)).token == first.token)
      var other = AndroidPhone()
      other.maker = phone.maker
      try expect(
        try await attest(other, server, key, challenge: challenge), refused: "challenge_used", "with_new_challenge")
      var changed = challenge
      changed[20] ^= 1
      for wrong in [changed, [], Array(challenge.dropLast())] {
        try expect(
          try await attest(phone, server, key, challenge: wrong), refused: "challenge_invalid", "with_new_challenge")
      }
      let second = try await apps.create(name: "Others", scopes: [.install], at: Date()).key
      try await InstallationStore(pool: pool).set(phone.policy, ofApp: "Others", at: Date())
      try expect(
        try await attest(phone, server, second, challenge: challenge), refused: "challenge_invalid",
        "with_new_challenge")
    }
  }

  @Test func `a forged chain, an app without builds and a key without the scope are refused`() async throws {
    let phone = AndroidPhone()
    try await run(phone) { server, key in
      var forged = phone
      forged.maker = Maker()
      try expect(try await attest(forged, server, key), refused: "unknown_root", "never")
      forged = phone
      forged.origin = 2
      try expect(try await attest(forged, server, key), refused: "key_not_generated", "with_new_key")
      try expect(
        try await send(
          server, key, ["challenge": base64(try await challenge(server, key)), "certificates": ["not base64!"]]),
        refused: "malformed", "never")
      #expect(try await send(server, key, ["challenge": 1]).status == .badRequest)
      let windows = try await server.post(
        "/v1/installations", #"{"platform":"windows","challenge":""}"#, key: key)
      #expect(windows.status == .badRequest)
      let field = try JSONDecoder().decode(Unknown.self, from: Data(windows.body.readableBytesView)).errors.first
      #expect(field?.pointer == "/platform" && field?.code == "unknown_value")
      #expect(field?.detail == "\"windows\" is not allowed. Use one of: ios, android.")
      #expect(try await server.post("/v1/installations/challenges", "", key: server.key).status == .forbidden)
      #expect(try await send(server, server.key, ["challenge": ""]).status == .forbidden)
      let bare = try await apps.create(name: "Bare", scopes: [.install], at: Date()).key
      try expect(try await attest(phone, server, bare), refused: "platform_not_configured", "never")
      // Without a body a token needs the scope for reports, as before.
      #expect(try await server.post("/v1/installations", "", key: bare).status == .forbidden)
      #expect(try await server.post("/v1/installations", "", key: server.key).status == .created)
    }
  }

  @Test func `the key of an installation renews its token`() async throws {
    let phone = AndroidPhone()
    try await run(phone) { server, key in
      let first = try made(try await attest(phone, server, key))
      func renew(_ message: (([UInt8]) -> [UInt8])? = nil, key publicKey: String) async throws -> TestResponse {
        let challenge = try await challenge(server, key)
        let signed = message?(challenge) ?? Array("ringfence renewal v1".utf8) + [0] + challenge
        let signature = try phone.key.signature(for: Data(signed)).derRepresentation
        return try await send(
          server, key,
          ["challenge": base64(challenge), "public_key": publicKey, "signature": signature.base64EncodedString()])
      }
      let second = try made(try await renew(key: first.public_key))
      #expect(second.token != first.token && second.public_key == first.public_key)
      for token in [first.token, second.token] {
        #expect(try await report(server, key, token: token).headers[Self.attestation] == "ok")
      }
      #expect(try await reporters() == 1)
      // The challenge alone is signed when a key is attested, and must not renew.
      try expect(try await renew({ $0 }, key: first.public_key), refused: "bad_signature", "with_new_key")
      let other = AndroidPhone()
      try expect(
        try await renew(key: base64(other.key.publicKey.x963Representation)), refused: "bad_signature", "with_new_key")
      // One renewal more than a day has. Wrong signatures, which anybody can send, use up none.
      for _ in 0..<8 { _ = try await renew({ $0 }, key: first.public_key) }
      for _ in 0..<5 { _ = try made(try await renew(key: first.public_key)) }
      #expect(try await renew(key: first.public_key).status == .tooManyRequests)
    }
  }

  @Test func `counts of calls and Apple's reports carry the token too`() async throws {
    let phone = AndroidPhone()
    try await run(phone) { server, key in
      let made = try made(try await attest(phone, server, key))
      var headers = HTTPFields()
      headers[Self.installation] = made.token
      let day = String(Date().ISO8601Format().prefix(10))
      let batch =
        #"{"batch_id":"\#(UUID().uuidString)","items":[{"number":"+33199000248","named":1,"unknown":0,"day":"\#(day)"}]}"#
      let answer = try await server.post("/v1/identifications", batch, key: key, headers: headers)
      #expect(answer.status == .created && answer.headers[Self.attestation] == "ok")
      #expect(try await report(server, key, token: made.token).status == .created)
      let envelope = #"{"classification":{"number":"+33199000249","category":"fraud","token":"\#(made.token)"}}"#
      let apple = try await server.client.execute(
        uri: "/v1/apple/reports", method: .post, headers: [.contentType: "application/json"],
        body: ByteBuffer(string: envelope))
      #expect(apple.status == .noContent)
      #expect(try await weights().count == 2)
      #expect(try await reporters() == 1)
      let path = "/v1/installations/\(made.installation_id)"
      let revoked = try await server.client.execute(
        uri: path, method: .delete, headers: [.authorization: "Bearer \(key)"])
      #expect(revoked.status == .noContent)
      #expect(try await report(server, key, token: made.token).headers[Self.attestation] == "invalid")
    }
  }
}
