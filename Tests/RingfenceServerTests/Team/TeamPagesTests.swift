// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import HTTPTypes
import Moderation
import PostgreSQL
import Storage
import TestSupport
import Testing

@testable import ModerationSite
@testable import RingfenceCommand

@Suite(.database) struct TeamPagesTests {
  private var service: DecisionService { DecisionService(pool: pool) }
  private var team: TeamStore { TeamStore(pool: pool) }

  /// 40 decisions of Ada, each 20 s after the case was opened, and 5 of Bob about numbers without a case. Bob then undoes
  /// 10 decisions of Ada, and Ada one of her own.
  private func work(at now: Date) async throws {
    let numbers = (0..<40).map { 33_199_000_000 + Int64($0) }
    _ = try await pool.run(SQL.enqueueCases(numbers.map { ($0, .held) }, at: now - 86_400))
    let ada = Actor(name: "Ada", role: .moderator)
    var made: [(Int64, UUID)] = []
    for (place, number) in numbers.enumerated() {
      let time = now - Double(place % 3) * 86_400 - 3_600
      _ = try await ClaimService(pool: pool).claim(number, by: ada, at: time - 20)
      let decision = try Decision(
        number: number, treatment: place < 30 ? .block : .allow, category: place < 10 ? .fraud : nil,
        reason: "Because.", decidedBy: "Ada", decidedAt: time)
      #expect(try await service.record(decision, role: .moderator) == .recorded)
      made.append((number, decision.id))
    }
    for number in numbers.prefix(5).map({ $0 + 100 }) {
      let decision = try Decision(
        number: number, treatment: .block, reason: "Because.", decidedBy: "Bob", decidedAt: now - 1_800)
      #expect(try await service.record(decision, role: .moderator) == .recorded)
    }
    for (place, (number, id)) in made.prefix(11).enumerated() {
      let account = place < 10 ? "Bob" : "Ada"
      let undone = try await service.undo(id, of: number, decidedBy: account, role: .moderator, at: now - 600)
      #expect(undone == .undone)
    }
  }

  @Test func `the totals equal a recount of the audit log`() async throws {
    // Noon: the decisions of an hour are of one day.
    let now = Date(timeIntervalSince1970: (Date().timeIntervalSince1970 / 86_400).rounded(.down) * 86_400 - 43_200)
    try await work(at: now)
    let counted = try await pool.withConnection { connection in
      try await connection.query(
        """
        SELECT actor, count(*) FROM audit_events
        WHERE action LIKE 'decision.%' AND action <> 'decision.undo' GROUP BY actor ORDER BY actor
        """
      ).map { (try $0.decode(0, as: String.self), Int(try $0.decode(1, as: Int64.self))) }
    }
    #expect(counted.map(\.0) == ["Ada", "Bob"] && counted.map(\.1) == [40, 5])
    let all = try await team.figures(since: now - 30 * 86_400, until: now, of: nil)
    #expect(all[.account]?.map(\.decisions) == counted.map(\.1))
    for dimension in TeamDimension.allCases {
      #expect(all[dimension]?.reduce(0) { $0 + $1.decisions } == 45, "\(dimension)")
      #expect(all[dimension]?.reduce(0) { $0 + $1.overturned } == 10, "\(dimension)")
      #expect(all[dimension]?.reduce(0) { $0 + $1.timed } == 40, "\(dimension)")
    }
    #expect(all[.day]?.count == 3)
    let queue = Dictionary(uniqueKeysWithValues: (all[.queue] ?? []).map { ($0.key, $0.decisions) })
    #expect(queue == ["held": 40, "": 5])
    #expect(all[.account]?.first?.median == 20)
    let own = try await team.figures(since: now - 30 * 86_400, until: now, of: "Bob")
    #expect(own[.day]?.map(\.decisions) == [5])
    // A part of the period.
    let recent = try await team.figures(since: now - 86_400, until: now, of: nil)
    #expect(recent[.account]?.map(\.decisions) == [14, 5])
  }

  @Test func `moderators see their own figures and administrators those of all accounts`() async throws {
    let now = Date()
    try await work(at: now)
    _ = try await pool.run(SQL.enqueueCases([(49_301_234_567, .held)], at: now - 9 * 86_400))
    let carl = Actor(name: "Carl", role: .moderator)
    _ = try await ClaimService(pool: pool).claim(49_301_234_567, by: carl, at: now)
    try await TestServer.run(configure: { $0.site.secondFactor = .nobody }) { server in
      let chief = try await ModeratorClient.signIn(server, as: "Chief", role: .administrator)
      let page = try await chief.page("/moderation/team")
      #expect(page.contains("<strong id=\"total\">45</strong>"))
      #expect(page.contains("By account") && page.contains("<th scope=\"row\">Ada</th>") && page.contains("20\u{A0}s"))
      // Ten of Ada's forty decisions, and too few decisions of Bob.
      #expect(page.contains("25%") && page.contains("too few"))
      #expect(page.contains("49301234567") && page.contains("<td>Carl</td>"))
      #expect(page.contains("later than the target of 168\u{A0}h"))
      let bob = try await ModeratorClient.signIn(server, as: "Bob")
      let own = try await bob.page("/moderation/team?days=7")
      #expect(own.contains("<strong id=\"total\">5</strong>"))
      #expect(
        !own.contains("Ada") && !own.contains("Carl") && !own.contains("By account") && !own.contains("\u{A0}s</td>"))
    }
  }

  @Test func `the target of the settings is a metric`() async throws {
    let token = "a token of the metrics"
    try await TestServer.run(configure: {
      $0.metricsToken = token
      $0.site.caseTarget = 48 * 3_600
    }) { server in
      let headers: HTTPFields = [.authorization: "Bearer \(token)"]
      let metrics = try await server.client.execute(uri: "/metrics", method: .get, headers: headers)
      #expect(metrics.text.contains("ringfence_review_queue_target_seconds 172800"))
    }
  }
}
