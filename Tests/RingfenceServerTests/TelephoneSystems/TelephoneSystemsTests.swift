// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import HTTPTypes
import Hummingbird
import Moderation
import PostgreSQL
import Publishing
import Storage
import TestSupport
import Testing

@testable import API
@testable import HTTPServer
@testable import RingfenceCommand

/// Lookups as FreeSWITCH, Asterisk and Kamailio send them.
@Suite(.database) struct TelephoneSystemsTests {
  private static let blocked: Int64 = 33_199_000_248
  private static let identified: Int64 = 33_199_000_249
  private static let allowed: Int64 = 33_199_000_250
  private static let protected: Int64 = 33_199_000_251
  private static let unlisted: Int64 = 33_199_000_252

  /// Lists all numbers but the last, then allows one and protects another.
  private func prepare() async throws {
    let now = Date()
    try await pool.execute(
      """
      INSERT INTO listings (number, category_id, serial, listed_at)
      SELECT number, 6, 12, \(now)
      FROM unnest(\([Self.blocked, Self.identified, Self.allowed, Self.protected])) AS t (number)
      """)
    let decisions = DecisionService(pool: pool)
    for (number, treatment, label) in [
      (Self.identified, Decision.Treatment.identify, "Tom & \"Sons\"\\; {x} = $1" as String?),
      (Self.allowed, .allow, nil),
    ] {
      _ = try await decisions.record(
        try Decision(
          number: number, treatment: treatment, label: label, reason: "Known.", decidedBy: "Ada", decidedAt: now))
    }
    try await ProtectionStore(pool: pool).add([(.number(Self.protected), "A bank")], by: "Ada", at: now)
  }

  private func ask(
    _ server: TestServer, _ path: String, _ headers: HTTPFields = [:], method: HTTPRequest.Method = .get
  ) async throws -> TestResponse {
    try await server.client.execute(uri: "/v1/pbx/\(path)", method: method, headers: headers)
  }

  private func bearer(_ server: TestServer) -> HTTPFields { [.authorization: "Bearer \(server.key)"] }

  @Test func `FreeSWITCH gets the name with the key in the address`() async throws {
    try await prepare()
    try await TestServer.run { server in
      let headers: HTTPFields = [.userAgent: "freeswitch-cidlookup/1.0", .accept: "*/*"]
      let answer = try await ask(server, "\(Self.blocked)?key=\(server.key)", headers)
      #expect(answer.status == .ok && String(buffer: answer.body) == ReportCategory(rawValue: 6)?.label)
      #expect(answer.headers[.contentType] == "text/plain; charset=utf-8")
      #expect(answer.headers[.cacheControl] == "private, max-age=60")
      let unlisted = try await ask(server, "\(Self.unlisted)?key=\(server.key)", headers)
      #expect(unlisted.status == .ok && unlisted.body.readableBytes == 0)
    }
  }

