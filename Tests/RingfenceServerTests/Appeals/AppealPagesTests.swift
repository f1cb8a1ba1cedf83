// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import Intake
import HTTPTypes
import Hummingbird
import Moderation
import PostgreSQL
import Storage
import TestSupport
import Testing
@testable import HTTPServer
@testable import ModerationSite
@testable import RingfenceCommand

@Suite(.database) struct AppealPagesTests {
  private func stamp(_ visitor: Visitor) async throws -> String {
    String(try #require(try await visitor.get("/appeal").text.firstMatch(of: /name="stamp" value="([^"]+)"/)?.1))
  }

  @Test func `an appeal without scripts waits and then gets one ticket`() async throws {
    try await TestServer.run(configure: { $0.site.appealDelay = 0 }) { server in
      let visitor = Visitor(server)
      let stamp = try await stamp(visitor)
      let hostile = "<script>alert(1)</script> & \"quotes\" {{frame.csrf}}"
      let filed = try await visitor.post(
        "/appeal", ["number": "+33 1 99 00 10 21", "statement": hostile, "contact": "<i>@example.org", "stamp": stamp])
      #expect(filed.status == .seeOther && filed.location.hasPrefix("/appeal/"))
      let clicked = try await visitor.post(
        "/appeal", ["number": "+33 1 99 00 10 21", "statement": hostile, "contact": "<i>@example.org", "stamp": stamp])
      #expect(clicked.status == .seeOther && clicked.location == filed.location)
      let again = try await visitor.post(
        "/appeal", ["number": "+33199001021", "statement": "Once more.", "stamp": stamp])
      #expect(again.status == .unprocessableContent && again.text.contains("already been sent"))

      let status = try await visitor.get(filed.location)
      #expect(status.status == .ok && status.headers[.cacheControl] == "no-store")
      #expect(status.text.contains("&lt;script&gt;alert(1)&lt;/script&gt;") && !status.text.contains("<script>alert"))
      #expect(status.text.contains("{{frame.csrf}}") && status.text.contains("Our list does not contain this number"))
      #expect(try await visitor.get(filed.location, language: "ru").text.contains("ждёт модератора"))
      #expect(try await visitor.get("/appeal/\(AppealTicket().code)").status == .notFound)
      #expect(try await visitor.get("/moderation/appeals").status == .seeOther)

      let triage = try await Visitor(server, role: .triage)
      #expect(try await triage.get("/moderation/appeals").status == .forbidden)
      let moderator = try await Visitor(server, role: .moderator)
      let list = try await moderator.get("/moderation/appeals")
      #expect(list.text.contains("+33 1 99 00 10 21") && !list.text.contains("<script>alert"))
      let page = try await moderator.get("/moderation/appeals/33199001021")
      #expect(page.text.contains("&lt;i&gt;@example.org"))
      let open = String(try #require(page.text.firstMatch(of: /name="open" value="([^"]+)"/)?.1))
      let version = String(try #require(page.text.firstMatch(of: /name="version" value="([^"]+)"/)?.1))
      let id = String(try #require(page.text.firstMatch(of: /name="id" value="([^"]+)"/)?.1))
      let path = "/moderation/appeals/33199001021"
      func answer(_ open: String, _ decision: String, _ words: String = "") async throws -> HTTPResponse.Status {
        try await moderator.post(
          path, ["open": open, "decision": decision, "words": words], ["id": id, "version": version]
        ).status
      }
      // A common answer fills the field and decides nothing.
      let filled = try await moderator.post(path, ["open": open, "fill": "3"], ["version": version])
      #expect(filled.status == .ok && filled.text.contains(">Many independent people still report calls"))
      #expect(try await answer(open, "reject") == .unprocessableContent)
      #expect(try await answer(open, "block") == .unprocessableContent)
      #expect(try await answer("", "uphold") == .conflict)
      #expect(try await AppealStore(pool: pool).openCount() == 1)
      #expect(try await answer(open, "uphold", "Sorry <b>") == .seeOther)
      #expect(try await answer(open, "uphold") == .conflict)
      let stored = try await DecisionStore(pool: pool).history(of: 33_199_001_021)
      #expect(stored.map(\.id) == [UUID(uuidString: id)], "The decision has the id of the form.")
      let appeal = try #require(try await AppealStore(pool: pool).appeals(of: 33_199_001_021).first)
      #expect(appeal.state == .upheld && appeal.answer == "Sorry <b>" && appeal.answeredBy == "The moderator")
      let answered = try await visitor.get(filed.location)
      #expect(answered.text.contains("upheld") && answered.text.contains("Sorry &lt;b&gt;"))
      #expect(try await DecisionStore(pool: pool).standing(of: 33_199_001_021)?.treatment == .allow)
      #expect(try await moderator.get("/moderation/appeals?state=answered").text.contains("+33 1 99 00 10 21"))
    }
  }

  @Test func `answers are offered in the owner's language, by outcome, and mailed with the ticket's address`()
    async throws
  {
    let number: Int64 = 33_199_001_021
    let templates = TemplateStore(pool: pool)
    for (version, list, text, outcome) in [
      (0, "fr", "Nous avons vérifié.", .reject), (1, "en", "We have checked.", nil),
    ] as [(Int32, String, String, TextTemplates.Outcome?)] {
      let saved = try await templates.save(
        [.builtIn("removed"), .own(text, for: outcome)], as: .init(.answer, language: list), after: version,
        by: .commandLine("Chief"), at: Date())
      #expect(saved)
    }
    try await TestServer.run(configure: { $0.site.appealDelay = 0 }) { server in
      let visitor = Visitor(server)
      let stamp = try await stamp(visitor)
      let filed = try await server.client.execute(
        uri: "/appeal", method: .post,
        headers: [.contentType: "application/x-www-form-urlencoded", .acceptLanguage: "fr"],
        body: ByteBuffer(string: "number=%2B33199001021&statement=Mon+magasin&contact=a%40example.org&stamp=\(stamp)"))
      let ticket = try #require(filed.headers[.location])
      let ada = try await ModeratorClient.signIn(server, as: "Ada")
      let page = try await ada.page("/moderation/appeals/\(number)")
      #expect(
        page.contains("The owner wrote in: Français.")
          && page.contains("id=\"words\" name=\"words\" data-most=\"2000\" rows=\"4\" lang=\"fr\""))
      let groups = page.components(separatedBy: "data-outcome=\"").dropFirst().map { String($0) }
      #expect(groups.map { $0.prefix { $0 != "\"" } } == ["uphold", "reject", ""])
      #expect(groups[0].contains("Nous avons retiré") && !page.contains("We have removed your number"))
      #expect(
        groups[1].contains("lang=\"fr\" formnovalidate>Nous avons vérifié.") && groups[2].contains("We have checked."))
      // The case offers the answers for the chosen outcome first.
      _ = try await pool.run(SQL.enqueueCases([(number, .appeal)], at: Date()))
      let form = try await ada.page("/moderation/numbers/\(number)?country=FR&queue=1")
      let path = "/moderation/numbers/\(number)/decision"
      #expect(form.contains("action=\"\(path)?country=FR&amp;queue=1\""))
      let again = try await ada.send(
        form.replacing("?country=FR&amp;queue=1\"", with: "\""), to: path, [("decision", "reject")])
      #expect(again.text.firstMatch(of: /data-outcome="([a-z]*)"/)?.1 == "reject")

      let service = AppealService(pool: pool)
      _ = try await service.settle(
        number, as: .rejected, by: Actor(name: "Ada", role: .moderator), answer: "Non.", at: Date())
      let bodies = try await pool.column("SELECT body FROM outbox WHERE event = 'appeal_answered'", as: String.self)
      let body = try #require(bodies.first)
      let key = Pseudonymizer(key: [UInt8](repeating: 1, count: 32)).secret(for: AppealTicket.purpose)
      let mail = EventMail(
        catalog: try MessageCatalog(folder: Checkout.texts), address: "https://example.org",
        ticket: { AppealTicket(stamp: $0, key: key)?.code })
      let text = try #require(mail.write(kind: "appeal_answered", body: body, language: "fr")).text
      #expect(text.contains("https://example.org\(ticket)\n") && !body.contains(ticket.suffix(35)))
    }
  }

  @Test func `a form without a session returns to its case with the filter of the queue`() async throws {
    try await TestServer.run { server in
      let refused = try await Visitor(server).post(
        "/moderation/numbers/33199000248/decision?country=FR&queue=1", ["decision": "block"])
      #expect(refused.location == "/sign-in?next=/moderation/numbers/33199000248%3Fcountry%3DFR%26queue%3D1&ended=1")
    }
  }

  @Test func `form errors appear beside their fields and keep the input`() async throws {
    try await TestServer.run(configure: { $0.site.appealDelay = 3_600 }) { server in
      let visitor = Visitor(server)
      let stamp = try await stamp(visitor)
      for (fields, words) in [
        (["number": "", "statement": "Mine"], "Enter the listed number"),
        (["number": "0199001021", "statement": "Mine"], "Choose the number&#39;s country"),
        (["number": "112", "country": "DE", "statement": "Mine"], "emergency"),
        (["number": "+33199001021", "statement": " "], "Say in one or two sentences"),
        (["number": "+33199001021", "statement": String(repeating: "é", count: 2_001)], "too long"),
        (["number": "+33199001021", "statement": "Mine", "contact": "a\nb"], "Use one line"),
        (["number": "+33199001021", "statement": "Kept words"], "Kept words"),
        (["number": "+33199001021", "statement": "Mine", "nonce": "123"], "changed or damaged"),
      ] as [(KeyValuePairs<String, String>, String)] {
        let answer = try await visitor.post("/appeal", fields, ["stamp": stamp])
        #expect(answer.status == .unprocessableContent)
        #expect(answer.text.contains(words), "\(words)")
      }
      let national = try await visitor.post(
        "/appeal", ["number": "01 99 00 10 21", "country": "FR", "statement": "Mine", "stamp": stamp])
      #expect(national.text.contains("a little longer") && national.text.contains(stamp))
      let huge = try await visitor.post(
        "/appeal", ["number": "+33199001021", "statement": String(repeating: "x", count: 1_000_000), "stamp": stamp])
      #expect(huge.status == .contentTooLarge)
      #expect(try await AppealStore(pool: pool).openCount() == 0)
    }
  }

  @Test func `a network may send a limited number of appeals a day`() async throws {
    try await TestServer.run(configure: {
      $0.site.appealDelay = 0
      $0.access.limits.appealsADay = 12
    }) { server in
      let visitor = Visitor(server)
      var statuses: [Int] = []
      for index in 0..<3 {
        let answer = try await visitor.post(
          "/appeal", ["number": "+3319900102\(index)", "statement": "Mine", "stamp": try await stamp(visitor)])
        statuses.append(answer.status.code)
      }
      #expect(statuses == [303, 303, 429])
    }
  }

  @Test func `a name without a category does not make a number a nuisance`() async throws {
    let number: Int64 = 33_199_001_021
    let time = Date()
    _ = try await DecisionService(pool: pool).record(
      try Decision(
        number: number, treatment: .identify, label: "Library", reason: "A library.", decidedBy: "Ada", decidedAt: time)
    )
    try await pool.transaction { connection in
      try await PublicationStore.replaceListings(
        with: [Listing(number: number, category: .other, cause: .decision, treatment: .identify)], serial: 1, at: time,
        on: connection)
    }
    try await TestServer.run(configure: { $0.site.publicNumbers = .indexed }) { server in
      let page = try await Visitor(server).get("/number/\(number)").text
      #expect(!page.contains("Nuisance") && page.contains("is the listing wrong?"))
    }
  }

  @Test(arguments: [PublicNumberVisibility.off, .hidden, .indexed])
  func `numbers have public pages only if the operator enables them`(_ visibility: PublicNumberVisibility) async throws
  {
    let time = Date()
    try await pool.execute(
      "INSERT INTO listings (number, category_id, serial, listed_at) VALUES (33199001021, 1, 1, \(time))")
    try await TestServer.run(configure: { $0.site.publicNumbers = visibility }) { server in
      let visitor = Visitor(server)
      let page = try await visitor.get("/number/33199001021")
      guard visibility != .off else {
        #expect(page.status == .notFound)
        return
      }
      #expect(page.status == .ok && page.text.contains("Suspected fraud"))
      #expect(page.text.contains("/appeal?number=33199001021"))
      #expect(page.headers[.init("X-Robots-Tag")!] == (visibility == .hidden ? "noindex" : nil))
      #expect(try await visitor.get("/number/33199001022").headers[.init("X-Robots-Tag")!] == "noindex")
      #expect(try await visitor.get("/number/%2B33199001021").status == .movedPermanently)
      #expect(try await visitor.get("/number/1").status == .notFound)
    }
  }
}
