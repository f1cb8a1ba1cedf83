// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import Moderation
import PostgreSQL
import Storage
import TestSupport
import Testing

@Suite(.database) struct NumberTimelineTests {
  @Test func `the page of a number shows its history in one time line`() async throws {
    let (pool, number, now) = (TestDatabase.current.pool, 33_199_000_248 as Int64, Date())
    // Older than the chart of the case.
    let reports = [100, 100, 3].map { days in
      Report(
        number: number, appID: 1, reportID: UUID(), reportedAt: now - Double(days) * 86_400, category: .fraud,
        reporter: nil)
    }
    _ = try await ReportStore(pool: pool).accept(reports, receivedAt: now)
    let decision = try Decision(
      number: number, treatment: .block, reason: "Because.", decidedBy: "Ada", decidedAt: now - 2 * 86_400)
    _ = try await DecisionService(pool: pool).record(decision)
    try await AppealStore(pool: pool).file(
      try Appeal(number: number, statement: "It is mine.", filedAt: now - 86_400))
    _ = try await AppealService(pool: pool).settle(
      number, as: .upheld, by: Actor(name: "Bob", role: .moderator), answer: "We have removed it.", at: now - 3_600)
    try await TestServer.run { server in
      let ada = try await ModeratorClient.signIn(server, as: "Ada")
      let page = try await ada.page("/moderation/numbers/\(number)/publications")
      let rows = try #require(page.components(separatedBy: "aria-labelledby=\"timeline\"").last)
      let expected = [
        "answer", "We have removed it.", "appeal", "It is mine.", "blocked", "Because.", "1 complaint", "2 complaints",
      ]
      var rest = rows[...]
      for text in expected {
        let place = try #require(rest.range(of: text), "\(text)")
        rest = rest[place.upperBound...]
      }
    }
  }
}
