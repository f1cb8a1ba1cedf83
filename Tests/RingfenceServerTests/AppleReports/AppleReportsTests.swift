// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import HTTPTypes
import Hummingbird
import Intake
import PostgreSQL
import Storage
import TestSupport
import Testing
import Support

@testable import API
@testable import HTTPServer
@testable import RingfenceCommand

/// Requests as iOS sends them for reporting extensions and message filters.
@Suite(.database) struct AppleReportsTests {
  private static let number: Int64 = 33_199_000_248

  private struct Made: Decodable {
    let installation_id: String
    let token: String
  }

  private func token(_ server: TestServer, key: String? = nil) async throws -> Made {
    let answer = try await server.client.execute(
      uri: "/v1/installations", method: .post, headers: [.authorization: "Bearer \(key ?? server.key)"])
    #expect(answer.status == .created && answer.headers[.cacheControl] == "no-store")
    return try JSONDecoder().decode(Made.self, from: Data(answer.body.readableBytesView))
  }

  /// The envelope of iOS, with the dictionary of an app.
  private func envelope(_ userInfo: [String: Any]) throws -> String {
    let body: [String: Any] = ["_version": 1, "app": ["version": "2.4"], "classification": userInfo]
    return String(decoding: try JSONSerialization.data(withJSONObject: body), as: UTF8.self)
  }

  /// Without a key, and with the headers of Apple's other extension: the headers of this one are not documented.
  private func send(
    _ server: TestServer, _ json: String, to path: String = "/v1/apple/reports",
    type: String? = "application/json; charset=utf-8"
  ) async throws -> TestResponse {
    var headers: HTTPFields = [.accept: "*/*", .userAgent: "IdentityLookup/1"]
    headers[.contentType] = type
    return try await server.client.execute(
      uri: path, method: .post, headers: headers, body: ByteBuffer(string: json))
  }

  private func count(_ query: PostgresQuery) async throws -> Int64 {
    try await pool.withConnection { connection in
      try await connection.query(query).map { try $0.decode(0, as: Int64.self) }[0]
    }
  }

  private func reports() async throws -> Int64 { try await count("SELECT count(*) FROM reports") }
  private func reporters() async throws -> Int64 { try await count("SELECT count(*) FROM number_reporters") }

