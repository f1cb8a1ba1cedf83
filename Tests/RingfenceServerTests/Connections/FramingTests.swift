// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hummingbird
import TestSupport
import Testing
@testable import HTTPServer
@testable import RingfenceCommand

/// Requests that a proxy and a server may interpret differently, and requests with steps before or after the response.
@Suite(.database) struct FramingTests {
  private static func answer(_ server: TestServer, _ request: String) async throws -> String {
    try await raw { [port = server.port] in
      let connection = try RawConnection(port: port)
      connection.send(request)
      return try connection.readToEnd()
    }
  }

  private static func post(_ path: String, _ server: TestServer, _ more: String) -> String {
    """
    POST \(path) HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(server.key)\r\n\
    Content-Type: application/json\r\n\(more)\r\n\r\n
    """
  }

  /// The HTTP parser reads nothing after a request for another protocol.
  @Test func `a request for another protocol is answered and closes the connection`() async throws {
    try await TestServer.run { server in
      // The form of Java's HttpClient.
      let upgrade = """
        Connection: Upgrade, HTTP2-Settings\r\nHost: localhost\r\n\
        HTTP2-Settings: AAEAAEAAAAIAAAABAAMAAABkAAQBAAAAAAUAAEAA\r\nUpgrade: h2c\r\n
        """
      let get = "GET /healthz HTTP/1.1\r\n\(upgrade)\r\n"
      let body = try Reports.json()
      let report = Self.post("/v1/reports", server, "\(upgrade)Content-Length: \(body.utf8.count)") + body
      let report2 = report.replacing("Host: localhost\r\n", with: "", maxReplacements: 1)
      for (request, status) in [(get, 200), (report2, 201)] {
        let answer = try await Self.answer(server, request + get)
        #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(answer)")
        #expect(answer.contains("Connection: close\r\n"))
        #expect(answer.components(separatedBy: "HTTP/1.1 ").count == 2)
      }
      let connect = try await Self.answer(server, "CONNECT localhost:80 HTTP/1.1\r\nHost: localhost:80\r\n\r\n")
      #expect(connect.contains("Connection: close\r\n"), "\(connect)")
    }
  }

