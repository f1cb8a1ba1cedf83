// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hummingbird
import HummingbirdTesting
import PostgreSQL
import Publishing
import TestSupport
import Testing
@testable import API
@testable import HTTPServer
@testable import Localization
@testable import ModerationSite
@testable import RingfenceServer

/// Behaviour that only a plain connection shows: bodies that are too long, senders that are too slow.
@Suite(.database) struct ConnectionTests {
  private static func head(_ server: TestServer, _ more: String, key: String? = nil) -> String {
    """
    POST /v1/reports HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(key ?? server.key)\r\n\
    Content-Type: application/json\r\n\(more)\r\n\r\n
    """
  }

  /// A chunk of the chunked encoding.
  private static func chunk(_ text: String) -> String { "\(String(text.utf8.count, radix: 16))\r\n\(text)\r\n" }

  @Test func aLengthThatIsTooLongIsRefusedUnread() async throws {
    try await TestServer.run { server in
      for (length, begin) in [(2_000_000, ""), (20_000, "{"), (1_048_577, "[")] {
        let answer = try await raw {
          let connection = try RawConnection(port: server.port)
          connection.send(Self.head(server, "Content-Length: \(length)") + begin)
          return try connection.readToEnd()
        }
        #expect(answer.hasPrefix("HTTP/1.1 413 "))
        #expect(answer.contains("Connection: close\r\n"))
        #expect(answer.contains(#""type":"/problems/too-large""#))
      }
    }
  }

  /// A response to a complete request while the next one's body is still arriving.
  @Test func halfANextRequestDoesNotCloseTheConnection() async throws {
    try await TestServer.run { server in
      let body = try Reports.json()
      let answers = try await raw {
        let connection = try RawConnection(port: server.port)
        connection.send(
          "GET /v1/summary HTTP/1.1\r\nHost: localhost\r\n\r\n"
            + Self.head(server, "Content-Length: \(body.utf8.count)") + String(body.prefix(10)))
        let first = try connection.read(until: "\r\n\r\n")
        connection.send(String(body.dropFirst(10)))
        connection.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        return first + (try connection.readToEnd())
      }
      #expect(!answers.lowercased().prefix { $0 != "{" }.contains("connection: close"))
      #expect(answers.contains("HTTP/1.1 201 "))
      #expect(answers.contains("HTTP/1.1 200 "))
    }
  }

