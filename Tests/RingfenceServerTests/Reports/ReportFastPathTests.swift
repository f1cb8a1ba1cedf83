// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hummingbird
import TestSupport
import Testing
@testable import HTTPServer
@testable import RingfenceCommand

/// Requests answered on the event loop: with the responses of the normal path, in order, and after the commit.
@Suite(.database) struct ReportFastPathTests {
  private static func request(_ body: String, _ port: Int, _ key: String, more: String = "") -> String {
    """
    POST /v1/reports HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(key)\r\n\
    Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\(more)\r\n\(body)
    """
  }

  /// Makes the server cache the key, which happens before it finds that the body is not a report.
  private static func prime(_ server: TestServer) async throws {
    #expect(try await server.report("{}").status == .badRequest)
  }

  /// A response without the parts that differ between requests, its lines in order.
  private static func normal(_ answer: String, id: String) -> String {
    let text = answer.replacing(/\r\nDate: [^\r]*/, with: "\r\nDate").replacing(id, with: "ID")
      .replacing(/\r\nX-Request-Id: [0-9a-f]+-[0-9a-f]+/, with: "\r\nX-Request-Id")
    let lines = text.replacing("\r\n", with: "\n").split(separator: "\n")
    return (lines.prefix(1) + lines.dropFirst().sorted()).joined(separator: "\n")
  }

  @Test func `fast responses equal those of the slow path`() async throws {
    // The clock does not advance, so that limits always give the same result.
    let clock = TestClock()
    try await TestServer.run(
      configure: {
        $0.access.limits = RequestLimits(
          app: .init(perSecond: 10, burst: 1_000), network: .init(perSecond: 10, burst: 1_000), reportsADay: 4)
      }, clock: clock.limitClock
    ) { server in
      try await Self.prime(server)
      func answers(_ reporter: String, _ more: String) async throws -> [String] {
        let id = UUID().uuidString.lowercased()
        let report = try Reports.json(["report_id": id, "reporter": reporter, "comment": "plain"])
        let bodies =
          [
            report, report, report.replacing("plain", with: "other"), report.replacing("fraud", with: "spam"),
            report.replacing("+33199000248", with: "+3316"), report.replacing("plain", with: "\\n"), "{", "",
          ]
          + (try (0..<4).map { _ in try Reports.json(["reporter": reporter]) })
        return try await raw { [port = server.port, key = server.key] in
          try bodies.map { body in
            let connection = try RawConnection(port: port)
            connection.send(Self.request(body, port, key, more: "Connection: keep-alive\r\n" + more))
            let answer = try connection.read(until: "}")
            let sent = body.firstMatch(of: /"report_id":"([^"]*)"/).map { String($0.1) } ?? id
            // Each request takes a token of two buckets.
            return Self.normal(answer, id: sent).replacing(/;[rt]=\d+/, with: "")
          }
        }
      }
      let (short, long) = (try await answers("short", ""), try await answers("long", "Sec-Fetch-Site: none\r\n"))
      #expect(short == long)
      #expect(
        short.compactMap { $0.split(separator: " ").dropFirst().first } == [
          "201", "200", "409", "422", "422", "409", "400", "400", "201", "201", "201", "429",
        ])
      #expect(short[0].contains("\nRateLimit-Policy: ") && short[0].contains("\nServer: ringfence\n"))
    }
  }

  @Test func `responses come after the commit and in order`() async throws {
    try await TestServer.run(capacity: 2, commits: false) { server in
      try await Self.prime(server)
      let (first, second) = (try Reports.json(), try Reports.json())
      let connection = try RawConnection(port: server.port)
      connection.send(
        Self.request(first, server.port, server.key) + "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
          + Self.request(second, server.port, server.key) + "GET /nowhere HTTP/1.1\r\nHost: localhost\r\n"
          + "Connection: close\r\n\r\n")
      // One report is accepted, and the bytes after it are not read.
      try await waitUntilFull(server, filling: 1)
      #expect(!connection.hasSomethingToRead)
      server.commitNow()
      let answers = try await raw { try connection.readToEnd() }
      #expect(answers.matches(of: #/HTTP/1\.1 (\d+) /#).map { String($0.1) } == ["201", "200", "201", "404"])
    }
  }

  @Test func `a client that has closed its sending side gets its response`() async throws {
    try await TestServer.run(capacity: 1, commits: false) { server in
      try await Self.prime(server)
      let connection = try RawConnection(port: server.port)
      connection.send(Self.request(try Reports.json(), server.port, server.key))
      connection.endSending()
      try await waitUntilFull(server)
      server.commitNow()
      #expect(try await raw { try connection.readToEnd() }.hasPrefix("HTTP/1.1 201 "))
    }
  }

  @Test func `a shutdown waits for reports that are being committed`() async throws {
    let answer = AsyncStream<String>.makeStream()
    try await TestServer.run(capacity: 1, commits: false) { server in
      try await Self.prime(server)
      let connection = try RawConnection(port: server.port)
      connection.send(Self.request(try Reports.json(), server.port, server.key))
      try await waitUntilFull(server)
      Task {
        answer.continuation.yield(
          (try? await raw {
            // The listener closes before the connections are told.
            while (try? RawConnection(port: server.port)) != nil { usleep(1_000) }
            server.commitNow()
            return try connection.readToEnd()
          }) ?? "")
        answer.continuation.finish()
      }
    }
    for await text in answer.stream { #expect(text.hasPrefix("HTTP/1.1 201 ")) }
  }

  @Test func `a connection is idle after its response`() async throws {
    try await TestServer.run(configure: { $0.connections = ConnectionLimits(idle: .seconds(5)) }) { server in
      let answers = try await raw { [port = server.port, key = server.key] in
        // Both on one connection: the first one caches the key.
        let connection = try RawConnection(port: port)
        connection.send(Self.request("{}", port, key))
        _ = try connection.read(until: "malformed\"}")
        connection.send(Self.request(try Reports.json(), port, key))
        return try connection.readToEnd()
      }
      #expect(answers.hasPrefix("HTTP/1.1 201 "))
    }
  }

  /// Waits until the intake reports a nearly full queue.
  private func waitUntilFull(_ server: TestServer, filling: Int = 0) async throws {
    for _ in 0..<filling {
      Task { [port = server.port, key = server.key] in
        try await raw {
          let connection = try RawConnection(port: port)
          connection.send(Self.request(try Reports.json(), port, key))
          _ = try connection.read(until: "}")
        }
      }
    }
    let deadline = ContinuousClock.now + .seconds(300)
    while ContinuousClock.now < deadline {
      if try await server.client.execute(uri: "/readyz", method: .get).status == .serviceUnavailable { return }
    }
    Issue.record("The report was not taken.")
  }
}
