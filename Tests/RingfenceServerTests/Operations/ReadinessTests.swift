// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hummingbird
import TestSupport
import Testing
@testable import HTTPServer

@Suite(.database) struct ReadinessTests {
  private func ready(_ server: TestServer) async throws -> HTTPResponse.Status {
    try await server.client.execute(uri: "/readyz", method: .get).status
  }

  @Test func `readiness fails before the listener closes`() async throws {
    try await TestServer.run { server in
      #expect(try await ready(server) == .ok)
      server.readiness.stop()
      // New connections and requests are still answered, and closed after the response.
      for (path, status) in [("/readyz", "503"), ("/healthz", "200")] {
        let answer = try await raw {
          let connection = try RawConnection(port: server.port)
          connection.send("GET \(path) HTTP/1.1\r\nHost: localhost\r\n\r\n")
          return try connection.readToEnd()
        }
        #expect(answer.hasPrefix("HTTP/1.1 \(status) "))
        #expect(answer.contains("Connection: close\r\n"))
      }
    }
  }

  @Test func `readiness names the nodes of a cluster that do not answer`() async throws {
    try await TestServer.run { server in
      try await addWorkers(second: "/nowhere")
      let answer = try await server.client.execute(uri: "/readyz", method: .get)
      #expect(answer.status == .ok)
      #expect(String(buffer: answer.body).contains("/nowhere:"))
    }
  }

  @Test func `readiness fails when the queue is nearly full`() async throws {
    try await TestServer.run(capacity: 10, commits: false) { server in
      #expect(try await ready(server) == .ok)
      try await withThrowingTaskGroup(of: Void.self) { group in
        // Nine of ten reports wait, because nothing is committed.
        let batch = "[" + (try (0..<9).map { _ in try Reports.json() }).joined(separator: ",") + "]"
        group.addTask { [port = server.port, key = server.key] in
          try await raw {
            let connection = try RawConnection(port: port)
            connection.send(
              """
              POST /v1/reports HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(key)\r\n\
              Content-Type: application/json\r\nContent-Length: \(batch.utf8.count)\r\n\r\n\(batch)
              """)
            _ = try connection.read(until: "}")
          }
        }
        let began = ContinuousClock.now
        var status = try await ready(server)
        while status == .ok, ContinuousClock.now - began < .seconds(300) { status = try await ready(server) }
        #expect(status == .serviceUnavailable)
        let refused = try await server.report("[\(try Reports.json()),\(try Reports.json())]")
        #expect(refused.status == .serviceUnavailable)
        #expect(refused.headers[.retryAfter] == "2")
        server.commitNow()
        try await group.waitForAll()
        #expect(try await ready(server) == .ok)
      }
    }
  }
}