  @Test(arguments: [
    ("GET /healthz HTTP/1.1\r\n", 400), ("GET /healthz HTTP/1.1\r\nHost: a\r\nhost: b\r\n", 400),
    ("GET /healthz HTTP/1.1\r\nHost: a\r\n", 200), ("GET /healthz HTTP/1.0\r\n", 200),
  ])
  func aRequestNamesOneHost(_ head: String, status: Int) async throws {
    try await TestServer.run { server in
      let answer = try await raw {
        let connection = try RawConnection(port: server.port)
        connection.send(head + "Connection: close\r\n\r\n")
        return try connection.readToEnd()
      }
      #expect(answer.hasPrefix("HTTP/1.1 \(status) ") || answer.hasPrefix("HTTP/1.0 \(status) "), "\(answer)")
      if status == 400 { #expect(answer.contains("/problems/no-host")) }
    }
  }

  /// RFC 9112, 9.3: a client of HTTP/1.0 reads the response to the end of the connection by default.
  @Test func aConnectionOfHTTP10EndsWithItsAnswer() async throws {
    try await TestServer.run { server in
      let body = try Reports.json()
      let head = Self.head(server, "Content-Length: \(body.utf8.count)")
      let report = head.replacing("HTTP/1.1", with: "HTTP/1.0") + body
      for request in ["GET /healthz HTTP/1.0\r\n\r\n", report, "GET /nothing HTTP/1.0\r\nHost: a\r\n\r\n"] {
        let answer = try await raw {
          let connection = try RawConnection(port: server.port)
          // A request after it gets no response.
          connection.send(request + "GET /healthz HTTP/1.0\r\n\r\n")
          return try connection.readToEnd()
        }
        #expect(answer.contains("Connection: close\r\n"), "\(answer)")
        #expect(answer.components(separatedBy: "HTTP/1.").count == 2, "\(answer)")
        #expect(!answer.lowercased().contains("transfer-encoding"), "\(answer)")
      }
    }
  }

  @Test func aConnectionOfHTTP10IsKeptWhereThatIsAskedFor() async throws {
    try await TestServer.run { server in
      let answers = try await raw {
        let connection = try RawConnection(port: server.port)
        connection.send("GET /healthz HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
        let first = try connection.read(until: "\r\n\r\n")
        connection.send("GET /healthz HTTP/1.0\r\n\r\n")
        return first + (try connection.readToEnd())
      }
      #expect(answers.components(separatedBy: "HTTP/1.").count == 3, "\(answers)")
    }
  }

  @Test func aBodyWithoutLengthIsCutAtTheCap() async throws {
    try await TestServer.run { server in
      // An object stops at 16 KB, an array at 1 MB; the server does not wait for the rest.
      for (begin, filler) in [("{", 20_000), ("[", 1_100_000)] {
        let answer = try await raw {
          let connection = try RawConnection(port: server.port)
          connection.send(Self.head(server, "Transfer-Encoding: chunked") + Self.chunk(begin))
          connection.send(Self.chunk(String(repeating: " ", count: filler)))
          return try connection.readToEnd()
        }
        #expect(answer.hasPrefix("HTTP/1.1 413 "))
        #expect(answer.contains("Connection: close\r\n"))
      }
      let batch = "[\(try Reports.json())\(String(repeating: " ", count: 1_000_000))]"
      #expect(try await server.report(batch).status == .ok)
    }
  }

  @Test func aRefusedRequestDoesNotHoldItsConnection() async throws {
    try await TestServer.run { server in
      let answer = try await raw {
        let connection = try RawConnection(port: server.port)
        connection.send(Self.head(server, "Content-Length: 1000", key: "rf_wrong") + "{")
        return try connection.readToEnd()
      }
      #expect(answer.hasPrefix("HTTP/1.1 401 ") && answer.contains("Connection: close\r\n"))
    }
  }

  @Test func aBodyThatDoesNotComeInTimeIsGivenUp() async throws {
    try await TestServer.run(configure: {
      $0.connections = ConnectionLimits(body: .milliseconds(300), bytesPerSecond: 1_000, linger: .seconds(10))
    }) { server in
      let (silent, trickling) = try await raw {
        let first = try RawConnection(port: server.port)
        let second = try RawConnection(port: server.port)
        first.send(Self.head(server, "Content-Length: 400") + "{")
        second.send(Self.head(server, "Transfer-Encoding: chunked"))
        // One byte at a time, as long as the server accepts them.
        Thread.detachNewThread {
          while second.send(Self.chunk(" ")) { usleep(20_000) }
        }
        return (try first.readToEnd(), try second.readToEnd())
      }
      for answer in [silent, trickling] {
        #expect(answer.hasPrefix("HTTP/1.1 408 "))
        #expect(answer.contains("Connection: close\r\n"))
        #expect(answer.contains(#""type":"/problems/too-slow""#))
      }
      // A steady sender gets the time that the length grants.
      #expect(try await server.report(try Reports.json()).status == .created)
    }
  }

  @Test func headersThatDoNotComeInTimeAreGivenUp() async throws {
    try await TestServer.run(configure: {
      $0.connections = ConnectionLimits(headers: .milliseconds(300), idle: .seconds(60))
    }) { server in
      let answer = try await raw {
        let connection = try RawConnection(port: server.port)
        connection.send("GET /healthz HTTP/1.1\r\n")
        Thread.detachNewThread {
          while connection.send("X-Slow: 1\r\n") { usleep(20_000) }
        }
        return try connection.readToEnd()
      }
      #expect(answer == "")
      #expect(try await server.client.execute(uri: "/healthz", method: .get).status == .ok)
    }
  }

  /// An incomplete next head that arrives during a response may take as long as the response.
  @Test func halfANextHeadDoesNotCutTheAnswerBeforeIt() async throws {
    try await TestServer.run(configure: {
      $0.connections = ConnectionLimits(headers: .milliseconds(300), idle: .seconds(60))
    }) { server in
      let connection = try await raw { try RawConnection(port: server.port) }
      try await TestDatabase.current.pool.transaction { database in
        try await database.execute("LOCK TABLE reports IN EXCLUSIVE MODE")
        let body = try Reports.json()
        connection.send(Self.head(server, "Content-Length: \(body.utf8.count)") + body)
        let waiting: PostgresQuery =
          "SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = 'reports'::regclass"
        let deadline = ContinuousClock.now + .seconds(30)
        while try await database.query(waiting)[0].decode(0, as: Int64.self) == 0, .now < deadline {}
        connection.send("GET /healthz HTTP/1.1\r\n")
        try await database.execute("DO $$ BEGIN PERFORM pg_sleep(1); END $$")
      }
      let answers = try await raw { try connection.readToEnd() }
      #expect(answers.hasPrefix("HTTP/1.1 201 "))
    }
  }

  @Test func anIdleConnectionIsClosed() async throws {
    try await TestServer.run(configure: { $0.connections = ConnectionLimits(idle: .milliseconds(300)) }) { server in
      let answer = try await raw {
        let connection = try RawConnection(port: server.port)
        connection.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        return try connection.readToEnd()
      }
      #expect(answer.hasPrefix("HTTP/1.1 200 "))
    }
  }

  @Test func whatIsNoHTTPIsAnsweredAndClosed() async throws {
    try await TestServer.run { server in
      let answer = try await raw {
        let connection = try RawConnection(port: server.port)
        connection.send("hello\r\n\r\n")
        return try connection.readToEnd()
      }
      #expect(answer.hasPrefix("HTTP/1.1 400 "))
      let cut = try await raw {
        let connection = try RawConnection(port: server.port)
        connection.send(Self.head(server, "Transfer-Encoding: chunked") + "zz\r\n")
        return try connection.readToEnd()
      }
      #expect(cut.hasPrefix("HTTP/1.1 400 "))
    }
  }
}

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
  @Test func aRequestForAnotherProtocolIsAnsweredAndTheLast() async throws {
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

  @Test func aClientThatExpectsToBeToldToGoOnIs() async throws {
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

  @Test(arguments: [
    ("/v1/reports", "Content-Length: 2000000", 413), ("/v1/nowhere", "Content-Length: 10", 404),
    ("/appeals", "Content-Length: 100000", 415),
  ])
  func aBodyThatIsNotWantedIsNotAskedFor(path: String, length: String, status: Int) async throws {
    try await TestServer.run { server in
      let answer = try await Self.answer(server, Self.post(path, server, "Expect: 100-continue\r\n\(length)"))
      #expect(!answer.contains(" 100 Continue"), "\(answer)")
      #expect(answer.contains("Connection: close\r\n"), "\(answer)")
      if status != 415 { #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(answer)") }
    }
  }

  @Test(arguments: [
    "HTTP/1.0\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n",
    "HTTP/1.0\r\nHost: localhost\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n",
    "HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: gzip, chunked\r\n",
    "HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked, chunked\r\n",
    "HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
    "HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: identity\r\n",
    "HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n",
    "HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nContent-Length: 5\r\n",
  ])
  func aFramingThatCanBeReadInTwoWaysIsRefused(_ rest: String) async throws {
    try await TestServer.run { server in
      let next = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
      let answer = try await Self.answer(
        server, "POST /v1/reports \(rest)Content-Type: application/json\r\n\r\n0\r\n\r\n" + next)
      #expect(answer.hasPrefix("HTTP/1.1 400 ") || answer.hasPrefix("HTTP/1.0 400 "), "\(answer)")
      #expect(answer.lowercased().contains("connection: close\r\n"), "\(answer)")
      #expect(answer.components(separatedBy: "HTTP/1.").count == 2, "\(answer)")
    }
  }

  @Test(arguments: [
    ("http://localhost/healthz", "localhost", 200), ("http://LOCALHOST:80/healthz", "localhost:80", 200),
    ("http://other/healthz", "localhost", 400), ("http://localhost:81/healthz", "localhost", 400),
    ("http://other@localhost/healthz", "localhost", 400), ("http:///healthz", "localhost", 400),
    ("/healthz", "", 400),
  ])
  func anAbsoluteAddressNamesTheHost(_ address: String, host: String, status: Int) async throws {
    try await TestServer.run { server in
      let answer = try await Self.answer(
        server, "GET \(address) HTTP/1.1\r\nHost: \(host)\r\nConnection: close\r\n\r\n")
      #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(answer)")
    }
  }

  @Test func theFastPathRefusesAnEmptyHost() async throws {
    try await TestServer.run { server in
      #expect(try await server.report("{}").status == .badRequest)
      let body = try Reports.json()
      let answer = try await Self.answer(
        server,
        (Self.post("/v1/reports", server, "Content-Length: \(body.utf8.count)") + body)
          .replacing("Host: localhost", with: "Host:")
          + "GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
      #expect(answer.hasPrefix("HTTP/1.1 400 ") && answer.contains("/problems/no-host"), "\(answer)")
    }
  }

  @Test func aFormThatIsTooLongOrTooSlowIsToldSo() async throws {
    try await TestServer.run(configure: {
      $0.connections = ConnectionLimits(body: .milliseconds(300), bytesPerSecond: 1_000_000, linger: .seconds(10))
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

  @Test func jsonThatParsersReadInTwoWaysIsRefused() async throws {
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
