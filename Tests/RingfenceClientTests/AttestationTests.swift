// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import Testing

@testable import RingfenceClient

/// A client on a phone that attests, against a server with the answers of a test.
@Suite struct AttestationTests {
  /// A phone that counts what it is asked for.
  private final class Phone: DeviceAttestation {
    struct Failure: Error {}

    let isSupported: Bool
    let failure: (any Error & Sendable)?
    /// The error of each signature.
    let signing: (any Error & Sendable)?
    private let calls = Mutex<[String]>([])

    init(
      isSupported: Bool = true, failure: (any Error & Sendable)? = nil, signing: (any Error & Sendable)? = nil
    ) {
      (self.isSupported, self.failure, self.signing) = (isSupported, failure, signing)
    }

    var asked: [String] { calls.withLock { $0 } }

    private func note(_ call: String) -> Int {
      calls.withLock { calls in
        calls.append(call)
        return calls.count
      }
    }

    func makeKey() async throws -> String { "key \(note("key"))" }

    func attest(_ key: String, hash: Data) async throws -> Data {
      _ = note("attest")
      if let failure { throw failure }
      return Data("\(key), \(hash.count)".utf8)
    }

    func assert(_ key: String, hash: Data) async throws -> Data {
      _ = note("assert")
      if let signing { throw signing }
      return Data("\(key), \(hash.count)".utf8)
    }
  }

