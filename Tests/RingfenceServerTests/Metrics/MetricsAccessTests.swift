import Hummingbird
import HummingbirdTesting
import PostgreSQL
import TestSupport
import Testing

@testable import API
@testable import HTTPServer
@testable import Localization
@testable import ModerationSite
@testable import RingfenceServer

@Suite struct MetricsAccessTests {
  @Test func onlyThisMachineIsThisMachine() throws {
    for ours in ["127.0.0.1", "127.8.9.10", "::1", "::ffff:127.0.0.1"] { #expect(MetricsAccess.isLoopback(ours)) }
    for other in ["128.0.0.1", "1.127.0.0", "::2", "::ffff:192.0.2.1", "192.0.2.127", "7f00::1", ""] {
      #expect(!MetricsAccess.isLoopback(other))
    }
    #expect(!MetricsAccess.isLoopback(nil))
  }

  /// What comes through a tunnel comes from this machine, under another name.
  @Test func aStrangersNameIsNotThisMachines() {
    for host in ["localhost", "LOCALHOST:8080", "127.0.0.1", "127.0.0.1:9", "[::1]", "[::1]:8080"] {
      #expect(MetricsAccess.isLocal(host), "\(host)")
    }
    for host in [nil, "", "ringfence.example", "localhost.example:80", "127.0.0.1.example", "10.127.0.1"] {
      #expect(!MetricsAccess.isLocal(host), "\(host ?? "-")")
    }
  }
}

@Suite(.database) struct MetricsProxyTests {
  /// Behind a proxy every connection comes from this machine, and nobody is let in without the token.
  @Test func behindAProxyOnlyTheTokenCounts() async throws {
    try await TestServer.run(configure: {
      $0.trustsProxy = true
      $0.metricsToken = "a token of sixteen characters"
    }) { server async throws in
      func status(_ headers: HTTPFields) async throws -> Int {
        try await server.client.execute(uri: "/metrics", method: .get, headers: headers).status.code
      }
      #expect(try await status([:]) == 401)
      #expect(try await status([.authorization: "Bearer a token of sixteen character"]) == 401)
      #expect(try await status([.authorization: "Bearer a token of sixteen characters"]) == 200)
    }
  }

  @Test func itAnswersWhileTheDatabaseDoesNot() async throws {
    try await TestServer.run { server async throws in
      await TestDatabase.current.pool.shutdown()
      let answer = try await server.client.execute(uri: "/metrics", method: .get)
      #expect(answer.status == .ok)
      #expect(String(buffer: answer.body).contains("\nringfence_database_up 0\n"))
      #expect(String(buffer: answer.body).contains("\nringfence_intake_queue_items{kind=\"reports\"} 0\n"))
    }
  }
}
