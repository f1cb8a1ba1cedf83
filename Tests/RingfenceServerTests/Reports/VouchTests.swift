// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import HTTPTypes
import Hummingbird
import PostgreSQL
import Storage
import TestSupport
import Testing
@testable import HTTPServer
@testable import RingfenceCommand

/// `reporter_since` and `client_address`, which the server of an app knows of its users.
@Suite(.database) struct VouchTests {
  private static let forwarded = HTTPField.Name("X-Forwarded-For")!
  private static let relay = "192.0.2.200"

  private struct Refusal: Decodable {
    struct Field: Decodable {
      let pointer: String
      let code: String
      let detail: String
    }
    let type: String
    let detail: String
    let errors: [Field]?
  }

  private func vouchKey() async throws -> String {
    try await AppStore(pool: TestDatabase.current.pool)
      .create(name: "Server", scopes: [.report, .vouch], at: Date()).key
  }

  private func strings(_ query: PostgresQuery) async throws -> [String] {
    try await TestDatabase.current.pool.column(query, as: String.self)
  }

  private func networks() async throws -> [String] {
    try await strings("SELECT coalesce(encode(network, 'hex'), '') FROM reports ORDER BY received_at")
  }

  private func problem(_ response: TestResponse) throws -> Refusal {
    try JSONDecoder().decode(Refusal.self, from: Data(response.body.readableBytesView))
  }

  private func send(
    _ server: TestServer, _ body: String, key: String, from address: String = relay,
    type: String = "application/json"
  ) async throws -> TestResponse {
    try await server.post("/v1/reports", body, key: key, type: type, headers: [Self.forwarded: address])
  }

  @Test func `without the scope, both fields are refused and nothing is stored`() async throws {
    let (plain, since) = (try Reports.json(), try Reports.json(["reporter_since": "2024-03-05"]))
    let address = try Reports.json(["client_address": "203.0.113.7", "reporter_since": "nonsense"])
    try await TestServer.run { server in
      // Then the key is in the cache, and the fast path takes plain reports.
      #expect(try await server.report(plain).status == .created)
      for (body, type, pointers) in [
        (since, "application/json", ["/reporter_since"]),
        (address, "application/json", ["/reporter_since", "/client_address"]),
        ("[\(try Reports.json()),{\"number\":5},\(since)]", "application/json", ["/2/reporter_since"]),
        ("\(try Reports.json())\n\(address)", "application/x-ndjson", ["/1/reporter_since", "/1/client_address"]),
      ] {
        let response = try await server.report(body, type: type)
        #expect(response.status == .forbidden)
        let problem = try problem(response)
        #expect(problem.type == "/problems/scope")
        #expect(problem.errors?.map(\.pointer) == pointers)
        #expect(problem.errors?.map(\.code) == pointers.map { _ in "scope" })
        #expect(problem.detail.contains("reporter_since") && problem.detail.contains("the scope vouch"))
        #expect(problem.detail.contains("ringfence app scopes 1 report,identify,lookup,fetch,vouch"))
      }
      // Null is no value.
      #expect(try await server.report(try Reports.json(["client_address": NSNull()])).status == .created)
    }
    #expect(try await strings("SELECT number::text FROM reports").count == 2)
    #expect(try await strings("SELECT since::text FROM vouched_reporters") == [])
  }

