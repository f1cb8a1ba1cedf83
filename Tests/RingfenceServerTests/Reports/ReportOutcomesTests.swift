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

/// Outcomes that an app's users get for their reports.
@Suite(.database) struct ReportOutcomesTests {
  private typealias Fixture = PhoneBlockFixture

  /// Listed, not listed, decided, listed and reported by somebody else.
  private static let numbers: [Int64] = [12_015_550_123, 12_015_550_124, 12_015_550_125, 12_015_550_126]

  /// - Parameter undone: when the decision is undone; nil for never.
  private static func decide(_ number: Int64, at time: Date, undone: Date? = nil) async throws {
    let id = UUID()
    try await Fixture.pool.execute(
      """
      INSERT INTO decisions (number, decision_id, decision, decided_by, decided_at)
      VALUES (\(number), \(id), 'allow', 'Ada', \(time))
      """)
    guard let undone else { return }
    try await Fixture.pool.execute(
      """
      INSERT INTO decisions (number, decision_id, decision, undoes, decided_by, decided_at)
      VALUES (\(number), \(UUID()), 'undo', \(id), 'Ada', \(undone))
      """)
  }

  @Test func `a reporter hears about own reports, and nothing before the publication`() async throws {
    let other = try await AppStore(pool: Fixture.pool).create(name: "Other app", at: Date()).key
    try await TestServer.run { server in
      for (number, reporter) in zip(Self.numbers, ["ann", "ann", "ann", "bob"]) {
        let report = """
          {"number": "+\(number)", "category": "fraud", "reporter": "\(reporter)", "report_id": "\(UUID())", \
          "reported_at": "2026-11-21T12:00:00Z"}
          """
        #expect(try await server.report(report).status == .created)
      }
      func ask(_ query: String, key: String? = nil) async throws -> (status: Int, text: String) {
        let answer = try await server.client.execute(
          uri: "/v1/reports/outcomes?\(query)", method: .get, headers: [.authorization: "Bearer \(key ?? server.key)"])
        return (answer.status.code, String(buffer: answer.body))
      }
      let all = Self.numbers.map { "number=%2B\($0)" }.joined(separator: "&")
      #expect(try await ask("reporter=ann&\(all)").text == #"{"outcomes":[],"serial":0}"#)
      try await Fixture.list([0, 3].map { Listing(number: Self.numbers[$0], category: .fraud, cause: .reports) })
      try await Fixture.record(812)
      try await Self.decide(Self.numbers[1], at: Fixture.now + 60)
      // Undone after the publication: nobody hears of it before the next one.
      try await Self.decide(Self.numbers[2], at: Fixture.now - 60, undone: Fixture.now + 60)
      // Undone before it.
      try await Self.decide(Self.numbers[1], at: Fixture.now - 60, undone: Fixture.now - 30)
      let text = try await ask("reporter=ann&\(all)").text
      let time = #""reported_at":"2026-11-21T12:00:00Z""#
      #expect(
        text == #"{"outcomes":[{"number":"+12015550123","outcome":"listed",\#(time),"treatment":"block"},"#
          + #"{"number":"+12015550124","outcome":"not_listed",\#(time)},"#
          + #"{"number":"+12015550125","outcome":"decided",\#(time)}],"serial":812}"#)
      // A rule for a range lists a number without a listing of its own.
      try await Fixture.list(RangePattern("+120155501xx", plan: .current), serial: 812)
      #expect(
        try await ask("reporter=ann&number=12015550124").text.contains(
          #""outcome":"listed",\#(time),"treatment":"block""#))
      // The same name in another app is another person, and what is known is not said again.
      for (query, key) in [
        ("reporter=ann&\(all)", other), ("reporter=eve&\(all)", nil), ("reporter=ann&since=812&\(all)", nil),
      ] {
        #expect(try await ask(query, key: key).text == #"{"outcomes":[],"serial":812}"#, "\(query)")
      }
      // Reported since then, although the listing is older.
      #expect(try await ask("reporter=ann&since=811&\(all)").text.matches(of: /outcome":/).count == 3)
      for query in [
        all, "reporter=ann", "reporter=\(String(repeating: "a", count: 201))&\(all)", "reporter=ann&number=1x",
        "reporter=ann&since=-1&\(all)",
        "reporter=ann&" + Array(repeating: "number=1", count: 101).joined(separator: "&"),
      ] {
        let answer = try await ask(query)
        #expect((400...422).contains(answer.status), "\(query) \(answer)")
      }
    }
  }
}