  /// Gives tokens with numbers, for 30 days.
  /// - Parameters:
  ///   - refusal: how to try again, for each proof, or for renewals alone.
  ///   - failures: the first proofs that are answered with 503.
  private static func server(
    _ clock: HandClock, refusal: String? = nil, ofRenewals: Bool = false, failures: Int = 0, word: String? = "ok"
  ) -> ScriptedServer {
    let failed = Mutex(0)
    let tokens = Mutex(0)
    return ScriptedServer { request in
      switch request.url.lastPathComponent {
      case "challenges": return .init(status: 201, body: #"{"challenge":"AQID","expires_at":"2026-12-01T00:00:00Z"}"#)
      case "installations":
        let isRenewal = request.body.map { String(decoding: $0, as: UTF8.self).contains("assertion") } ?? false
        if let refusal, isRenewal || !ofRenewals {
          return .init(status: 422, fields: ScriptedServer.problem.merging(["Ringfence-Try-Again": refusal]) { $1 })
        }
        let attempt = failed.withLock { count in
          count += 1
          return count
        }
        if attempt <= failures { return .init(status: 503) }
        let number = tokens.withLock { count in
          count += 1
          return count
        }
        let (end, renewal) = (clock.now + 30 * 86_400, clock.now + 15 * 86_400)
        let times = #""expires_at":"\#(end.ISO8601Format())","renew_from":"\#(renewal.ISO8601Format())""#
        return .init(status: 201, body: #"{"token":"token \#(number)","public_key":"S0VZ",\#(times)}"#)
      default:
        var answer = try ScriptedServer.results("created", of: request)
        if let word, request.fields["Ringfence-Installation"] != nil {
          answer.fields["Ringfence-Attestation"] = word
        }
        return answer
      }
    }
  }

  private func client(
    _ folder: URL, _ server: ScriptedServer, _ clock: HandClock, _ phone: Phone?
  ) throws -> RingfenceClient {
    try RingfenceClient(configuration(folder), transport: server, environment: clock.environment, device: phone)
  }

  /// The tokens of the requests with reports.
  private func tokens(_ server: ScriptedServer) -> [String?] {
    server.requests.filter { $0.url.lastPathComponent == "reports" }.map { $0.fields["Ringfence-Installation"] }
  }

  private func send(_ client: RingfenceClient) async throws {
    try await client.report(report())
    #expect(await client.flush().delivered == 1)
  }

  @Test func `a phone attests once, renews with its key, and sends its token with reports`() async throws {
    try await withFolder { folder in
      let (clock, phone) = (HandClock(), Phone())
      let server = Self.server(clock)
      let client = try client(folder, server, clock, phone)
      for _ in 0..<2 { try await send(client) }
      #expect(phone.asked == ["key", "attest"])
      clock.advance(16 * 86_400)
      try await send(client)
      #expect(phone.asked == ["key", "attest", "assert"])
      #expect(tokens(server) == ["token 1", "token 1", "token 2"])
      let sent = try #require(server.requests.last { $0.url.lastPathComponent == "installations" }?.body)
      let body = try #require(try JSONSerialization.jsonObject(with: sent) as? [String: String])
      #expect(body["platform"] == "ios" && body["public_key"] == "S0VZ" && body["challenge"] == "AQID")
      #expect(body["assertion"] == Data("key 1, 32".utf8).base64EncodedString())
    }
  }

  @Test func `the token outlives the app`() async throws {
    try await withFolder { folder in
      let (clock, phone) = (HandClock(), Phone())
      let server = Self.server(clock)
      do { try await send(try client(folder, server, clock, phone)) }
      let client = try await opened { try self.client(folder, server, clock, phone) }
      try await send(client)
      #expect(tokens(server) == ["token 1", "token 1"] && phone.asked.count == 2)
    }
  }

  @Test(arguments: ["never", "with_new_key", "later"])
  func `a phone that is refused sends its reports without a token`(_ tryAgain: String) async throws {
    try await withFolder { folder in
      let (clock, phone) = (HandClock(), Phone())
      let server = Self.server(clock, refusal: tryAgain)
      let client = try client(folder, server, clock, phone)
      for _ in 0..<3 { try await send(client) }
      #expect(tokens(server) == [nil, nil, nil])
      #expect(phone.asked == ["key", "attest"])
      clock.advance(2 * 86_400)
      try await send(client)
      // A key is attested once.
      #expect(phone.asked.count == (tryAgain == "never" ? 2 : 4))
    }
  }

  @Test func `a key that Apple did not answer for is used again`() async throws {
    try await withFolder { folder in
      let (clock, phone) = (HandClock(), Phone(failure: ClientError.network("Apple")))
      let server = Self.server(clock)
      let client = try client(folder, server, clock, phone)
      try await send(client)
      clock.advance(2 * 86_400)
      try await send(client)
      #expect(phone.asked == ["key", "attest", "attest"])
      #expect(tokens(server) == [nil, nil])
    }
  }

  @Test func `a token that the server does not accept is replaced an hour later`() async throws {
    try await withFolder { folder in
      let (clock, phone) = (HandClock(), Phone())
      let server = Self.server(clock, word: "invalid")
      let client = try client(folder, server, clock, phone)
      for _ in 0..<2 { try await send(client) }
      #expect(tokens(server) == ["token 1", nil])
      clock.advance(3_700)
      try await send(client)
      #expect(tokens(server).last == "token 2")
      // With its key, so that it stays the same reporter.
      #expect(phone.asked == ["key", "attest", "assert"])
    }
  }

  @Test func `a key that is gone, or that the server has forgotten, is replaced by a new one`() async throws {
    let cases: [(Phone, String?)] = [(Phone(signing: Phone.Failure()), nil), (Phone(), "with_new_key")]
    for (phone, refusal) in cases {
      try await withFolder { folder in
        let clock = HandClock()
        let server = Self.server(clock, refusal: refusal, ofRenewals: true)
        let client = try client(folder, server, clock, phone)
        try await send(client)
        clock.advance(16 * 86_400)
        try await send(client)
        #expect(phone.asked == ["key", "attest", "assert", "key", "attest"])
        #expect(tokens(server) == ["token 1", "token 2"])
      }
    }
  }

  @Test func `a key that cannot sign for a moment keeps its token`() async throws {
    try await withFolder { folder in
      let (clock, phone) = (HandClock(), Phone(signing: ClientError.network("App Attest")))
      let server = Self.server(clock)
      let client = try client(folder, server, clock, phone)
      try await send(client)
      clock.advance(16 * 86_400)
      for _ in 0..<2 { try await send(client) }
      #expect(phone.asked == ["key", "attest", "assert"])
      #expect(tokens(server) == ["token 1", "token 1", "token 1"])
      // No network for a month: the token has ended, and its key is not replaced.
      clock.advance(31 * 86_400)
      try await send(client)
      #expect(phone.asked == ["key", "attest", "assert", "assert"] && tokens(server).last == .some(nil))
    }
  }

  @Test func `a key whose attestation the server did not take is not attested again`() async throws {
    try await withFolder { folder in
      let (clock, phone) = (HandClock(), Phone())
      let server = Self.server(clock, failures: 1)
      let client = try client(folder, server, clock, phone)
      try await send(client)
      clock.advance(2 * 86_400)
      try await send(client)
      #expect(phone.asked == ["key", "attest", "key", "attest"])
      #expect(tokens(server) == [nil, "token 1"])
    }
  }

  @Test func `a phone without App Attest and a client without a device ask for no token`() async throws {
    for phone in [Phone(isSupported: false), nil] {
      try await withFolder { folder in
        let clock = HandClock()
        let server = Self.server(clock)
        try await send(try client(folder, server, clock, phone))
        #expect(server.requests.count == 1 && tokens(server) == [nil])
      }
    }
    #if !canImport(DeviceCheck)
      #expect(!AppAttestation().isSupported)
    #endif
  }
}
