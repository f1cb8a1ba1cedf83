// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import HTTPTypes
import PostgreSQL
import Storage
import TestSupport
import Testing

@Suite(.database) struct ThresholdPagesTests {
  private let now = Date()

  /// Reports of eight reporters on three days through four networks for each number.
  private func complain(_ numbers: [Int64]) async throws {
    var reports: [Report] = []
    for number in numbers {
      for index in 0..<8 {
        let time = now - Double(index % 3) * 86_400
        let reporter = [UInt8](repeating: UInt8(index), count: 16)
        let network = [UInt8](repeating: UInt8(index % 4), count: 8)
        reports.append(
          Report(
            number: number, appID: 1, reportID: UUID(), reportedAt: time, category: .fraud, reporter: reporter,
            network: network))
      }
    }
    for (time, reports) in Dictionary(grouping: reports, by: \.reportedAt) {
      _ = try await ReportStore(pool: pool).accept(reports, receivedAt: time)
    }
    // The reporters are established, so that no rule against brigading holds the numbers.
    try await pool.execute(
      """
      INSERT INTO reporters (reporter, first_received_at, numbers, established_at, judged, agreed, brigades,
                             is_established, recounted_at)
      SELECT DISTINCT reporter, \(now - 30 * 86_400), 3, \(now - 16 * 86_400), 0, 0, 0, true, \(now) FROM reports
      """)
  }

  private func result(_ visitor: Visitor) async throws -> String {
    let deadline = ContinuousClock.now + .seconds(300)
    while true {
      let page = try await visitor.get("/moderation/thresholds/preview")
      if !page.text.contains("data-again") { return page.text }
      try #require(ContinuousClock.now < deadline, "The preview does not end.")
    }
  }

  private func fields(_ base: String, reporters: String) -> KeyValuePairs<String, String> {
    [
      "category": "fraud", "country": "", "base": base, "enter.heat": "2", "leave.heat": "1", "enter.evidence": "2",
      "leave.evidence": "1", "enter.confidence": "0.3", "leave.confidence": "0,2", "enter.reporters": reporters,
      "leave.reporters": "2", "enter.networks": "2", "leave.networks": "1", "enter.days": "2", "leave.days": "1",
      "review_heat": "1",
    ]
  }

