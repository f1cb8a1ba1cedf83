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
@testable import ModerationSite
@testable import RingfenceCommand

@Suite(.database) struct SitePagesTests {
  /// Requests every page with every role, an empty database and hostile queries.
  @Test func `every page checks the role, shows empty states and escapes queries`() async throws {
    try await TestServer.run(configure: { $0.site.secondFactor = .nobody }) { server in
      let pages: [(path: String, least: Role)] = [
        ("/moderation", .triage), ("/moderation/search", .triage), ("/moderation/publications", .triage),
        ("/moderation/recipes", .triage), ("/moderation/appeals", .moderator), ("/moderation/reporters", .moderator),
        ("/moderation/ranges", .moderator), ("/moderation/reviews", .moderator),
        ("/moderation/agreement", .moderator), ("/moderation/golden", .administrator),
        ("/moderation/protected", .moderator), ("/moderation/sources", .administrator),
        ("/moderation/thresholds", .moderator), ("/moderation/health", .moderator),
        ("/moderation/thresholds/edit?category=fraud", .administrator),
      ]
      for role in Role.allCases {
        let visitor = try await Visitor(server, role: role)
        for page in pages {
          for language in Language.allCases {
            let answer = try await visitor.get(page.path, language: language.rawValue)
            #expect(answer.status == (role >= page.least ? .ok : .forbidden), "\(page.path) \(role)")
            #expect(!answer.text.contains("[[") && !answer.text.contains("{{"), "\(page.path)")
          }
        }
      }
      let visitor = try await Visitor(server, role: .administrator)
      let hostile = "%3Cscript%3Ealert(1)%3C/script%3E"
      let search = try await visitor.get("/moderation/search?q=\(hostile)")
      #expect(search.text.contains("&lt;script&gt;alert(1)&lt;/script&gt;"))
      for path in [
        "/moderation/search?q=\(hostile)&after=x", "/moderation/search?q=*1", "/moderation/search?q=0199001021",
        "/moderation/appeals?after=1_2_3", "/moderation/reporters?list=judged&after=zz_1",
        "/moderation/protected?after=-1",
      ] {
        let answer = try await visitor.get(path)
        #expect(answer.status == .ok && !answer.text.contains("<script>alert"), "\(path)")
      }
      for path in [
        "/moderation/ranges/33199001020", "/moderation/ranges/3319900102x", "/moderation/appeals/0",
        "/moderation/publications/7/changes", "/moderation/thresholds?version=9",
      ] {
        #expect(try await visitor.get(path).status == .notFound, "\(path)")
      }
    }
  }