  @Test func `a failed call gets what the app's operator wants`() async throws {
    try await prepare()
    let falseCaller = "Caller may show a false number"
    let (block, identify) = (ReportCategory(rawValue: 6)?.label ?? "", "Tom Sons x 1")
    for (rule, names, verdicts) in [
      (FailedCalls.nothing, [block, identify, ""], ["block", "identify", "allow"]),
      (.label, [block, identify, falseCaller], ["block", "identify", "identify"]),
      (.reject, [block, identify, falseCaller], ["block", "block", "block"]),
    ] {
      try await TestServer.run(app: "\(rule)") { server in
        try await AppStore(pool: pool).set(failedCalls: rule, ofApp: "\(rule)", at: Date())
        for (place, number) in [Self.blocked, Self.identified, Self.unlisted].enumerated() {
          func ask(_ query: String) async throws -> String {
            String(buffer: try await self.ask(server, "\(number)?\(query)", bearer(server)).body)
          }
          #expect(try await ask("verstat=TN-Validation-Failed-C") == names[place], "\(rule) \(number)")
          #expect(try await ask("verstat=failed&as=verdict") == verdicts[place], "\(rule) \(number)")
          // All other values change nothing.
          for value in ["", "passed", "none", "No-TN-Validation"] {
            let usual = ["block", "identify", "allow"][place]
            #expect(try await ask("verstat=\(value)&as=verdict") == usual, "\(rule) \(number) \(value)")
          }
        }
        #expect(try await ask(server, "\(Self.unlisted)?verstat=yes", bearer(server)).status == .badRequest)
      }
    }
    #expect(try await pool.rows("SELECT 1 FROM audit_events WHERE action = 'app.failed_calls'").count == 3)
    await #expect(throws: AppError.noApp("Nobody")) {
      try await AppStore(pool: pool).set(failedCalls: .label, ofApp: "Nobody", at: Date())
    }
  }

  @Test func `Asterisk gets the verdict with a name and a password`() async throws {
    try await prepare()
    try await TestServer.run { server in
      let login = Data("ringfence:\(server.key)".utf8).base64EncodedString()
      let headers: HTTPFields = [
        .userAgent: "asterisk-libcurl-agent/1.0", .authorization: "Basic \(login)", .accept: "*/*",
      ]
      for (number, verdict) in [
        ("\(Self.blocked)", "block"), ("\(Self.identified)", "identify"), ("\(Self.allowed)", "allow"),
        ("\(Self.protected)", "allow"), ("\(Self.unlisted)", "allow"),
        ("+\(Self.blocked);tgrp=grp1;trunk-context=example.com", "block"),
        ("\(Self.blocked);verstat=No-TN-Validation", "block"),
      ] {
        let answer = try await ask(server, "\(number)?as=verdict", headers)
        #expect(answer.status == .ok && String(buffer: answer.body) == verdict, "\(number)")
      }
      let name = try await ask(server, "\(Self.identified)", headers)
      #expect(String(buffer: name.body) == "Tom Sons x 1")
      #expect(try await ask(server, "\(Self.protected)", headers).body.readableBytes == 0)
    }
  }

  @Test func `FreePBX gets the name with the number in the query`() async throws {
    try await prepare()
    try await TestServer.run { server in
      let login = Data("ringfence:\(server.key)".utf8).base64EncodedString()
      for number in ["\(Self.blocked)", "+\(Self.blocked)", "%2B\(Self.blocked)"] {
        let answer = try await server.client.execute(
          uri: "/v1/pbx?number=\(number)", method: .get, headers: [.authorization: "Basic \(login)"])
        #expect(answer.status == .ok && String(buffer: answer.body) == "Robocall", "\(number)")
      }
      let none = try await server.client.execute(
        uri: "/v1/pbx", method: .get, headers: [.authorization: "Basic \(login)"])
      #expect(none.status == .notFound && none.body.readableBytes == 0)
    }
  }

  @Test func `Kamailio gets one line of JSON`() async throws {
    try await prepare()
    try await TestServer.run { server in
      let blocked = try await ask(server, "+\(Self.blocked)/json", bearer(server))
      #expect(
        String(buffer: blocked.body)
          == #"{"category":"robocall","name":"Robocall","number":"+33199000248","verdict":"block"}"#)
      let unlisted = try await ask(server, "%2B\(Self.unlisted)/json", bearer(server))
      #expect(String(buffer: unlisted.body) == #"{"name":"","number":"+33199000252","verdict":"allow"}"#)
    }
  }

  @Test func `a number is read as it was dialed`() async throws {
    try await prepare()
    try await TestServer.run { server in
      for (path, region) in [
        ("33199000248", nil), ("%2B33199000248", nil), ("0033199000248", nil), ("0199000248", "FR"),
        ("+33199000248", "US"), ("01133199000248", "US"), ("33199000248", "US"), ("0033199000248", "de"),
        // Also a possible German number without its 0.
        ("33199000248", "DE"),
      ] as [(String, String?)] {
        let query = region.map { "&region=\($0)" } ?? ""
        let answer = try await ask(server, "\(path)?as=verdict\(query)", bearer(server))
        #expect(answer.status == .ok && String(buffer: answer.body) == "block", "\(path)\(query)")
      }
    }
  }

  @Test func `every error has an empty body and its status`() async throws {
    try await prepare()
    let apps = AppStore(pool: pool)
    let other = try await apps.create(name: "Reports alone", scopes: .report, at: Date()).key
    try await TestServer.run { server in
      let key = bearer(server)
      for (path, headers, status) in [
        ("\(Self.blocked)", [:], 401), ("\(Self.blocked)?key=wrong", [:], 401), ("\(Self.blocked)?key=", [:], 401),
        ("\(Self.blocked)", [.authorization: "Basic x"], 401), ("\(Self.blocked)?key=\(other)", [:], 403),
        ("anonymous", key, 404), ("0", key, 404), ("1234567890123456", key, 404), ("", key, 404), ("a/b", key, 404),
        ("/\(Self.blocked)", [:], 401), ("%00", key, 404), ("\(Self.blocked)?as=xml", key, 400),
        ("\(Self.blocked)?region=XX", key, 400),
      ] as [(String, HTTPFields, Int)] {
        var headers = headers
        headers[.accept] = "text/html, */*"
        let answer = try await ask(server, path, headers)
        #expect(answer.status.code == status && answer.body.readableBytes == 0, "\(path): \(answer.status)")
        #expect(answer.headers[.contentType] == nil, "\(path)")
      }
      let doubled = try await server.client.execute(uri: "//v1/pbx/\(Self.blocked)", method: .get)
      #expect(doubled.status == .unauthorized && doubled.body.readableBytes == 0)
      let method = try await ask(server, "\(Self.blocked)", key, method: .post)
      #expect(method.status == .methodNotAllowed && method.body.readableBytes == 0)
      #expect(method.headers[.allow] == "GET, HEAD")
    }
  }

  @Test func `a network over its limit gets an empty body`() async throws {
    try await TestServer.run(
      configure: { $0.access.limits = RequestLimits(network: .init(perSecond: 1, burst: 1)) },
      clock: TestClock().limitClock
    ) { server in
      let key = bearer(server)
      #expect(try await ask(server, "\(Self.unlisted)", key).status == .ok)
      let refused = try await ask(server, "\(Self.unlisted)", key)
      #expect(refused.status == .tooManyRequests && refused.body.readableBytes == 0)
      #expect(refused.headers[.retryAfter] != nil)
    }
  }

  @Test func `an answer has a time limit while the database is locked`() async throws {
    try await TestServer.run(deadlineFactor: 1) { server in
      let key = bearer(server)
      try await pool.transaction { connection in
        try await connection.execute(script: "LOCK TABLE listings IN ACCESS EXCLUSIVE MODE")
        let began = ContinuousClock.now
        let answer = try await ask(server, "\(Self.blocked)?as=verdict", key)
        let duration = ContinuousClock.now - began
        #expect(answer.status == .serviceUnavailable && answer.body.readableBytes == 0)
        // The statement would otherwise wait for the lock.
        #expect(duration < .seconds(60))
      }
    }
  }

  @Test func `the addresses can be switched off`() async throws {
    try await TestServer.run(configure: { $0.access.interfaces.remove(.telephoneSystems) }) { server async throws in
      #expect(try await ask(server, "\(Self.blocked)", bearer(server)).status == .notFound)
    }
  }

  @Test(
    arguments: [
      ("Fraud", "Fraud"), ("  A\tB\r\nC  ", "A B C"), ("\"'`\\&={}$<>;", ""), (String(repeating: "ä", count: 40), nil),
      ("Tom\u{202E}moT", "Tom moT"), ("", ""), ("A):System(id|x,y)[1]?", "ASystemidxy1"),
    ] as [(String, String?)])
  func `a name has one line without special characters`(label: String, expected: String?) {
    let name = CallerName.text(of: label)
    #expect(name.utf8.count <= CallerName.maxBytes)
    #expect(name == expected ?? String(repeating: "ä", count: 30))
  }
}