  @Test func `a failed call weighs nothing from a trusted server, and as usual from others`() async throws {
    let key = try await vouchKey()
    try await TestServer.run { server in
      for value in ["failed", "TN-Validation-Failed-A", "passed", "none"] {
        let body = try Reports.json(["verification": value])
        // The first one takes the long way, the second the fast path.
        for _ in 0..<2 {
          #expect(try await server.report(try Reports.json(["verification": value])).status == .created)
        }
        #expect(try await send(server, body, key: key).status == .created)
        let retry = body.replacing("\"verification\":\"\(value)\"", with: "\"verification\":\"passed\"")
        #expect(try await send(server, retry, key: key).status == .ok)
      }
      #expect(try await server.report(try Reports.json(["verification": "perhaps"])).status == .unprocessableContent)
      #expect(try await server.report(try Reports.json(["verification": NSNull()])).status == .created)
    }
    #expect(
      try await strings(
        "SELECT concat_ws(' ', verification, weight > 0, count(*)) FROM reports GROUP BY verification, weight > 0 ORDER BY verification"
      ) == ["0 t 1", "1 t 1", "2 f 2", "10 t 2", "11 t 2", "12 t 4", "t 1"])
  }

  @Test func `the network of a named address is that of a direct connection from it`() async throws {
    let key = try await vouchKey()
    let addresses = ["203.0.113.7", "::ffff:203.0.113.99", "2001:db8:7::1", "2001:DB8:7:8::2", "203.0.112.7"]
    try await TestServer.run(configure: { $0.trustsProxy = true }) { server in
      for address in addresses {
        #expect(try await send(server, try Reports.json(), key: server.key, from: address).status == .created)
        let body = try Reports.json(["client_address": address])
        #expect(try await send(server, body, key: key).status == .created)
        #expect(Reports.status(try await send(server, "[\(body)]", key: key)) == ["duplicate"])
      }
      #expect(try await send(server, try Reports.json(), key: key).status == .created)
      #expect(try await send(server, try Reports.json(), key: server.key, from: Self.relay).status == .created)
    }
    let stored = try await networks()
    for index in stride(from: 0, to: stored.count, by: 2) {
      #expect(stored[index] == stored[index + 1] && !stored[index].isEmpty, "\(index)")
    }
    #expect(stored[0] == stored[2] && stored[4] == stored[6])
    #expect(Set(stored).count == 4)
  }

  /// A relay's users have one network, unless the relay names theirs.
  @Test(arguments: [false, true]) func `people behind a relay have their own networks`(isNamed: Bool) async throws {
    let key = try await vouchKey()
    let items = try (0..<12).map { index in
      try Reports.json([
        "reporter": "user-\(index)", "client_address": isNamed ? "198.51.\(index).7" : nil,
        "reporter_since": "2024-03-05",
      ])
    }
    try await TestServer.run(configure: { $0.trustsProxy = true }) { server in
      let response = try await send(server, "[\(items.joined(separator: ","))]", key: key)
      #expect(Reports.status(response) == items.map { _ in "created" })
      let ada = try await ModeratorClient.signIn(server, as: "Ada", role: .administrator)
      let page = try await ada.page("/moderation/apps")
      #expect(page.contains("12 reporters but only one network") == !isNamed)
    }
    #expect(Set(try await networks()).count == (isNamed ? 12 : 1))
    let origins = try await AppStore(pool: TestDatabase.current.pool).origins()
    #expect(origins.values.allSatisfy { $0.verified == 0 })
    #expect(origins.values.map(\.isOneNetwork) == [!isNamed])
    #expect(try await strings("SELECT DISTINCT since::text FROM vouched_reporters") == ["2024-03-05"])
    #expect(try await strings("SELECT since::text FROM vouched_reporters").count == 12)
  }

  @Test func `invalid values are refused with field, value and rule`() async throws {
    let key = try await vouchKey()
    let tomorrow = String(Date(timeIntervalSinceNow: 86_400).formatted(.iso8601).prefix(10))
    try await TestServer.run { server in
      for (field, value, code) in [
        ("reporter_since", "2024-02-30", "not_a_day"), ("reporter_since", "", "not_a_day"),
        ("reporter_since", "2024-03-05T00:00:00Z", "not_a_day"), ("reporter_since", tomorrow, "in_the_future"),
        ("reporter_since", "1999-12-31", "before_2000"), ("client_address", "203.0.113.7:443", "not_an_address"),
        ("client_address", "203.0.113", "not_an_address"), ("client_address", "", "not_an_address"),
        ("client_address", "fe80::1%eth0", "not_an_address"), ("client_address", "example.com", "not_an_address"),
        ("client_address", "203.0.113.7\u{0}1", "not_an_address"),
      ] {
        let response = try await server.report(try Reports.json([field: value]), key: key)
        #expect(response.status == .unprocessableContent, "\(value)")
        let problem = try problem(response)
        #expect(problem.errors?.map(\.pointer) == ["/\(field)"])
        #expect(problem.errors?.map(\.code) == [code])
        #expect(problem.errors?[0].detail.contains("\"\(value.replacing("\u{0}", with: ""))\"") == true)
      }
      #expect(try await server.report(try Reports.json(["client_address": 5]), key: key).status == .badRequest)
      let today = String(Date().formatted(.iso8601).prefix(10))
      #expect(try await server.report(try Reports.json(["reporter_since": today]), key: key).status == .created)
      #expect(try await server.report(try Reports.json(["reporter_since": "2000-01-01"]), key: key).status == .created)
    }
    #expect(try await networks().count == 2)
  }

  @Test func `reports cost the network that they name`() async throws {
    let key = try await vouchKey()
    @Sendable func item(_ address: String) throws -> String { try Reports.json(["client_address": address]) }
    try await TestServer.run(
      configure: {
        $0.access.limits = RequestLimits(app: nil, network: .init(perSecond: 1, burst: 4))
        $0.trustsProxy = true
      }, clock: TestClock().limitClock
    ) { server in
      let batch = try (0..<6).map { _ in try item("203.0.113.7") } + [item("198.51.100.7")]
      let response = try await send(server, "[\(batch.joined(separator: ","))]", key: key)
      #expect(
        Reports.status(response) == ["created", "created", "created", "created", "failed", "failed", "created"])
      let refused = try Reports.results(of: response)[4]
      #expect(refused.errors?.map(\.pointer) == ["/client_address"])
      #expect(refused.errors?.map(\.code) == ["network_limit"])
      #expect(try await send(server, item("203.0.113.8"), key: key).status == .tooManyRequests)
      #expect(try await send(server, item("198.51.100.8"), key: key).status == .created)
      // The people of that network who connect themselves are not affected.
      #expect(try await send(server, try Reports.json(), key: server.key, from: "203.0.113.7").status == .created)
    }
  }

  @Test func `other ways to report do not take the fields`() async throws {
    let key = try await vouchKey()
    try await TestServer.run(configure: { $0.trustsProxy = true }) { server in
      let fields = #""reporter_since":"2024-03-05","client_address":"203.0.113.7""#
      let rating = try await server.post(
        "/phoneblock/api/rate", #"{"phone":"+12015550123","rating":"G_FRAUD",\#(fields)}"#, key: key,
        headers: [Self.forwarded: Self.relay])
      #expect(rating.status == .ok)
      let made = try await server.post("/v1/installations", "", key: key)
      let token =
        try JSONDecoder().decode([String: String].self, from: Data(made.body.readableBytesView))["token"] ?? ""
      let apple = try await server.post(
        "/v1/apple/reports",
        #"{"classification":{"number":"+33199000248","category":"fraud","token":"\#(token)",\#(fields)}}"#,
        headers: [Self.forwarded: Self.relay])
      #expect(apple.status == .noContent)
      #expect(try await send(server, try Reports.json(), key: key).status == .created)
    }
    #expect(try await networks().count == 3)
    #expect(Set(try await networks()).count == 1)
    #expect(try await strings("SELECT since::text FROM vouched_reporters") == [])
  }
}