  @Test func `a report with a token is stored once, however often it arrives`() async throws {
    try await TestServer.run { server in
      let made = try await token(server)
      #expect(made.token.count == 43 && made.installation_id.count == 64)
      let body = try envelope([
        "number": "+33199000248", "category": "fraud", "action": "junk", "token": made.token,
        "report_id": UUID().uuidString.lowercased(), "reported_at": Timestamp.format(Date() - 60),
      ])
      for _ in 0..<3 {
        let answer = try await send(server, body)
        #expect(answer.status == .noContent && answer.body.readableBytes == 0)
      }
      #expect(try await reports() == 1)
      #expect(
        try await count("SELECT count(*) FROM reports WHERE number = \(Self.number) AND category_id = 1") == 1)
      // Reports have the key that created the token, so that a withdrawal by key finds them.
      #expect(try await count("SELECT count(*) FROM reports r JOIN app_keys k USING (key_id)") == 1)
    }
  }

  @Test func `a report without an id and a time counts once too`() async throws {
    try await TestServer.run { server in
      let made = try await token(server)
      let body = try envelope(["number": 33_199_000_248, "action": "junk", "token": made.token])
      for type in ["application/json", nil, "text/plain"] {
        #expect(try await send(server, body, type: type).status == .noContent)
      }
      #expect(try await reports() == 1)
      #expect(try await reporters() == 1)
    }
  }

  @Test func `Saracroche's names work as shipped with an app for reports without a token`() async throws {
    var map = AppleFieldMap.saracroche
    map.appWithoutToken = "Test app"
    let settings = AppleReportSettings(maps: [map])
    try await TestServer.run(configure: { $0.api.appleReports = settings }) { server in
      let junk = try envelope([
        "phoneNumber": "+33199000248", "deviceId": UUID().uuidString, "is_good": false,
      ])
      #expect(try await send(server, junk).status == .noContent)
      // Another device id of the same network and day is the same reporter.
      let again = try envelope(["phoneNumber": "+33199000248", "deviceId": UUID().uuidString, "is_good": false])
      #expect(try await send(server, again).status == .noContent)
      #expect(try await reporters() == 1)
      let good = try envelope(["phoneNumber": "+33199000249", "deviceId": "x", "is_good": true])
      #expect(try await send(server, good).status == .noContent)
      #expect(
        try await count("SELECT count(*) FROM reports WHERE category_id = \(ReportCategory.legitimate.rawValue)") == 1)
    }
    try await TestServer.run(app: "Another app") { server in
      let without = try envelope(["phoneNumber": "+33199000250", "is_good": false])
      #expect(try await send(server, without).status == .unauthorized)
      let made = try await token(server)
      let own = try envelope(["phoneNumber": "+33199000250", "is_good": false, "token": made.token])
      #expect(try await send(server, own).status == .noContent)
      #expect(try await count("SELECT count(*) FROM reports WHERE number = 33199000250") == 1)
    }
  }

  @Test func `texts of messages are never stored`() async throws {
    try await TestServer.run { server in
      let made = try await token(server)
      let body = try envelope([
        "number": "+33199000248", "category": "fraud", "token": made.token, "messageBody": "Your parcel 4711",
        "bodies": ["Your parcel 4711"], "text": "Your parcel 4711", "description": "Your parcel 4711",
        "comment": "Your parcel 4711",
      ])
      #expect(try await send(server, body).status == .noContent)
      #expect(try await reports() == 1)
      #expect(try await count("SELECT count(*) FROM reports r WHERE r::text LIKE '%4711%'") == 0)
    }
  }

  @Test func `reports that say nothing are dropped with 204`() async throws {
    try await TestServer.run { server in
      let made = try await token(server)
      for userInfo in [
        ["number": "33700", "category": "fraud"], ["number": "My bank", "category": "fraud"],
        ["number": "a@b.example", "category": "fraud"], ["number": "+33199000248", "action": "none"],
        ["number": "+33199000248", "category": "no such"], ["number": "+33199000248"], ["sender": "+33199000248"],
        ["number": ["+33199000248"], "category": "fraud"], [:],
      ] as [[String: Any]] {
        let answer = try await send(server, try envelope(userInfo.merging(["token": made.token]) { $1 }))
        #expect(answer.status == .noContent, "\(userInfo)")
      }
      #expect(try await reports() == 0)
    }
  }

  @Test func `an implausible time and id are replaced`() async throws {
    try await TestServer.run { server in
      let made = try await token(server)
      for (index, time) in ["2999-01-01T00:00:00Z", "1970-01-01T00:00:00Z", "yesterday"].enumerated() {
        let body = try envelope([
          "number": "+3319900024\(index)", "category": "fraud", "token": made.token, "reported_at": time,
          "report_id": "1",
        ])
        #expect(try await send(server, body).status == .noContent, "\(time)")
      }
      #expect(try await reports() == 3)
      #expect(try await count("SELECT count(*) FROM reports WHERE reported_at > \(Date() - 600)") == 3)
    }
  }

  @Test func `bad input gets a status and stores nothing`() async throws {
    try await TestServer.run { server in
      let made = try await token(server)
      let deep = String(repeating: "[", count: 100) + String(repeating: "]", count: 100)
      let valid = ["number": "+33199000248", "category": "fraud"]
      for (body, status) in [
        ("", 400), ("{", 400), ("[]", 400), ("{}", 400), (#"{"classification":[]}"#, 400),
        (#"{"classification":{"number":"+33199000248","number":"+33199000249"}}"#, 400),
        (#"{"classification":{"a":\#(deep)}}"#, 400),
        (#"{"classification":{"text":"\#(String(repeating: "a", count: 70_000))"}}"#, 413),
        (try envelope(valid), 401), (try envelope(valid.merging(["token": "wrong"]) { $1 }), 401),
        (try envelope(valid.merging(["token": String(repeating: "a", count: 300)]) { $1 }), 401),
      ] as [(String, Int)] {
        let answer = try await send(server, body)
        #expect(answer.status.code == status, "\(body.prefix(60))")
        // An extension cannot choose header fields.
        let text = String(buffer: answer.body)
        #expect(!text.contains("Bearer") && (status != 401 || text.contains(#"member \"token\""#)), "\(text)")
      }
      // Larger than a report of an app, and within the limit.
      let long = try envelope(
        valid.merging(["token": made.token, "messageBody": String(repeating: "a", count: 60_000)]) { $1 })
      #expect(try await reports() == 0)
      #expect(try await send(server, long).status == .noContent)
      #expect(try await reports() == 1)
    }
  }

  @Test func `a revoked token is refused`() async throws {
    let apps = AppStore(pool: pool)
    let other = try await apps.create(name: "Another app", at: Date()).key
    try await TestServer.run { server in
      let made = try await token(server)
      let path = "/v1/installations/\(made.installation_id)"
      func revoke(_ path: String, key: String) async throws -> Int {
        try await server.client.execute(uri: path, method: .delete, headers: [.authorization: "Bearer \(key)"])
          .status.code
      }
      #expect(try await revoke(path, key: other) == 404)
      #expect(try await revoke("/v1/installations/zz", key: server.key) == 404)
      let body = try envelope(["number": "+33199000248", "category": "fraud", "token": made.token])
      #expect(try await send(server, body).status == .noContent)
      #expect(try await revoke(path, key: server.key) == 204)
      #expect(try await revoke(path, key: server.key) == 204)
      #expect(try await send(server, body).status == .unauthorized)
      // The end of the key ends its tokens.
      let second = try await token(server)
      let key = try #require(try await apps.keys(of: "Test app").first)
      try await apps.revoke(keyID: key.id, at: Date())
      let late = try envelope(["number": "+33199000249", "category": "fraud", "token": second.token])
      #expect(try await send(server, late).status == .unauthorized)
      #expect(try await reports() == 1)
    }
  }

  @Test func `a reporter's daily limit applies and answers 204`() async throws {
    try await TestServer.run(configure: { $0.access.limits = RequestLimits(reportsADay: 2) }) { server in
      let made = try await token(server)
      for index in 0..<4 {
        let body = try envelope(["number": "+3319900024\(index)", "category": "fraud", "token": made.token])
        #expect(try await send(server, body).status == .noContent)
      }
      #expect(try await reports() == 2)
    }
  }

  @Test func `a network over its limit is refused`() async throws {
    try await TestServer.run(
      configure: { $0.access.limits = RequestLimits(network: .init(perSecond: 1, burst: 2)) },
      clock: TestClock().limitClock
    ) { server in
      let body = try envelope(["number": "+33199000248", "category": "fraud", "token": "wrong"])
      for status in [401, 401, 429] { #expect(try await send(server, body).status.code == status) }
    }
  }

  @Test func `message filters are refused unless they are switched on`() async throws {
    let time = Date()
    try await pool.execute(
      "INSERT INTO listings (number, category_id, serial, listed_at) VALUES (\(Self.number), 6, 12, \(time))")
    @Sendable func query(_ sender: String) -> String {
      #"{"_version":1,"query":{"sender":"\#(sender)","message":{"text":"Your parcel"}},"app":{"version":"1.1"}}"#
    }
    let path = "/v1/apple/messages"
    try await TestServer.run { server async throws in
      #expect(try await send(server, query("33199000248"), to: path).status == .notFound)
      #expect(try await send(server, query("33199000248")).status == .badRequest)
    }
    let settings = AppleReportSettings(filteringApps: ["TEAMID1234.org.example.app.filter"])
    try await TestServer.run(configure: { $0.api.appleReports = settings }, app: "Another app") { server in
      for (sender, action) in [("33199000248", "junk"), ("+33199000249", "none"), ("My bank", "none"), ("", "none")] {
        let answer = try await send(server, query(sender), to: path)
        #expect(answer.status == .ok && String(buffer: answer.body) == #"{"action":"\#(action)"}"#, "\(sender)")
      }
      #expect(try await send(server, "{}", to: path).status == .badRequest)
      #expect(try await reports() == 0)
    }
  }

  @Test func `Apple reads the identifiers of apps`() async throws {
    let path = "/.well-known/apple-app-site-association"
    try await TestServer.run { server async throws in
      #expect(try await server.client.execute(uri: path, method: .get).status == .notFound)
    }
    let apps = ["TEAMID1234.org.example.app", "TEAMID1234.org.example.app.report"]
    let settings = AppleReportSettings(reportingApps: apps)
    try await TestServer.run(configure: { $0.api.appleReports = settings }, app: "Another app") { server in
      let answer = try await server.client.execute(uri: path, method: .get)
      #expect(answer.status == .ok && answer.headers[.contentType] == "application/json")
      #expect(
        String(buffer: answer.body)
          == #"{"classificationreport":{"apps":["TEAMID1234.org.example.app","TEAMID1234.org.example.app.report"]}}"#)
    }
  }

  @Test func `the addresses can be switched off`() async throws {
    try await TestServer.run(configure: { $0.api.appleReports = nil }) { server in
      #expect(try await send(server, try envelope([:])).status == .notFound)
      let headers: HTTPFields = [.authorization: "Bearer \(server.key)"]
      let answer = try await server.client.execute(uri: "/v1/installations", method: .post, headers: headers)
      #expect(answer.status == .notFound)
    }
  }
}