  @Test func `a client that expects 100 Continue receives it`() async throws {
    try await TestServer.run { server in
      let body = try Reports.json()
      let answers = try await raw { [port = server.port, key = server.key] in
        let connection = try RawConnection(port: port)
        let head = Self.post("/v1/reports", server, "Expect: 100-continue\r\nContent-Length: \(body.utf8.count)")
        _ = key
        connection.send(head)
        let first = try connection.read(until: "\r\n\r\n")
        connection.send(body)
        let second = try connection.read(until: "created\"}")
        connection.send(head + body + "GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        return [first, second, try connection.readToEnd()]
      }
      #expect(answers[0] == "HTTP/1.1 100 Continue\r\n\r\n")
      #expect(answers[1].hasPrefix("HTTP/1.1 201 "))
      // A body that has arrived needs no response 100.
      #expect(answers[2].matches(of: #/HTTP/1\.1 (\d+) /#).map { String($0.1) } == ["200", "200"])
    }
  }

  @Test func `a body that will be refused gets no 100 Continue`() async throws {
    try await TestServer.run { server in
      for (path, length, status) in [
        ("/v1/reports", "Content-Length: 2000000", 413), ("/v1/nowhere", "Content-Length: 10", 404),
        ("/appeals", "Content-Length: 100000", 415),
      ] {
        let answer = try await Self.answer(server, Self.post(path, server, "Expect: 100-continue\r\n\(length)"))
        #expect(!answer.contains(" 100 Continue"), "\(answer)")
        #expect(answer.contains("Connection: close\r\n"), "\(answer)")
        if status != 415 { #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(answer)") }
      }
    }
  }

  @Test func `ambiguous framing is refused`() async throws {
    try await TestServer.run { server in
      for rest in [
        "HTTP/1.0\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n",
        "HTTP/1.0\r\nHost: localhost\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n",
        "HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: gzip, chunked\r\n",
        "HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked, chunked\r\n",
        "HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
        "HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: identity\r\n",
        "HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n",
        "HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nContent-Length: 5\r\n",
      ] {
        let next = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
        let answer = try await Self.answer(
          server, "POST /v1/reports \(rest)Content-Type: application/json\r\n\r\n0\r\n\r\n" + next)
        #expect(answer.hasPrefix("HTTP/1.1 400 ") || answer.hasPrefix("HTTP/1.0 400 "), "\(answer)")
        #expect(answer.lowercased().contains("connection: close\r\n"), "\(answer)")
        #expect(answer.components(separatedBy: "HTTP/1.").count == 2, "\(answer)")
      }
    }
  }

  @Test func `an absolute address must name the host of the server`() async throws {
    try await TestServer.run { server in
      for (address, host, status) in [
        ("http://localhost/healthz", "localhost", 200), ("http://LOCALHOST:80/healthz", "localhost:80", 200),
        ("http://other/healthz", "localhost", 400), ("http://localhost:81/healthz", "localhost", 400),
        ("http://other@localhost/healthz", "localhost", 400), ("http:///healthz", "localhost", 400),
        ("/healthz", "", 400),
      ] {
        let answer = try await Self.answer(
          server, "GET \(address) HTTP/1.1\r\nHost: \(host)\r\nConnection: close\r\n\r\n")
        #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(answer)")
      }
    }
  }

  @Test func `the fast path refuses an invalid host header`() async throws {
    try await TestServer.run { server in
      for host in ["", "a b", "a@b", "a,b"] {
        #expect(try await server.report("{}").status == .badRequest)
        let body = try Reports.json()
        let answer = try await Self.answer(
          server,
          (Self.post("/v1/reports", server, "Content-Length: \(body.utf8.count)") + body)
            .replacing("Host: localhost", with: "Host: \(host)")
            + "GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        #expect(answer.hasPrefix("HTTP/1.1 400 ") && answer.contains("/problems/no-host"), "\(answer)")
      }
    }
  }

  @Test func `a form that is too long or too slow is refused with its status`() async throws {
    try await TestServer.run(configure: {
      $0.connections = ConnectionLimits(body: .seconds(5), bytesPerSecond: 1_000_000, linger: .seconds(10))
    }) { server in
      let head = """
        POST /sign-in HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\n\
        Transfer-Encoding: chunked\r\n\r\n
        """
      let long = try await Self.answer(server, head + "11170\r\n" + String(repeating: "a", count: 70_000) + "\r\n")
      #expect(long.hasPrefix("HTTP/1.1 413 "), "\(long)")
      let slow = try await Self.answer(server, head + "1\r\na\r\n")
      #expect(slow.hasPrefix("HTTP/1.1 408 "), "\(slow)")
    }
  }

  @Test func `JSON that parsers can read in two ways is refused`() async throws {
    try await TestServer.run { server in
      let report = try Reports.json()
      for encoding in [String.Encoding.utf16, .utf16LittleEndian, .utf16BigEndian, .utf32] {
        let bytes = try #require(report.data(using: encoding))
        let answer = try await server.client.execute(
          uri: "/v1/reports", method: .post,
          headers: [.authorization: "Bearer \(server.key)", .contentType: "application/json"],
          body: ByteBuffer(bytes: bytes))
        #expect(answer.status == .badRequest, "\(encoding)")
      }
      let twice = report.replacing("\"category\"", with: "\"category\":\"spam\",\"category\"")
      let escaped = report.replacing("\"category\"", with: "\"c\\u0061tegory\":\"spam\",\"category\"")
      let other = report.replacing(
        "\"category\"", with: "\"x\":{\"y\":1,\"z\":[{\"y\":2},{\"y\":1,\"y\":2}]},\"category\"")
      for (body, pointer) in [(twice, "/category"), (escaped, "/category"), (other, "/x/z/1/y")] {
        for array in [false, true] {
          let answer = try await server.report(array ? "[\(report),\(body)]" : body)
          #expect(answer.status == .badRequest)
          let text = String(buffer: answer.body)
          #expect(text.contains(#""pointer":"\#(array ? "/1" : "")\#(pointer)""#), "\(text)")
        }
      }
      let lines = try await server.report("\(twice)\n\(report)\n", type: "application/x-ndjson")
      #expect(try Reports.results(of: lines).map(\.status) == ["invalid", "created"])
      // The same name in two objects is not repeated.
      let batch = try await server.report("[\(report),\(try Reports.json())]")
      #expect(batch.status == .ok)
    }
  }
}