  @Test func `a threshold change is previewed and then saved with its reason`() async throws {
    try await complain([33_199_001_021, 33_199_001_022])
    try await TestServer.run { server in
      let moderator = try await Visitor(server, role: .moderator)
      #expect(try await moderator.get("/moderation/thresholds").text.contains("Default of Ringfence."))
      #expect(try await moderator.get("/moderation/thresholds/edit?category=fraud").status == .forbidden)
      #expect(
        try await moderator.post("/moderation/thresholds/preview", fields("1", reporters: "9")).status == .forbidden)

      let visitor = try await Visitor(server, role: .administrator)
      #expect(try await visitor.get("/moderation/thresholds/edit?category=legitimate").status == .notFound)
      #expect(try await visitor.get("/moderation/thresholds/edit?category=fraud&country=DE").text.contains("Germany"))
      // Not the limits of all countries, which an empty country would be.
      let unknown = try await visitor.get("/moderation/thresholds/edit?category=fraud&country=XX")
      #expect(unknown.status == .badRequest && unknown.text.contains("“XX” is not a country"))
      let wrong = try await visitor.post("/moderation/thresholds/preview", fields("1", reporters: "many"))
      #expect(wrong.status == .unprocessableContent && wrong.text.contains("This is not a number"))
      let low = try await visitor.post("/moderation/thresholds/preview", fields("1", reporters: "1"))
      #expect(low.text.contains("must not be above the limit to enter"))
      #expect(try await visitor.post("/moderation/thresholds/preview", fields("7", reporters: "9")).status == .conflict)

      let asked = try await visitor.post("/moderation/thresholds/preview", fields("1", reporters: "9"))
      #expect(asked.status == .seeOther && asked.location == "/moderation/thresholds/preview")
      let text = try await result(visitor)
      #expect(text.contains("<span>Labeled instead of blocked</span><strong>2</strong>"))
      #expect(
        text.contains("<span>Added</span><strong>0</strong>") && text.contains("<span>Removed</span><strong>0</strong>")
      )
      let id = String(try #require(text.firstMatch(of: /name="preview" value="([^"]+)"/)?.1))
      #expect(try await visitor.post("/moderation/thresholds/save", ["preview": id]).status == .unprocessableContent)
      // Only a previewed change can be saved.
      let stranger = try await visitor.post(
        "/moderation/thresholds/save", ["preview": UUID().uuidString, "reason": "x"])
      #expect(stranger.location == "/moderation/thresholds")
      #expect(try await ThresholdStore(pool: pool).history(limit: 9).count == 1)

      for reason in ["First line\nsecond line", String(repeating: "a", count: TextLimit.reason + 1)] {
        let refused = try await visitor.post("/moderation/thresholds/save", ["preview": id, "reason": "\(reason)"])
        #expect(refused.status == .unprocessableContent && refused.text.contains("The reason must"))
      }
      let saved = try await visitor.post("/moderation/thresholds/save", ["preview": id, "reason": "Too many <hits>."])
      #expect(saved.location == "/moderation/thresholds?saved=1")
      let (version, set) = try await ThresholdStore(pool: pool).version(nil)
      #expect(version.version == 2 && version.savedBy == "The administrator" && version.reason == "Too many <hits>.")
      #expect(set.threshold(for: .fraud) { nil }?.enter.reporters == 9)
      #expect(try await visitor.get("/moderation/thresholds").text.contains("Too many &lt;hits&gt;."))
      let auditLog = try await pool.column(
        "SELECT after->>'enter.reporters' FROM audit_events WHERE action = 'thresholds.set'", as: String.self)
      #expect(auditLog == ["9"])
    }
  }

  @Test func `the second of two simultaneous changes is refused`() async throws {
    try await TestServer.run { server in
      let visitor = try await Visitor(server, role: .administrator)
      _ = try await visitor.post("/moderation/thresholds/preview", fields("1", reporters: "9"))
      let text = try await result(visitor)
      let store = ThresholdStore(pool: pool)
      var other = try #require(try await store.current().threshold(for: .survey) { nil })
      other.enter.reporters = 99
      try await store.save(
        try await store.current().replacing(other), after: 1, by: .commandLine("Bob"), because: "First", at: now)
      let id = String(try #require(text.firstMatch(of: /name="preview" value="([^"]+)"/)?.1))
      let late = try await visitor.post("/moderation/thresholds/save", ["preview": id, "reason": "Second"])
      #expect(late.status == .conflict && late.text.contains("Another administrator has saved"))
      #expect(try await store.version(nil).version.version == 2)
      #expect(try await visitor.post("/moderation/thresholds/discard", [:]).location == "/moderation/thresholds")
    }
  }

  private func listFields(
    _ list: Int32, _ base: String, weight: String = "1", rows: (String, String) = ("3", "2"),
    days: (String, String) = ("3", "2")
  ) -> KeyValuePairs<String, String> {
    [
      "list": "\(list)", "base": base, "weight": weight, "enter.complaints": rows.0, "leave.complaints": rows.1,
      "enter.days": days.0, "leave.days": days.1, "block.complaints": "1", "block.shared": "0",
    ]
  }

  @Test func `a rule that 0.1.0 has stored blocks no shared numbers`() throws {
    let bar = SourceRule.Bar(complaints: 3, days: 2)
    let rule = SourceRule(appID: 1, weight: 0.5, enter: bar, leave: bar, blockComplaints: 9, blocksShared: true)
    let text = String(decoding: try JSONEncoder().encode(rule), as: UTF8.self)
    let older = text.replacing(/"blocksShared":(true|false),|,"blocksShared":(true|false)/, with: "")
    #expect(!older.contains("blocksShared"))
    let read = try JSONDecoder().decode(SourceRule.self, from: Data(older.utf8))
    #expect(!read.blocksShared && read.enter == rule.enter && read.weight == rule.weight)
  }

  @Test func `a preview that another version has stored is none`() async throws {
    try await TestServer.run { server in
      let visitor = try await Visitor(server, role: .administrator)
      _ = try await visitor.post("/moderation/thresholds/preview", listFields(0, "1", weight: "0.5"))
      _ = try await result(visitor)
      // The members are in any order.
      let column = #"request::text, '"blockComplaints":[0-9]+,|,"blockComplaints":[0-9]+', ''"#
      let changed = try await pool.execute(
        PostgresQuery(unsafeRaw: "UPDATE background_jobs SET request = regexp_replace(\(column))::jsonb"))
      #expect(changed == 1)
      #expect(try await visitor.get("/moderation/thresholds/preview").status == .seeOther)
      #expect(try await visitor.get("/moderation/thresholds").status == .ok)
    }
  }

  @Test func `the weights of an app are previewed and saved with its name`() async throws {
    let app = try await AppStore(pool: pool).create(name: "Corner & sons", at: now).app
    try await TestServer.run { server in
      let visitor = try await Visitor(server, role: .administrator)
      let asked = try await visitor.post(
        "/moderation/apps/weigh",
        ["app": "\(app.id)", "hardware": "0.9", "software": "0.5", "unattested": "0.25"] as KeyValuePairs)
      #expect(asked.location == "/moderation/thresholds/preview")
      let text = try await result(visitor)
      #expect(text.contains("Weights of new reporters, app Corner &amp; sons"))
      let id = String(try #require(text.firstMatch(of: /name="preview" value="([^"]+)"/)?.1))
      _ = try await visitor.post("/moderation/thresholds/save", ["preview": id, "reason": "Trusted."])
      let events = try await AuditLog(pool: pool).events(AuditFilter(action: "thresholds.set"), limit: 5)
      #expect(events.map(\.event.subject) == ["app Corner & sons"])
    }
  }

  @Test func `the rule of a list is previewed, saved and removed again`() async throws {
    let list = try await AppStore(pool: pool).source(named: "ftc & co", at: now)
    let preview = "/moderation/thresholds/preview"
    @Sendable func save(_ visitor: Visitor, _ reason: String) async throws {
      let id = String(try #require(try await result(visitor).firstMatch(of: /name="preview" value="([^"]+)"/)?.1))
      let saved = try await visitor.post("/moderation/thresholds/save", ["preview": id, "reason": reason])
      #expect(saved.location == "/moderation/thresholds?saved=1")
    }
    try await TestServer.run { server in
      let moderator = try await Visitor(server, role: .moderator)
      let edit = "/moderation/thresholds/edit?list=\(list.id)"
      #expect(try await !moderator.get("/moderation/thresholds").text.contains("edit?list="))
      #expect(try await moderator.get(edit).status == .forbidden)
      #expect(try await moderator.post(preview, listFields(list.id, "1")).status == .forbidden)

      let visitor = try await Visitor(server, role: .administrator)
      let lists = try await visitor.get("/moderation/thresholds").text
      #expect(
        lists.contains("edit?list=\(list.id)") && lists.contains("edit?list=0") && lists.contains("default"))
      #expect(try await visitor.get("/moderation/thresholds/edit?list=999").status == .notFound)
      #expect(try await visitor.get(edit).text.contains("ftc &amp; co"))
      // Each field shows its error.
      let wrong = try await visitor.post(
        preview, listFields(list.id, "1", weight: "eleven", rows: ("2", "3"), days: ("65", "70")))
      #expect(wrong.status == .unprocessableContent)
      for words in ["This is not a number", "1 to 64.", "must not be above the limit to enter"] {
        #expect(wrong.text.contains(words), "\(words)")
      }
      #expect(wrong.text.matches(of: /aria-invalid="true"/).count == 4)
      let russian = try await visitor.get(edit, language: "ru")
      #expect(russian.text.contains("Записи, чтобы попасть"))
      #expect(try await visitor.post(preview, listFields(0, "1")).text.contains("already in force"))
      #expect(try await visitor.post(preview, listFields(list.id, "7", weight: "2")).status == .conflict)
      #expect(try await visitor.post(preview, listFields(999, "1", weight: "2")).status == .notFound)

      #expect(
        try await visitor.post(preview, listFields(list.id, "1", weight: "0,5", rows: ("1,000", "9"))).status
          == .seeOther)
      let text = try await result(visitor)
      #expect(text.contains("ftc &amp; co") && text.contains("Entries to enter") && text.contains("1,000"))
      try await save(visitor, "One-off complaints.")
      let store = ThresholdStore(pool: pool)
      let rule = SourceRule(
        appID: list.id, weight: 0.5, enter: .init(complaints: 1_000, days: 3), leave: .init(complaints: 9, days: 2))
      #expect(try await store.current().sources.last == rule)
      #expect(try await visitor.get(edit).text.contains("name=\"remove\""))
      #expect(try await !visitor.get("/moderation/thresholds/edit?list=0").text.contains("name=\"remove\""))

      _ = try await visitor.post(preview, listFields(list.id, "2"), ["remove": "1"])
      try await save(visitor, "As all others.")
      #expect(try await store.current().sources.map(\.appID) == [SourceRule.everyList])
      let auditLog = try await pool.withConnection { connection in
        try await connection.query(
          """
          SELECT action, subject, reason, before->>'weight', after->>'enter.complaints' FROM audit_events
          WHERE action LIKE 'thresholds.%' ORDER BY happened_at
          """
        ).map { row in (0..<5).map { (try? row.decode($0, as: String?.self)) ?? nil } }
      }
      #expect(
        auditLog == [
          ["thresholds.set", "list ftc & co", "One-off complaints.", nil, "1000"],
          ["thresholds.remove", "list ftc & co", "As all others.", "0.5", nil],
        ])
    }
  }
}
