// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import Storage
import TestSupport
import Testing

@testable import Curation
@testable import HTTPServer
@testable import ModerationSite

@Suite(.database) struct CasePageTests {
  private let number: Int64 = 33_199_000_248
  private var uri: String { "/moderation/numbers/\(number)" }

  private func report(_ count: Int, comment: String? = nil, start: Int = 0) async throws {
    let reports = (start..<start + count).map { index in
      Report(
        number: number, appID: 1, reportID: UUID(), reportedAt: Date() - Double(index) * 3_600, category: .fraud,
        reporter: Array(repeating: UInt8(index), count: 16), comment: comment.map { "\($0) \(index)" })
    }
    _ = try await ReportStore(pool: TestDatabase.current.pool).accept(reports, receivedAt: Date())
  }

  @Test func `the case page shows all data and escapes text of visitors`() async throws {
    try await TestServer.run { server in
      try await report(25, comment: "<script>alert(1)</script>")
      let client = try await ModeratorClient.signIn(server, as: "Ada")
      let page = try await client.page(uri)
      for said in [
        "+33 1 99 00 02 48", "01 99 00 02 48", "France", "fixed line", "25 reports, from",
        "Reports and calls by day",
        "reporter 0101", "no decisions yet", "&lt;script&gt;alert(1)&lt;/script&gt; 0", "<svg class=\"chart\"",
      ] { #expect(page.contains(said), "\(said)") }
      #expect(!page.contains("<script>alert") && !page.contains("</script> 20"))
      let older = try #require(page.firstMatch(of: /rel="next" href="([^"]*)"/)?.1)
      let second = try await client.page(String(older).replacing("&amp;", with: "&"))
      #expect(second.contains("&lt;/script&gt; 24") && !second.contains("&lt;/script&gt; 19"))

      let noted = try await client.send(page, to: "\(uri)/notes", [("note", "Ask <b>Bob</b>.")])
      #expect(noted.status == .seeOther)
      #expect(try await client.page(uri).contains("Ask &lt;b&gt;Bob&lt;/b&gt;."))
      let russian = try await client.get(uri, headers: [.acceptLanguage: "ru"]).text
      #expect(russian.contains("25 сообщений: первое") && russian.contains("Франция"))
    }
  }

  @Test func `a case shows hours and apps of its reports, and what its reporters report besides`() async throws {
    try await report(25, comment: "Same words")
    let other = (0..<15).map { index in
      Report(
        number: number + 10, appID: 1, reportID: UUID(), reportedAt: Date() - 60, category: .fraud,
        reporter: Array(repeating: UInt8(index), count: 16),
        comment: index < 3 ? "Same words 0" : nil, network: [UInt8](repeating: UInt8(index), count: 8))
    }
    _ = try await ReportStore(pool: TestDatabase.current.pool).accept(other, receivedAt: Date())
    try await TestServer.run { server in
      let client = try await ModeratorClient.signIn(server, as: "Ada", role: .moderator)
      let page = try await client.page(uri)
      #expect(
        page.contains("Hours of the week") && page.contains("class=\"shade-4\"") && page.contains("Reports by app"))
      #expect(page.matches(of: /class="shade-[1-4]"/).count == 25 && page.contains("\(uri)/reporters"))
      let records = try await client.page("\(uri)/reporters")
      #expect(records.matches(of: /<th scope="row" class="mono">/).count == 25)
      let related = try #require(records.components(separatedBy: "id=\"related\"").last)
      #expect(related.contains("15 of 25") && related.contains("+33 1 99 00 02 58"))
      #expect(related.contains("data-label=\"Same comment\">3<"))
    }
  }

  @Test func `categories below 2 % are apart`() throws {
    var score = Score(NumberRecord(number: number, standing: NumberAggregate(parts: [])), at: Date())
    score.parts = [(ReportCategory.fraud, 99.0, Int64(99)), (.robocall, 1, 1), (.other, 0, 40)].map {
      Score.Part(category: $0, heat: $1, evidence: 1, reports: $2, reporters: 1)
    }
    let texts = try MessageCatalog(folder: Checkout.texts)[.english]
    let (main, minor) = score.partRecords(texts)
    #expect(main.count == 2 && minor.count == 1)
  }

  @Test func `an invalid number has no page`() async throws {
    try await TestServer.run { server in
      let client = try await ModeratorClient.signIn(server, as: "Ada")
      for text in ["0", "abc", "-5", "99999999999999999999"] {
        #expect(try await client.get("/moderation/numbers/\(text)").status == .notFound, "\(text)")
      }
    }
  }

  @Test func `another spelling redirects to the number and never to another one`() async throws {
    try await TestServer.run { server in
      let client = try await ModeratorClient.signIn(server, as: "Ada")
      for (spelling, language, address) in [
        ("%2B33199000248", "en", uri), ("+33199000248", "en", uri), ("0033199000248", "en", uri),
        ("+33%201%2099%2000%2002%2048", "en", uri), ("0199000248", "fr-FR, en;q=0.5", uri),
        ("01%2099%2000%2002%2048", "fr-FR", uri), ("0199000248", "en", "/moderation/search?q=0199000248"),
      ] {
        let answer = try await client.get("/moderation/numbers/\(spelling)", headers: [.acceptLanguage: language])
        #expect(answer.status == .seeOther && answer.headers[.location] == address, "\(spelling) \(language)")
      }
      // No decision is accepted with another spelling of the number.
      let page = try await client.page(uri)
      for spelling in ["0199000248", "+33199000248"] {
        let refused = try await client.send(
          page, to: "\(uri)/decision", [("decision", "allow")], at: "/moderation/numbers/\(spelling)/decision")
        #expect(refused.status == .notFound, "\(spelling)")
      }
      let found = try await client.page("/moderation/search?q=%2B33199000248")
      #expect(found.contains("href=\"\(uri)\""), "A number that nobody has spoken of has a page, too.")
    }
  }

  /// Messages whose keys Swift composes from names of the rules: every name has one.
  @Test func `every named value has a text`() throws {
    let catalog = try MessageCatalog(folder: Checkout.texts)
    for language in Language.allCases {
      let texts = catalog[language]
      var keys = QueueCause.allCases.map { "queue.cause.\($0.rawValue)" }
      keys += Urgency.Rank.allCases.map { "queue.rank.\($0)" } + Verdict.allCases.map { "verdict.\($0.rawValue)" }
      keys += CaseVersion.Change.allCases.map { "case.changed.\($0.rawValue)" }
      keys += DecisionForm.Choice.allCases.map { "case.do.\($0.rawValue)" }
      keys += ShortcutKeys.Action.allCases.map { "account.key.\($0.rawValue)" }
      keys += ShortcutKeys.Problem.allCases.map { "account.shortcut-\($0.rawValue)" }
      keys += ListingCondition.Kind.allCases.map { "case.condition.\($0.rawValue)" }
      keys += HoldReason.Code.allCases.map { "case.hold.\($0.name)" }
      keys += Decision.Treatment.allCases.flatMap { treatment in
        ["case.decided", "case.did", "bulk.does", "bulk.do"].map { "\($0).\(treatment.rawValue)" }
      }
      keys += Appeal.State.allCases.map { "case.appeal.\($0.rawValue)" }
      keys += RangeRule.State.allCases.map { "case.range.\($0.rawValue)" }
      keys += ["out", "enters", "leaves", "changes", "stays"].map { "case.change.\($0)" }
      for key in keys { #expect(texts.find(key) != nil, "\(language) \(key)") }
    }
  }
}
