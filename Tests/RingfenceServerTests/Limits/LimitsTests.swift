// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import TestSupport
import Testing
@testable import HTTPServer
@testable import RingfenceCommand

@Suite(.database) struct LimitsTests {
  private static let rateLimit = HTTPField.Name("RateLimit")!
  private static let policy = HTTPField.Name("RateLimit-Policy")!
  private static let forwarded = HTTPField.Name("X-Forwarded-For")!

  @Test func `responses include the remaining limit and the time to retry`() async throws {
    let clock = TestClock()
    try await TestServer.run(
      configure: { $0.access.limits = RequestLimits(app: .init(perSecond: 2, burst: 10), network: nil) },
      clock: clock.limitClock
    ) { server in
      let first = try await server.report(try Reports.json())
      #expect(first.status == .created)
      #expect(first.headers[Self.rateLimit] == #""app";r=9;t=1"#)
      #expect(first.headers[Self.policy] == #""app";q=10;w=5"#)

      // A batch costs one token for each item: 9 − 8 = 1 is left, too little for a batch of two.
      let batch = "[" + (try (0..<8).map { _ in try Reports.json() }).joined(separator: ",") + "]"
      let second = try await server.report(batch)
      #expect(second.status == .ok)
      #expect(second.headers[Self.rateLimit] == #""app";r=1;t=5"#)
      let refused = try await server.report("[\(try Reports.json()),\(try Reports.json())]")
      #expect(refused.status == .tooManyRequests)
      #expect(refused.headers[.retryAfter] == "1")
      #expect(refused.headers[.contentType] == "application/problem+json")
      #expect(refused.headers[Self.rateLimit] == #""app";r=0;t=5"#)
      #expect(try await server.report(try Reports.json()).status == .tooManyRequests)

      clock.advance(0.5)
      #expect(try await server.report(try Reports.json()).status == .created)
      clock.advance(60)
      #expect(try await server.report(try Reports.json()).headers[Self.rateLimit] == #""app";r=9;t=1"#)
    }
  }

  @Test func `networks have separate limits and wrong keys count`() async throws {
    try await TestServer.run(
      configure: {
        $0.access.limits = RequestLimits(app: nil, network: .init(perSecond: 1, burst: 3))
        $0.trustsProxy = true
      }, clock: TestClock().limitClock
    ) { server async throws in
      func report(_ hops: String, key: String? = nil) async throws -> HTTPResponse.Status {
        try await server.post("/v1/reports", try Reports.json(), key: key, headers: [Self.forwarded: hops]).status
      }
      #expect(try await report("192.0.2.1") == .created)
      #expect(try await report("192.0.2.2, 192.0.2.77", key: "rf_wrong") == .unauthorized)
      #expect(try await report("198.51.100.1, 192.0.2.3:4711") == .created)
      // The text before the proxy's own entry is ignored.
      #expect(try await report("203.0.113.9, 192.0.2.4") == .tooManyRequests)
      #expect(try await report("192.0.3.1") == .created)
      #expect(try await report("2001:db8:1:2::1") == .created)
      #expect(try await report("[2001:db8:1:3::1]:443", key: "rf_wrong") == .unauthorized)
      #expect(try await report("2001:db8:1:4::1", key: "rf_wrong") == .unauthorized)
      #expect(try await report("2001:db8:1:5::1") == .tooManyRequests)
      #expect(try await report("2001:db8:2::1") == .created)
    }
  }

  @Test func `a reporter has a daily limit and retries are free`() async throws {
    let clock = TestClock(begin: Date(timeIntervalSince1970: Date().timeIntervalSince1970))
    try await TestServer.run(
      configure: { $0.access.limits = RequestLimits(app: nil, network: nil, reportsADay: 2) }, clock: clock.limitClock
    ) { server in
      let report = try Reports.json()
      #expect(try await server.report(report).status == .created)
      #expect(try await server.report(report).status == .ok)
      #expect(try await server.report(try Reports.json(["category": "spam"])).status == .unprocessableContent)
      let batch = "[\(report),\(try Reports.json()),\(try Reports.json()),\(try Reports.json(["reporter": "user-2"]))]"
      let results = try Reports.results(of: try await server.report(batch))
      #expect(results.map(\.status) == ["duplicate", "limited", "limited", "created"])
      #expect(results[1].errors?.map(\.code) == ["daily_limit"])
      #expect(try await server.report(try Reports.json()).status == .created)
      let refused = try await server.report(try Reports.json())
      #expect(refused.status == .tooManyRequests)
      #expect((1...86_400).contains(Int(refused.headers[.retryAfter] ?? "") ?? 0))
      clock.advance(86_400)
      #expect(try await server.report(try Reports.json()).status == .created)
    }
  }

  @Test func `without limits responses have no rate limit header`() async throws {
    try await TestServer.run(configure: { $0.access.limits = .off }) { server in
      let response = try await server.report(try Reports.json())
      #expect(response.status == .created)
      #expect(response.headers[Self.rateLimit] == nil)
    }
  }

  @Test func `a refused method is answered with the allowed ones`() async throws {
    try await TestServer.run { server in
      let response = try await server.client.execute(uri: "/v1/reports", method: .get)
      #expect(response.status == .methodNotAllowed)
      #expect(response.headers[.allow] == "POST")
      #expect(response.headers[.contentType] == "application/problem+json")
      let manifest = try await server.client.execute(uri: "/v1/manifest.json", method: .post)
      #expect(manifest.headers[.allow] == "GET, HEAD")
      #expect(try await server.client.execute(uri: "/healthz", method: .head).status == .ok)
      #expect(try await server.client.execute(uri: "/v1/nothing", method: .post).status == .notFound)
    }
  }
}
