// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hummingbird
import PostgreSQL
import TestSupport
import Testing
@testable import HTTPServer
@testable import RingfenceCommand

/// Behavior that only a plain connection shows: bodies that are too long, senders that are too slow.
@Suite(.database) struct ConnectionTests {
  private static func head(_ server: TestServer, _ more: String, key: String? = nil) -> String {
    """
    POST /v1/reports HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(key ?? server.key)\r\n\
    Content-Type: application/json\r\n\(more)\r\n\r\n
    """
  }

  /// A chunk of the chunked encoding.
  private static func chunk(_ text: String) -> String { "\(String(text.utf8.count, radix: 16))\r\n\(text)\r\n" }

  @Test func `a length that is too long is refused unread`() async throws {
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
  @Test func `half a next request does not close the connection`() async throws {
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

  @Test func `a request must name exactly one valid host`() async throws {
    try await TestServer.run { server in
      for (head, status) in [
        ("GET /healthz HTTP/1.1\r\n", 400), ("GET /healthz HTTP/1.1\r\nHost: a\r\nhost: b\r\n", 400),
        ("GET /healthz HTTP/1.1\r\nHost: a\r\n", 200), ("GET /healthz HTTP/1.0\r\n", 200),
        ("GET /healthz HTTP/1.1\r\nHost: a b\r\n", 400), ("GET /healthz HTTP/1.1\r\nHost: a@b\r\n", 400),
        ("GET /healthz HTTP/1.1\r\nHost: a,b\r\n", 400), ("GET /healthz HTTP/1.1\r\nHost: a/b\r\n", 400),
        ("GET /healthz HTTP/1.1\r\nHost: a:b\r\n", 400), ("GET /healthz HTTP/1.1\r\nHost: :80\r\n", 400),
        ("GET /healthz HTTP/1.1\r\nHost: [::1\r\n", 400), ("GET /healthz HTTP/1.1\r\nHost: [::1]80\r\n", 400),
        ("GET /healthz HTTP/1.1\r\nHost: \"><b>\r\n", 400), ("GET /healthz HTTP/1.0\r\nHost: a b\r\n", 400),
        ("GET /healthz HTTP/1.1\r\nHost: [::1]:80\r\n", 200), ("GET /healthz HTTP/1.1\r\nHost: a-1.b_c:65535\r\n", 200),
      ] {
        let answer = try await raw {
          let connection = try RawConnection(port: server.port)
          connection.send(head + "Connection: close\r\n\r\n")
          return try connection.readToEnd()
        }
        #expect(answer.hasPrefix("HTTP/1.1 \(status) ") || answer.hasPrefix("HTTP/1.0 \(status) "), "\(answer)")
        if status == 400 { #expect(answer.contains("/problems/no-host")) }
      }
    }
  }

  @Test func `headers beyond the limits are refused with a document`() async throws {
    let lines = { @Sendable (count: Int, bytes: Int) in
      (0..<count).map { "X-Header-\($0): \(String(repeating: "x", count: bytes))\r\n" }.joined()
    }
    let heads = [
      "GET /healthz HTTP/1.1\r\nHost: localhost\r\nCookie: \(String(repeating: "c", count: 9_000))\r\n\r\n",
      "POST /v1/reports HTTP/1.1\r\nHost: localhost\r\n\(lines(20, 1_000))\r\n{}",
      "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\(lines(101, 1))\r\n",
      "GET /healthz?\(String(repeating: "q", count: 9_000)) HTTP/1.1\r\nHost: localhost\r\n\r\n",
      // Much of it is not read before the answer.
      "GET /healthz HTTP/1.1\r\nHost: localhost\r\nCookie: \(String(repeating: "c", count: 1 << 20))\r\n\r\n",
    ]
    try await TestServer.run { server in
      for (index, head) in heads.enumerated() {
        for before in ["", "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"] {
          let answer = try await raw {
            let connection = try RawConnection(port: server.port)
            connection.send(before + head)
            return try connection.readToEnd()
          }
          let last = answer.components(separatedBy: "HTTP/1.1 ").last ?? ""
          #expect(answer.contains("HTTP/1.1 200 ") == !before.isEmpty, "\(index): \(answer)")
          #expect(last.hasPrefix("431 "), "\(index): \(answer)")
          #expect(last.lowercased().contains("connection: close\r\n"), "\(index): \(answer)")
          #expect(last.contains("Content-Type: application/problem+json\r\n"), "\(index): \(answer)")
          #expect(last.contains(#""type":"/problems/headers-too-large""#) && last.hasSuffix("}"), "\(index): \(answer)")
        }
      }
      // Within the limits.
      let answer = try await raw {
        let connection = try RawConnection(port: server.port)
        connection.send(
          "GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\(lines(15, 1_000))\r\n")
        return try connection.readToEnd()
      }
      #expect(answer.hasPrefix("HTTP/1.1 200 "), "\(answer)")
    }
  }

  /// RFC 9112, 9.3: a client of HTTP/1.0 reads the response to the end of the connection by default.
  @Test func `an HTTP 1.0 connection is closed after the response`() async throws {
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

  @Test func `an HTTP 1.0 connection with keep-alive stays open`() async throws {
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

  @Test func `a body without a length is cut at the limit`() async throws {
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

  @Test func `a refused request does not keep its connection open`() async throws {
    try await TestServer.run { server in
      let answer = try await raw {
        let connection = try RawConnection(port: server.port)
        connection.send(Self.head(server, "Content-Length: 1000", key: "rf_wrong") + "{")
        return try connection.readToEnd()
      }
      #expect(answer.hasPrefix("HTTP/1.1 401 ") && answer.contains("Connection: close\r\n"))
    }
  }

  @Test func `a body that arrives too slowly is refused`() async throws {
    try await TestServer.run(configure: {
      $0.connections = ConnectionLimits(body: .seconds(5), bytesPerSecond: 1_000, linger: .seconds(10))
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

  @Test func `headers that arrive too slowly close the connection`() async throws {
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
  @Test func `an incomplete next head does not cut the current response`() async throws {
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
        let deadline = ContinuousClock.now + .seconds(300)
        while try await database.query(waiting)[0].decode(0, as: Int64.self) == 0, .now < deadline {}
        connection.send("GET /healthz HTTP/1.1\r\n")
        try await database.execute("DO $$ BEGIN PERFORM pg_sleep(1); END $$")
      }
      let answers = try await raw { try connection.readToEnd() }
      #expect(answers.hasPrefix("HTTP/1.1 201 "))
    }
  }

  @Test func `an idle connection is closed`() async throws {
    try await TestServer.run(configure: { $0.connections = ConnectionLimits(idle: .seconds(5)) }) { server in
      let answer = try await raw {
        let connection = try RawConnection(port: server.port)
        connection.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        return try connection.readToEnd()
      }
      #expect(answer.hasPrefix("HTTP/1.1 200 "))
    }
  }

  @Test func `a connection without a first byte is closed earlier`() async throws {
    try await TestServer.run(configure: {
      $0.connections = ConnectionLimits(firstByte: .milliseconds(300), idle: .seconds(600))
    }) { server in
      let answer = try await raw { try RawConnection(port: server.port).readToEnd() }
      #expect(answer == "")
    }
  }

  @Test func `malformed HTTP is answered with 400 and closed`() async throws {
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
