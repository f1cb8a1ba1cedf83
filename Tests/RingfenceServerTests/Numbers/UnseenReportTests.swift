// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import HTTPTypes
import Hummingbird
import PostgreSQL
import Storage
import TestSupport
import Testing

@testable import ModerationSite
@testable import RingfenceCommand

/// Two lookups around a call must not show whether the called person has reported the caller.
@Suite(.database) struct UnseenReportTests {
  private typealias Fixture = PhoneBlockFixture

  /// Listed; nearly a victim of spoofing; never reported; only reported as legitimate; of a reporter who changes the vote.
  private static let numbers: [Int64] = [
    12_015_550_123, 12_015_550_124, 33_199_000_248, 33_199_000_249, 33_199_000_250,
  ]
  private static let now = Date()
  private static let cut = now - 60

  private func reports(
    _ number: Int64, _ reporters: Range<Int>, _ category: ReportCategory = .fraud, daysAgo: Double
  ) -> [Report] {
    reporters.map { index in
      Report(
        number: number, appID: 1, reportID: UUID(), reportedAt: Self.now - daysAgo * 86_400 - Double(index * 60),
        category: category, reporter: [UInt8](repeating: UInt8(index), count: 16),
        network: [UInt8](repeating: UInt8(index), count: 8))
    }
  }

  /// Stores reports of earlier days, lists two numbers, and publishes a minute ago.
  private func prepare(_ server: TestServer) async throws {
    let numbers = Self.numbers
    let store = ReportStore(pool: pool)
    for day in [3.0, 2, 1] {
      let reported =
        reports(numbers[0], Int(day) * 10..<Int(day) * 10 + 5, daysAgo: day)
        + (day == 2 ? reports(numbers[1], 0..<8, .robocall, daysAgo: day) : [])
        + (day == 1 ? reports(numbers[3], 0..<2, .legitimate, daysAgo: day) : [])
        + (day == 1 ? reports(numbers[4], 7..<8, .survey, daysAgo: day) : [])
      _ = try await store.accept(reported, receivedAt: Self.now - day * 86_400)
    }
    let listings = [numbers[0], numbers[1], numbers[4]].map { Listing(number: $0, category: .fraud, cause: .reports) }
    try await Fixture.list(listings)
    try await AppealStore(pool: pool).file(
      try Appeal(number: numbers[1], statement: "It was not me.", filedAt: Self.now - 3_600))
    try await Fixture.publish(812, [numbers[0], numbers[1], numbers[4]].sorted(), in: server.folder)
    let cut = Self.cut
    try await pool.execute("UPDATE publications SET as_of = \(cut)")
  }

  /// The answers of every interface about the numbers, with their headers.
  private func answers(_ server: TestServer, _ key: String) async throws -> [String: String] {
    var answers: [String: String] = [:]
    func ask(_ method: HTTPRequest.Method, _ uri: String, _ headers: HTTPFields = [:], _ body: String = "") async throws
    {
      var headers = headers
      headers[.authorization] =
        uri.hasPrefix("/carddav") ? "Basic \(Data("phone:\(key)".utf8).base64EncodedString())" : "Bearer \(key)"
      let response = try await server.client.execute(
        uri: uri, method: method, headers: headers, body: ByteBuffer(string: body))
      // These differ between any two requests.
      let fields = response.headers.filter { ![.date, .init("RateLimit")!, .init("X-Request-Id")!].contains($0.name) }
      let lines = fields.map { "\($0.name): \($0.value)" }.sorted().joined(separator: "\n")
      answers["\(method) \(uri)"] = "\(response.status.code)\n\(lines)\n\n\(String(buffer: response.body))"
    }
    for number in Self.numbers {
      for path in ["", "/publications"] { try await ask(.get, "/v1/numbers/\(number)\(path)") }
      try await ask(.get, "/v1/numbers/by-hash/\(Hexadecimal.text(NumberHash.of(number)).prefix(4))")
      for path in ["", "?as=verdict", "/json"] { try await ask(.get, "/v1/pbx/\(number)\(path)") }
      let sha1 = Hexadecimal.text(NumberSHA1.of("+\(number)"))
      try await ask(.get, "/phoneblock/api/num/+\(number)")
      try await ask(.get, "/phoneblock/api/check?sha1=\(sha1)")
      try await ask(.get, "/phoneblock/api/check-prefix?sha1=\(sha1.prefix(4))")
      try await ask(.get, "/number/\(number)")
    }
    for query in ["", "?limit=5", "?format=xml", "?format=binary"] {
      try await ask(.get, "/phoneblock/api/blocklist\(query)")
    }
    try await ask(
      .init("REPORT")!, "/carddav/books/block/", [.contentType: "application/xml"],
      #"<c:addressbook-query xmlns:c="urn:ietf:params:xml:ns:carddav"/>"#)
    let hottest = try await CallerStore(pool: pool).hottest(prefix: "", at: Date())
    answers["hottest"] = hottest.map { "\($0.number) \($0.heat(at: Date()))" }.joined(separator: "\n")
    return answers
  }

  @Test func `a report between two lookups changes no answer before the next publication`() async throws {
    try await TestServer.run(configure: { $0.site.publicNumbers = .indexed }) { server in
      try await prepare(server)
      let before = try await answers(server, server.key)
      #expect(before["GET /v1/numbers/\(Self.numbers[0])"]?.contains(#""reporters":10"#) == true)
      // New reporters, which would change the order by heat; a changed vote; a report that is older than the vote.
      let numbers = Self.numbers
      let new =
        reports(numbers[0], 40..<41, daysAgo: 0.0001) + reports(numbers[0], 41..<42, .survey, daysAgo: 200)
        + reports(numbers[1], 50..<60, .robocall, daysAgo: 0.01) + reports(numbers[2], 0..<3, daysAgo: 0)
        + reports(numbers[3], 0..<3, daysAgo: 0) + reports(numbers[4], 7..<8, .robocall, daysAgo: 0)
        + reports(numbers[0], 10..<11, .survey, daysAgo: 100)
      let stored = try await ReportStore(pool: pool).accept(new, receivedAt: Date())
      #expect(stored.count == new.count)
      let after = try await answers(server, server.key)
      for (request, answer) in before { #expect(after[request] == answer, "\(request)") }
      // Moderators see them.
      let live = try await ExplanationStore(pool: pool).explain(numbers[2], at: Date())
      #expect(live.score?.reporters == 3)
      // So do apps after a publication.
      let time = Date() + 0.001
      try await pool.execute("UPDATE publications SET as_of = \(time)")
      let later = try await ExplanationStore(pool: pool).explainCoarsely(numbers[2], at: Date() + 1)
      #expect(later.score?.reporters == 3 && abs(later.time.timeIntervalSince(time)) < 0.001)
      let listed = try await CallerStore(pool: pool).hottest(prefix: "", at: Date() + 1)
      #expect(
        listed.map { "\($0.number)" }
          != before["hottest"]?.split(separator: "\n").map { String($0.prefix { $0 != " " }) })
    }
  }
}
