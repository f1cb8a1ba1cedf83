// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hummingbird
import PostgreSQL
import TestSupport
import Testing

@testable import HTTPServer
@testable import RingfenceCommand

/// Refusals over a real socket: status, header fields, a `type` with a page, and no internal details.
@Suite(.database) struct ProblemSocketTests {
  private struct Case: Sendable {
    let kind: ProblemKind
    let line: String
    var head = ""
    var body = ""
    /// A line that the response's head must have.
    var says = ""

    func request(key: String) -> String {
      let length = body.isEmpty || head.contains("Content-Length") ? "" : "Content-Length: \(body.utf8.count)\r\n"
      return "\(line) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAuthorization: Bearer \(key)\r\n"
        + "\(head)\(length)\r\n\(body)"
    }
  }

  private static let json = "Content-Type: application/json\r\n"

  private static let cases: [Case] = [
    Case(kind: .notFound, line: "GET /v1/nothing"),
    Case(kind: .notFound, line: "GET /v1/packs/..%2f..%2fetc%2fpasswd"),
    Case(kind: .notANumber, line: "GET /v1/numbers/007"),
    Case(kind: .methodNotAllowed, line: "DELETE /v1/manifest.json", says: "Allow: GET, HEAD"),
    Case(kind: .methodNotAllowed, line: "TRACE /healthz", says: "Allow: GET, HEAD"),
    Case(kind: .methodNotAllowed, line: "GET /v1/reports", says: "Allow: POST"),
    Case(kind: .unknownMethod, line: "MKCOL /v1/reports"),
    Case(kind: .notAcceptable, line: "GET /v1/numbers/33199000248", head: "Accept: text/html\r\n"),
    Case(
      kind: .notAcceptable, line: "POST /v1/reports", head: json + "Accept: application/xml\r\n", body: "{}"),
    Case(kind: .tooLarge, line: "POST /v1/reports", head: json + "Content-Length: 2000000\r\n"),
    Case(kind: .unsupportedMediaType, line: "POST /v1/reports", head: "Content-Type: text/plain\r\n", body: "{}"),
    Case(
      kind: .unsupportedEncoding, line: "POST /v1/reports", head: json + "Content-Encoding: gzip\r\n", body: "{}"),
    Case(kind: .malformed, line: "POST /v1/reports", head: json, body: "{"),
    Case(kind: .region, line: "GET /v1/summary?region=Germany"),
  ]

  private func answer(_ request: String, port: Int) async throws -> String {
    try await raw {
      let connection = try RawConnection(port: port)
      connection.send(request)
      return try connection.readToEnd()
    }
  }

  private func expect(_ answer: String, _ kind: ProblemKind, _ says: String = "") {
    #expect(answer.hasPrefix("HTTP/1.1 \(kind.status.code) "), "\(kind): \(answer.prefix(200))")
    #expect(answer.contains("\r\nContent-Type: application/problem+json\r\n"), "\(kind)")
    #expect(answer.contains("\"type\":\"\(kind.path)\""), "\(kind)")
    #expect(says.isEmpty || answer.contains("\r\n\(says)"), "\(kind): \(answer.prefix(600))")
    for inside in ["SELECT", "SQLSTATE", "postgres", "libpq", Checkout.root, "Swift", "Error("] {
      #expect(!answer.contains(inside), "\(kind): \(inside)")
    }
  }

  @Test func `a request that cannot be served gets its problem document`() async throws {
    try await TestServer.run { server in
      for each in Self.cases {
        expect(try await answer(each.request(key: server.key), port: server.port), each.kind, each.says)
      }
      let stranger = Case(
        kind: .unauthorized, line: "POST /v1/reports", head: Self.json, body: "{}", says: "WWW-Authenticate: Bearer")
      expect(try await answer(stranger.request(key: "rf_x"), port: server.port), stranger.kind, stranger.says)
    }
  }

  @Test func `a request over the rate limit gets Retry-After`() async throws {
    let body = try Reports.json()
    try await TestServer.run(
      configure: { $0.access.limits = RequestLimits(app: .init(perSecond: 1, burst: 1), network: nil) },
      clock: TestClock().limitClock
    ) { server in
      let report = Case(kind: .limited, line: "POST /v1/reports", head: Self.json, body: body)
      let first = try await answer(report.request(key: server.key), port: server.port)
      #expect(first.hasPrefix("HTTP/1.1 201 "))
      expect(try await answer(report.request(key: server.key), port: server.port), .limited, "Retry-After: 1\r\n")
    }
  }

  @Test func `a request while the database is unavailable gets Retry-After`() async throws {
    let body = try Reports.json()
    try await TestServer.run { server in
      let report = Case(kind: .unavailable, line: "POST /v1/reports", head: Self.json, body: body)
      #expect(try await server.report("{}").status == .badRequest)
      await TestDatabase.current.pool.shutdown()
      expect(try await answer(report.request(key: server.key), port: server.port), .unavailable, "Retry-After: 2\r\n")
      let ready = Case(kind: .unavailable, line: "GET /readyz")
      expect(try await answer(ready.request(key: server.key), port: server.port), .unavailable, "Retry-After: 2\r\n")
    }
  }
}
