// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hummingbird
import PostgreSQL
import TestSupport
import Testing
import Timestamps

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