  @Test func `adding and removing a protected number is audited`() async throws {
    try await TestServer.run { server in
      let visitor = try await Visitor(server, role: .administrator)
      let path = "/moderation/protected"
      #expect(try await visitor.post(path, ["what": "+49x", "reason": "Mine"]).text.contains("4 digits before"))
      for reason in ["", "A bank\nand more", "A\u{7} bank"] {
        let refused = try await visitor.post(path, ["what": "+4930123*", "reason": "\(reason)"])
        #expect(refused.text.contains("Enter the owner and the reason"))
      }
      #expect(
        try await visitor.post(path, ["what": "+49 30 123*", "reason": "A <bank>"]).location == "\(path)?done=added")
      // The country of national and short numbers is the one that the form shows.
      let short = try await visitor.post(path, ["what": "112", "reason": "Emergency", "country": "DE"])
      #expect(short.location == "\(path)?done=added")
      let national = try await visitor.post(path, ["what": "030 23125123", "reason": "A & <b>"])
      #expect(national.status == .unprocessableContent && national.text.contains("needs its country"))
      #expect(national.text.contains(#"value="030 23125123""#))
      let page = try await visitor.get(path).text
      #expect(page.contains("+4930123*") && page.contains("A &lt;bank&gt;"))
      let again = try await visitor.post(path, ["what": "+4930123*", "reason": "B", "until": "2099-01-31"])
      #expect(again.status == .ok && again.text.contains("This replaces the protection “A &lt;bank&gt;” by"))
      #expect(try await ProtectionStore(pool: pool).rule(for: 49_301_234_567) != nil)
      #expect(try await visitor.post("\(path)/remove", ["what": "+4930123*"]).location == "\(path)?done=removed")
      #expect(try await visitor.post("\(path)/remove", ["what": "+4930123*"]).location == "\(path)?done=gone")
      let moderator = try await Visitor(server, role: .moderator)
      #expect(try await moderator.post(path, ["what": "+4930123*", "reason": "x"]).status == .forbidden)
      let auditLog = try await pool.column(
        "SELECT action FROM audit_events WHERE subject = '+4930123*' ORDER BY happened_at", as: String.self)
      #expect(auditLog == ["protection.add", "protection.add", "protection.remove"])
    }
  }

  @Test func `the page of sources shows a failure and changes a ceiling`() async throws {
    let (stores, now) = (Stores(pool: pool), Date())
    let list = try await stores.apps.source(named: "<b>list", at: now)
    let settings = Source.Settings(name: list.name, url: "https://a.example/<i>", format: .csv, every: 3_600)
    _ = try await stores.sources.add(
      settings, as: list, by: .commandLine("Ada"), at: now)
    let feed = try #require(try await stores.sources.source(named: list.name))
    try await stores.sources.fail(feed, because: .unreadable("<u>"), at: now, next: now + 3_600)
    try await TestServer.run { server in
      let visitor = try await Visitor(server, role: .administrator)
      let page = try await visitor.get("/moderation/sources").text
      #expect(page.contains("&lt;b&gt;list") && page.contains("a.example/&lt;i&gt;") && page.contains("&lt;u&gt;"))
      #expect(page.contains("1 failed attempt."))
      let path = "/moderation/sources"
      // A higher ceiling is shown first.
      let question = try await visitor.post("\(path)/ceiling", ["name": list.name, "ceiling": "block"])
      #expect(question.status == .ok && question.text.contains("Raise the ceiling of &lt;b&gt;list to “Block”?"))
      #expect(try await stores.thresholds.current().ceiling(ofSource: list.id) == .review)
      let version = try #require(question.text.firstMatch(of: /name="confirm" value="([^"]+)"/)?.1)
      // Another source of the name was asked about.
      let other = try await visitor.post(
        "\(path)/ceiling", ["name": list.name, "ceiling": "block", "confirm": "1-1"])
      #expect(other.status == .ok && other.text.contains("Raise the ceiling of"))
      #expect(
        try await visitor.post("\(path)/remove", ["name": list.name, "version": "1-1"]).location
          == "\(path)?done=changed")
      for fields in [["ceiling": "block", "confirm": String(version)], ["ceiling": "nothing"]] {
        let saved = try await visitor.post("\(path)/ceiling", fields.merging(["name": list.name]) { $1 })
        #expect(saved.location == "\(path)?done=ceiling")
        #expect(try await stores.thresholds.current().ceiling(ofSource: list.id).rawValue == fields["ceiling"])
      }
      #expect(try await visitor.post("\(path)/refresh", ["name": list.name]).location == "\(path)?done=refresh")
      #expect(try await stores.sources.due(at: Date(), limit: 1).map(\.name) == [list.name])
      #expect(try await visitor.post("\(path)/ceiling", ["name": list.name, "ceiling": "all"]).status == .notFound)
      #expect(try await visitor.post("\(path)/refresh", ["name": "absent"]).status == .notFound)
      #expect(try await visitor.get("\(path)?done=ceiling").text.contains("Ceiling saved."))
    }
    let events = try await pool.column(
      "SELECT action FROM audit_events WHERE subject = '<b>list' ORDER BY happened_at", as: String.self)
    #expect(events == ["source.add", "source.ceiling", "source.ceiling", "source.refresh"])
  }

  @Test func `the page of sources shows rejected rows as text`() async throws {
    let (stores, now) = (Stores(pool: pool), Date())
    let list = try await stores.apps.source(named: "list", at: now)
    let settings = Source.Settings(name: list.name, url: "https://a.example/", format: .csv, every: 3_600)
    _ = try await stores.sources.add(
      settings, as: list, by: .commandLine("Ada"), at: now)
    let feed = try #require(try await stores.sources.source(named: list.name))
    var state = feed.state
    state.refreshedAt = now
    state.rejected.rows = 8
    for (row, reason) in [(2, "not_a_number"), (5, "not_a_number"), (7, "a_new_reason")] {
      state.rejected.add(row: row, reason: reason, text: "<b>\u{202E}\(row)")
    }
    try await stores.sources.succeed(feed, with: state, next: now + 60)
    let key = try await stores.apps.create(name: "bot", scopes: .administer, at: now).key
    try await TestServer.run { server in
      let page = try await Visitor(server, role: .administrator).get("/moderation/sources").text
      for part in [
        "3 of 8 rows of the last file were rejected", "More than a third of the rows was rejected.",
        "<li>Not a telephone number: 2</li>", "<li>a_new_reason: 1</li>",
        #"Row 5: <bdi class="mono">&lt;b&gt;\u{202E}5</bdi> · Not a telephone number"#,
      ] {
        #expect(page.contains(part), "\(part)")
      }
      let answer = try await server.client.execute(
        uri: "/v1/moderation/sources", method: .get, headers: [.authorization: "Bearer \(key)"])
      let text = String(buffer: answer.body)
      #expect(answer.status == .ok)
      for part in [
        #""state":"many_rejected""#, #""reasons":{"a_new_reason":1,"not_a_number":2}"#, #""rows":8"#, #""count":3"#,
        #"{"reason":"not_a_number","row":2,"text":"<b>\\u{202E}2"}"#,
      ] {
        #expect(text.contains(part), "\(part) \(text)")
      }
      #expect(
        try await server.client.execute(
          uri: "/v1/moderation/sources", method: .get, headers: [.authorization: "Bearer \(server.key)"]
        ).status == .forbidden)
    }
  }

  @Test func `an administrator adds, resumes and removes a source on the page`() async throws {
    let stores = Stores(pool: pool)
    let path = "/moderation/sources"
    let fields = [
      "name": "Public list", "url": "https://192.0.2.1/list.csv", "format": "csv", "every": "12h",
      "ceiling": "identify", "category": "fraud", "license": "CC0",
    ]
    @Sendable func changed(_ name: String, _ value: String) -> [String: String] { fields.merging([name: value]) { $1 } }
    try await TestServer.run { server in
      let visitor = try await Visitor(server, role: .administrator)
      #expect(try await Visitor(server, role: .moderator).post("\(path)/add", fields).status == .forbidden)
      for (name, value, message) in [
        ("name", "", "Enter a name"), ("url", "ftp://a/b", "Enter an address"), ("every", "1m", "from 5m to 31d"),
        ("format", "pdf", "Choose one"), ("ceiling", "all", "Choose one"), ("category", "legitimate", "Choose one"),
        ("license", String(repeating: "x", count: 201), "at most 200"),
        ("url", "http://127.0.0.1:5432/", "private network"), ("url", "http://localhost/", "private network"),
        ("url", "http://[::1]/", "private network"),
      ] {
        for action in ["add", "preview"] {
          let answer = try await visitor.post(
            "\(path)/add", changed(name, value).merging(["action": action]) { $1 })
          #expect(answer.status == .unprocessableContent && answer.text.contains(message), "\(name) \(value)")
          #expect(answer.text.contains(#"id="\#(name)-problem""#), "\(name) \(value)")
        }
      }
      #expect(try await stores.sources.list().isEmpty)
      let added = try await visitor.post("\(path)/add", fields.merging(["action": "add"]) { $1 })
      #expect(added.location == "\(path)?done=add")
      let feed = try #require(try await stores.sources.source(named: "Public list"))
      #expect((feed.settings.every, feed.settings.ceiling, feed.settings.isPublic) == (43_200, .identify, true))
      #expect((feed.settings.license, feed.settings.options.categories) == ("CC0", ["*": "fraud"]))
      #expect(try await stores.thresholds.current().rule(forSource: feed.id).enter.complaints == 1)
      #expect(try await visitor.post("\(path)/add", fields).text.contains("There is a source or an app"))
      #expect(try await visitor.post("\(path)/add", changed("name", "Test app")).status == .unprocessableContent)

      // Not suspended, then suspended.
      #expect(try await visitor.post("\(path)/resume", ["name": feed.name]).status == .notFound)
      try await pool.execute("UPDATE source_feeds SET suspended_at = now(), confirmed = 1, wrong = 9")
      let page = try await visitor.get(path).text
      #expect(page.contains("Suspended: decisions allow") && page.contains("confirm 1 of 10 decided numbers"))
      #expect(try await visitor.get("/moderation").text.contains("Suspended because decisions allow"))
      #expect(
        try await !Visitor(server, role: .triage).get("/moderation").text.contains("Suspended because decisions allow"))
      #expect(try await visitor.post("\(path)/resume", ["name": feed.name]).location == "\(path)?done=resume")
      #expect(try await stores.sources.source(named: feed.name)?.isSuspended == false)

      #expect(try await visitor.post("\(path)/remove", ["name": feed.name]).location == "\(path)?done=remove")
      #expect(try await visitor.post("\(path)/remove", ["name": feed.name]).status == .notFound)
      #expect(try await stores.sources.list().isEmpty)
      let waiting = try await visitor.post("\(path)/add", fields)
      #expect(waiting.status == .unprocessableContent && waiting.text.contains("still withdrawing its entries"))
      try await stores.sources.finishRemoval(of: feed.id)
      #expect(try await visitor.post("\(path)/add", fields).location == "\(path)?done=add")
    }
    let events = try await pool.column(
      "SELECT action FROM audit_events WHERE subject = 'Public list' ORDER BY happened_at", as: String.self)
    #expect(events == ["source.add", "source.resume", "source.remove", "source.add"])
  }

  @Test func `a range page shows the members and approves the range`() async throws {
    let time = Date()
    var reports: [Report] = []
    for place in 0..<5 {
      for index in 0..<4 {
        let reporter = [UInt8(index), UInt8(place)] + [UInt8](repeating: 9, count: 14)
        let number: Int64 = 33_199_000_240 + Int64(place) * 2
        reports.append(
          Report(
            number: number, appID: 1, reportID: UUID(), reportedAt: time, category: .oneRing, reporter: reporter))
      }
    }
    _ = try await ReportStore(pool: pool).accept(reports, receivedAt: time)
    _ = try await RangeStore(pool: pool).detect(at: time)
    try await ProtectionStore(pool: pool).add([(.number(33_199_000_241), "A bank")], by: "Ada", at: time)
    try await TestServer.run { server in
      let visitor = try await Visitor(server, role: .moderator)
      #expect(try await visitor.get("/moderation/ranges").text.contains("+3319900024x"))
      let path = "/moderation/ranges/3319900024x"
      let page = try await visitor.get(path).text
      #expect(
        page.contains("<span>Protected</span><strong>1</strong>")
          && page.contains("<span>Numbers to list</span><strong>9</strong>"))
      #expect(try await visitor.post(path, ["decision": "approve"]).status == .unprocessableContent)
      let version = String(try #require(page.firstMatch(of: /name="version" value="([^"]*)"/)?.1))
      let approve = ["decision": "approve", "reason": "One caller.", "version": version]
      #expect(try await visitor.post(path, approve).location == "\(path)?done=approve")
      #expect(try await RangeStore(pool: pool).rules(.approved).map(\.range.text) == ["+3319900024x"])
      // The buttons of a page from before the decision do nothing, and the reason is kept.
      for decision in ["approve", "reject", "remove"] {
        let late = try await visitor.post(path, approve.merging(["decision": decision, "reason": "Too late."]) { $1 })
        #expect(late.status == .unprocessableContent && late.text.contains("value=\"Too late.\""), "\(decision)")
        #expect(late.text.contains("Another account has changed this rule"), "\(decision)")
      }
      #expect(try await RangeStore(pool: pool).rules(.approved).map(\.reason) == ["One caller."])
      // Neither does the form of a new rule, nor one for a rule that is gone.
      let add = ["range": "+3319900024x", "treatment": "identify", "reason": "Mine.", "action": "save"]
      for fields in [
        add, add.merging(["treatment": "nonsense"]) { $1 }, add.merging(["category": "nonsense"]) { $1 },
      ] {
        let late = try await visitor.post("/moderation/ranges", fields)
        #expect(late.status == .unprocessableContent && late.text.contains("value=\"Mine.\""), "\(fields)")
      }
      let gone = try await visitor.post("/moderation/ranges/3319900099x", approve)
      #expect(gone.status == .unprocessableContent && gone.text.contains("value=\"One caller.\""))
      #expect(try await RangeStore(pool: pool).rules().map(\.treatment) == [.block])
    }
  }

  @Test(arguments: [
    ("+33 1 99 00 10 21", SearchRequest.beginning(33_199_001_021, exact: 33_199_001_021, ending: "33199001021")),
    ("0033199001021", .beginning(33_199_001_021, exact: 33_199_001_021, ending: "33199001021")),
    ("01 99 00 10 21", .beginning(33_199_001_021, exact: 33_199_001_021, ending: "199001021")),
    ("3316", .beginning(3316, exact: nil, ending: "3316")), ("*601021", .ending("601021")), ("*021", .ending("021")),
    ("*21", .tooShort), ("*123*", .middleTooShort), ("*1234*", .middle("1234")), ("01", .tooShort),
    ("Ada & Sons", .label("Ada & Sons")), ("", .nothing),
    ("1234567890123456789", .label("1234567890123456789")), ("*…", .tooShort),
  ])
  func `a search accepts numbers in any spelling`(_ text: String, _ wish: SearchRequest) {
    #expect(SearchRequest(text, country: "FR") == wish)
  }
}
