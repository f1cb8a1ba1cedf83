// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Hummingbird
import PostgreSQL
import TestSupport
import Testing

@testable import RingfenceCommand

@Suite(.database) struct MetricsAccessTests {
  private static let token = "a token of sixteen characters"

  private static func metrics(_ server: TestServer, _ headers: HTTPFields) async throws -> TestResponse {
    try await server.client.execute(uri: "/metrics", method: .get, headers: headers)
  }

  @Test(arguments: [true, false])
  func `only the metrics token gives access`(behindProxy: Bool) async throws {
    try await TestServer.run(configure: {
      $0.trustsProxy = behindProxy
      $0.metricsToken = Self.token
    }) { server async throws in
      #expect(try await Self.metrics(server, [:]).status == .unauthorized)
      #expect(
        try await Self.metrics(server, [.authorization: "Bearer \(Self.token.dropLast())"]).status == .unauthorized)
      #expect(try await Self.metrics(server, [.authorization: "Bearer \(Self.token)"]).status == .ok)
      // A request of a proxy without forwarding headers.
      let proxied = try await raw { [port = server.port] in
        let connection = try RawConnection(port: port)
        connection.send("GET /metrics HTTP/1.0\r\n\r\n")
        return try connection.readToEnd()
      }
      #expect(proxied.contains(" 401 "), "\(proxied)")
    }
  }

  @Test func `without a configured token the metrics are refused`() async throws {
    try await TestServer.run { server async throws in
      #expect(try await Self.metrics(server, [:]).status == .unauthorized)
      #expect(try await Self.metrics(server, [.authorization: "Bearer "]).status == .unauthorized)
    }
  }

  @Test func `metrics are available while the database is not`() async throws {
    try await TestServer.run(configure: { $0.metricsToken = Self.token }) { server async throws in
      await TestDatabase.current.pool.shutdown()
      let answer = try await Self.metrics(server, [.authorization: "Bearer \(Self.token)"])
      #expect(answer.status == .ok)
      #expect(String(buffer: answer.body).contains("\nringfence_database_up 0\n"))
      #expect(String(buffer: answer.body).contains("\nringfence_intake_queue_items{kind=\"reports\"} 0\n"))
    }
  }
}
