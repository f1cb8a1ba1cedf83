// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import PostgreSQL
import Storage
import TestSupport
import Testing

/// The rows and columns of the queue's list.
@Suite(.database) struct QueueListTests {
  private let number: Int64 = 33_199_000_300

  /// Two cases that differ in everything but country, cause and urgency.
  private func fill() async throws {
    let now = Date()
    func report(_ number: Int64, _ reporter: UInt8, days: Double, _ category: ReportCategory, _ text: String?) -> Report
    {
      Report(
        number: number, appID: 1, reportID: UUID(), reportedAt: now - days * 86_400, category: category,
        reporter: [UInt8](repeating: reporter, count: 16), comment: text)
    }
    // Each arrives on its day.
    for report in [
      report(number, 1, days: 5, .fraud, "An old one."),
      report(number, 2, days: 3, .fraud, "A <b>bank</b>\n" + String(repeating: "and more ", count: 20)),
      report(number, 3, days: 3, .fraud, nil),
      report(number + 1, 1, days: 1, .harassment, "Rude words."),
    ] {
      _ = try await ReportStore(pool: pool).accept([report], receivedAt: report.reportedAt)
    }
    _ = try await pool.run(SQL.enqueueCases([(number, .held)], at: now - 7_500))
    _ = try await pool.run(SQL.enqueueCases([(number + 1, .held)], at: now - 300))
    try await pool.withConnection { connection in
      _ = try await connection.execute("UPDATE queue SET stale = false, urgency = 5")
      for (number, category) in [(number, ReportCategory.fraud), (number + 1, .harassment)] {
        _ = try await connection.execute(
          "UPDATE queue SET category_id = \(category.rawValue) WHERE number = \(number)")
      }
    }
  }

  @Test func `a row shows what differs`() async throws {
    try await TestServer.run { server in
      try await fill()
      let page = try await ModeratorClient.signIn(server, as: "Ada").page("/moderation/queue")
      let rows = page.components(separatedBy: "<tr>").filter { $0.contains("name=\"number\"") }
      #expect(rows.count == 2)
      let row = try #require(rows.first)
      #expect(row.hasPrefix("<td class=\"pick\">"))
      #expect(row.contains(">3 / 2<"))
      #expect(row.contains("aria-label=\"Complaints on 2 days\"><path d=\"M58 0v8M60 0v8\"/>"))
      #expect(row.contains(">2\u{A0}h</time>") && rows[1].contains(">5\u{A0}min</time>"))
      #expect(row.contains("A &lt;b&gt;bank&lt;/b&gt; and more and") && row.contains("…</td>"))
      #expect(!row.contains("An old one."))
      #expect(rows[1].contains("Hidden: harassment") && !page.contains("Rude words."))
      #expect(row.contains("data-label=\"Not met\">heat, evidence, confidence, networks<"))
      #expect(rows[1].contains("data-label=\"Not met\">heat, evidence, confidence, reporters, networks, days<"))
    }
  }

  @Test func `a column with one value is named once`() async throws {
    try await TestServer.run { server in
      try await fill()
      let client = try await ModeratorClient.signIn(server, as: "Ada")
      let page = try await client.page("/moderation/queue")
      #expect(page.contains("<span>Country: France</span>") && page.contains("<span>Reason: Held</span>"))
      #expect(!page.contains("<abbr") && !page.contains("Claimed by") && !page.contains(">Reason</th>"))
      #expect(page.contains(">Category</th>") && page.contains(">Waiting</th>"))
      #expect(page.components(separatedBy: "<span>Urgency: Urgent</span>").count == 2)
      // A page with one case shows all columns.
      let one = try await client.page("/moderation/queue?category=harassment")
      #expect(one.contains("<abbr title=\"France\">FR</abbr>") && one.contains(">Reason</th>"))
      #expect(!one.contains("class=\"constant"))
    }
  }

  /// Triage decides no bulk, so it has no checkboxes.
  @Test func `only moderators select`() async throws {
    try await TestServer.run { server in
      try await fill()
      for (role, isOffered) in [(Role.triage, false), (.moderator, true), (.administrator, true)] {
        let page = try await ModeratorClient.signIn(server, as: "Somebody in \(role)", role: role)
          .page("/moderation/queue")
        #expect(page.contains("name=\"number\"") == isOffered && page.contains("id=\"select-all\"") == isOffered)
      }
    }
  }
}
