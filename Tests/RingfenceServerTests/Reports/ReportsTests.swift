// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hummingbird
import PostgreSQL
import TestSupport
import Testing
import Support

@testable import Intake

@Suite(.database) struct ReportsTests {
  private func json(_ changes: [String: Any?] = [:]) throws -> String {
    var report: [String: Any] = [
      "number": "+33199000248", "category": "fraud", "reporter": "user-1",
      "report_id": "5f0b1f5e-7d3e-4a53-9c1b-0a5a4fc0b9ad", "reported_at": Timestamp.format(Date()),
    ]
    for (key, value) in changes { report[key] = value }
    return String(decoding: try JSONSerialization.data(withJSONObject: report), as: UTF8.self)
  }

  @Test func `a report is created once and later a duplicate`() async throws {
    let body = try json()
    try await TestServer.run { server in
      let first = try await server.report(body)
      #expect(first.status == .created)
      #expect(
        String(buffer: first.body)
          == #"{"number":"+33199000248","report_id":"5f0b1f5e-7d3e-4a53-9c1b-0a5a4fc0b9ad","status":"created"}"#)
      let second = try await server.report(body)
      #expect(second.status == .ok)
      #expect(String(buffer: second.body).contains(#""status":"duplicate""#))
    }
  }

  @Test func `a number that is not in the plan is stored, and the answer says so`() async throws {
    // The area code 555 is not assigned; no number of the country has 8 digits.
    let new = try json(["number": "+15555550123"])
    let wrong = try json(["number": "+155555501", "report_id": UUID().uuidString])
    let known = try json(["number": "+12015550123", "report_id": UUID().uuidString])
    try await TestServer.run { server in
      for status in [HTTPResponse.Status.created, .ok] {
        let answer = try await server.report(new)
        #expect(answer.status == status && String(buffer: answer.body).contains(#""unassigned":true"#))
      }
      #expect(try await server.report(wrong).status == .unprocessableContent)
      let other = try await server.report(known)
      #expect(other.status == .created && !String(buffer: other.body).contains("unassigned"))
    }
    let held = try await TestDatabase.current.pool.column("SELECT number FROM holds", as: Int64.self)
    #expect(held == [15_555_550_123])
  }

  @Test func `a number that is not in the plan is refused as long as 0.1.0 may run`() async throws {
    let new = try json(["number": "+15555550123"])
    let pool = TestDatabase.current.pool
    try await TestServer.run { server in
      try await pool.execute("UPDATE schema_migrations SET version = 1 WHERE version = 20261129140000")
      let refused = try await server.report(new)
      #expect(refused.status == .unprocessableContent && String(buffer: refused.body).contains("not_valid"))
      #expect(try await pool.column("SELECT number FROM holds", as: Int64.self) == [])
      try await pool.execute("UPDATE schema_migrations SET version = 20261129140000 WHERE version = 1")
      #expect(try await server.report(new).status == .created)
    }
    #expect(try await pool.column("SELECT number FROM holds", as: Int64.self) == [15_555_550_123])
  }

  @Test func `an app may report so many numbers outside of the plan in a day`() throws {
    let (budget, now) = (UnassignedNumbers(), Date(timeIntervalSince1970: 1_795_000_000))
    let taken = (0...UnassignedNumbers.maxByDay).map { budget.take(15_555_550_000 + Int64($0), from: 1, at: now) }
    #expect(taken.filter { $0 }.count == UnassignedNumbers.maxByDay && taken.last == false)
    #expect(budget.take(15_555_550_000, from: 1, at: now) && budget.take(15_555_559_999, from: 2, at: now))
    #expect(budget.take(15_555_559_999, from: 1, at: now + 86_400))
  }

  @Test func `an invalid field is named with a pointer`() async throws {
    let wrong = try json(["category": "spam", "reported_at": "soon"])
    let missing = try json(["number": nil])
    let mistyped = try json(["number": 33_199_000_248])
    try await TestServer.run { server in
      let response = try await server.report(wrong)
      #expect(response.status == .unprocessableContent)
      #expect(response.headers[.contentType] == "application/problem+json")
      let text = String(buffer: response.body)
      #expect(text.contains(#""pointer":"/category""#) && text.contains(#""pointer":"/reported_at""#))
      #expect(text.contains("one_ring"))

      for (body, code) in [(missing, "missing"), (mistyped, "wrong_type")] {
        let response = try await server.report(body)
        #expect(response.status == .badRequest)
        let text = String(buffer: response.body)
        #expect(text.contains(#""pointer":"/number""#) && text.contains(code))
      }
      #expect(try await server.report("{").status == .badRequest)
    }
  }

  @Test func `unknown keys and other media types are refused`() async throws {
    let body = try json()
    try await TestServer.run { server in
      #expect(try await server.report(body, key: "rf_wrong").status == .unauthorized)
      let without = try await server.client.execute(
        uri: "/v1/reports", method: .post, headers: [.contentType: "application/json"], body: ByteBuffer(string: body))
      #expect(without.status == .unauthorized)
      #expect(without.headers[.wwwAuthenticate] == "Bearer")
      #expect(try await server.report(body, type: "text/plain").status == .unsupportedMediaType)
      #expect(try await server.report(String(repeating: " ", count: 20_000)).status == .contentTooLarge)
    }
  }

  @Test func `an internal failure reveals no internals`() async throws {
    let body = try json()
    let other = try json(["report_id": UUID().uuidString])
    try await TestServer.run { server in
      #expect(try await server.report(body).status == .created)
      await TestDatabase.current.pool.shutdown()
      let response = try await server.report(other)
      #expect(response.status == .serviceUnavailable)
      #expect(response.headers[.retryAfter] == "2")
      #expect(!String(buffer: response.body).lowercased().contains("pool"))
      let ready = try await server.client.execute(uri: "/readyz", method: .get)
      #expect(ready.status == .serviceUnavailable)
      let alive = try await server.client.execute(uri: "/healthz", method: .get)
      #expect(alive.status == .ok)
    }
  }
}
