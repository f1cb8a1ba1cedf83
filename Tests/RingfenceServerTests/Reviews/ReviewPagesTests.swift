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

@Suite(.database) struct ReviewPagesTests {
  init() async throws { try await TestDatabase.current.turnReviewsOn() }

  private let number: Int64 = 33_199_000_248
  private var decisions: DecisionStore { DecisionStore(pool: pool) }
  private var decisionService: DecisionService { DecisionService(pool: pool) }
  private var reviews: ReviewStore { ReviewStore(pool: pool) }
  private var reviewService: ReviewService { ReviewService(pool: pool) }

  private func complain(_ reporters: Int = 21) async throws {
    let now = Date()
    let reports = (0..<reporters).map { index in
      Report(
        number: number, appID: 1, reportID: UUID(), reportedAt: now - Double(index) * 3_600, category: .fraud,
        reporter: Array(repeating: UInt8(index), count: 16), comment: "They sell <nothing>.")
    }
    _ = try await ReportStore(pool: pool).accept(reports, receivedAt: now)
    _ = try await pool.run(SQL.enqueueCases([(number, .threshold)], at: now))
  }

  /// Ada allows the number on its page.
  private func allow(_ server: TestServer) async throws -> UUID {
    let ada = try await ModeratorClient.signIn(server, as: "Ada Hidden")
    let uri = "/moderation/numbers/\(number)"
    let page = try await ada.page(uri)
    #expect(page.contains("after another moderator has confirmed"))
    let fields = [("decision", "allow"), ("reason", "My secret cause."), ("note", "A hidden note.")]
    #expect(try await ada.send(page, to: "\(uri)/decision", fields).status == .seeOther)
    return try #require(try await decisions.standing(of: number)?.decisionID)
  }

  private func address(_ id: UUID) -> String { "/moderation/reviews/\(number)/\(id.uuidString.lowercased())" }

  @Test func `a reviewer does not see the decision`() async throws {
    try await complain()
    try await TestServer.run { server in
      let id = try await allow(server)
      let bob = try await ModeratorClient.signIn(server, as: "Bob")
      let list = try await bob.page("/moderation/reviews")
      #expect(list.contains("href=\"\(address(id))\""))
      let page = try await bob.page(address(id))
      #expect(page.contains("They sell &lt;nothing&gt;.") && page.contains("Reporters who complain"))
      for html in [list, page] {
        for hidden in ["Ada", "secret cause", "hidden note", " checked"] {
          #expect(!html.contains(hidden), "\(hidden)")
        }
      }
      // The treatments are offered, and none is shown as the decision.
      #expect(page.components(separatedBy: "Allow").count == 2)

      let missing = try await bob.send(page, to: address(id), [("note", "Typed with care.")])
      #expect(missing.status == .unprocessableContent)
      #expect(missing.text.contains("Choose a treatment.") && missing.text.contains("Typed with care."))
      let done = try await bob.send(missing.text, to: address(id), [("decision", "allow")])
      #expect(done.headers[.location] == "/moderation/reviews?done=recorded")
      #expect(try await bob.page("/moderation/reviews?done=recorded").contains("Your review was saved."))
      let stored = try await reviews.ratedDecisions(since: Date() - 3_600)
      #expect(stored.map(\.ratings.count) == [2])
      #expect(try await reviews.records(of: "Ada Hidden").map(\.confirmed) == [1])
      let again = try await bob.get(address(id))
      #expect(again.headers[.location] == "/moderation/reviews?done=closed")
    }
  }

  @Test func `no account reviews its own decision, and triage reviews none`() async throws {
    try await complain()
    try await TestServer.run { server in
      let id = try await allow(server)
      let ada = try await ModeratorClient.signIn(server, as: "Ada Hidden")
      let list = try await ada.page("/moderation/reviews")
      #expect(!list.contains(id.uuidString.lowercased()) && list.contains("No decision waits"))
      #expect(try await ada.get(address(id)).headers[.location] == "/moderation/reviews?done=closed")
      let queue = try await ada.page("/moderation/queue")
      let token = try #require(queue.firstMatch(of: /name="csrf" value="([0-9a-f]{64})"/)?.1)
      let forced = try await ada.post(address(id), [("decision", "allow")], token: String(token))
      #expect(forced.headers[.location] == "/moderation/reviews?done=closed")
      #expect(try await reviews.ratedDecisions(since: Date() - 3_600) == [])
      let triage = try await ModeratorClient.signIn(server, as: "Tim", role: .triage)
      #expect(try await triage.get("/moderation/reviews").status == .forbidden)
      #expect(try await triage.get(address(id)).status == .forbidden)
    }
  }

  @Test(arguments: [false, true]) func `an administrator settles a dispute`(isGolden: Bool) async throws {
    try await complain()
    try await TestServer.run(configure: { $0.site.secondFactor = .nobody }) { server in
      let id = try await allow(server)
      let bob = try await ModeratorClient.signIn(server, as: "Bob")
      let review = try await bob.page(address(id))
      _ = try await bob.send(review, to: address(id), [("decision", "block"), ("note", "It rings all night.")])
      #expect(try await !bob.page("/moderation/reviews").contains(id.uuidString.lowercased()))
      let cleo = try await ModeratorClient.signIn(server, as: "Cleo", role: .administrator)
      #expect(try await cleo.page("/moderation/reviews").contains(address(id)))
      if isGolden {
        #expect(try await reviewService.mark(number, by: Actor(name: "Dora", role: .administrator), at: Date()))
      }
      let page = try await cleo.page(address(id))
      for shown in ["Ada Hidden", "Bob", "It rings all night."] { #expect(page.contains(shown), "\(shown)") }
      let settle = "\(address(id))/settle"
      let bare = try await cleo.send(page, to: settle, [("decision", "block")])
      #expect(bare.status == .unprocessableContent && bare.text.contains("Enter a reason."))
      let done = try await cleo.send(
        bare.text, to: settle, [("decision", "block"), ("reason", "Many people complain."), ("category", "fraud")])
      #expect(done.headers[.location] == "/moderation/reviews?done=settled")
      let standing = try #require(try await decisions.standing(of: number))
      #expect(standing.treatment == .block && standing.category == .fraud)
      let agreement = try await cleo.page("/moderation/agreement")
      #expect(agreement.contains("Ada Hidden") && agreement.contains("Cohen’s κ"))
      let own = try await bob.page("/moderation/agreement")
      #expect(!own.contains("Ada Hidden") && own.contains("Bob"))
    }
  }

  /// The rule of the case applies: the owner of a number beside a protected one is checked before it is blocked.
  @Test func `settling a dispute with a block needs the confirmation of a case`() async throws {
    try await complain()
    try await ProtectionStore(pool: pool).add([(.number(number + 1), "A bank")], by: "Ada", at: Date())
    try await TestServer.run(configure: { $0.site.secondFactor = .nobody }) { server in
      let id = try await allow(server)
      let bob = try await ModeratorClient.signIn(server, as: "Bob")
      _ = try await bob.send(try await bob.page(address(id)), to: address(id), [("decision", "block")])
      let cleo = try await ModeratorClient.signIn(server, as: "Cleo", role: .administrator)
      let page = try await cleo.page(address(id))
      #expect(page.contains("The protected number +33199000249 (A bank) is in the same block of 100"))
      let settle = "\(address(id))/settle"
      let block = [("decision", "block"), ("reason", "Many people complain.")]
      let refused = try await cleo.send(page, to: settle, block)
      #expect(refused.status == .unprocessableContent)
      #expect(refused.text.contains("Nothing was saved. Check the owner of the number"))
      #expect(refused.text.contains("value=\"Many people complain.\""))
      #expect(refused.text.contains(#"aria-describedby="problem" autofocus"#))
      #expect(try await decisions.standing(of: number)?.decisionID == id)
      #expect(try await reviews.disputes().count == 1)

      let done = try await cleo.send(refused.text, to: settle, block + [("confirm", "1")])
      #expect(done.headers[.location] == "/moderation/reviews?done=settled")
      #expect(try await decisions.standing(of: number)?.treatment == .block)
    }
  }

  @Test func `a bulk preview counts the decisions that another moderator must confirm`() async throws {
    try await complain()
    try await TestServer.run { server in
      let ada = try await ModeratorClient.signIn(server, as: "Ada")
      let list = try await ada.page("/moderation/queue")
      let chosen = [("number", "\(number)"), ("number", "\(number + 1)")]
      let form = try await ada.send(list, to: "/moderation/bulk/preview", chosen)
      for (decision, isReviewed) in [("allow", true), ("block", false)] {
        let fields = [("decision", decision), ("reason", "Because.")]
        let preview = try await ada.send(form.text, to: "/moderation/bulk", fields, at: "/moderation/bulk/preview")
        let line = "Another moderator must confirm 1 of these decisions."
        #expect(preview.text.contains(line) == isReviewed, "\(decision)")
      }
    }
  }

  /// A category that the reports do not have would show that the decision is no allow.
  @Test func `the list of reviews does not show the category of the decision`() async throws {
    try await complain(101)
    try await TestServer.run { server in
      _ = try await decisionService.record(
        try Decision(
          number: number, treatment: .block, category: .survey, reason: "Because.", decidedBy: "Ada", decidedAt: Date()),
        role: .moderator)
      let bob = try await ModeratorClient.signIn(server, as: "Bob")
      let list = try await bob.page("/moderation/reviews")
      #expect(list.contains("+33 1 99 00 02 48") && !list.contains("Survey") && !list.contains("Category"))
    }
  }

  /// The events name a number that a moderator may get as a golden case.
  @Test func `only administrators see golden cases in the audit log`() async throws {
    _ = try await decisionService.record(
      try Decision(number: number, treatment: .block, reason: "Because.", decidedBy: "Ada", decidedAt: Date()))
    #expect(try await reviewService.mark(number, by: Actor(name: "Cleo", role: .administrator), at: Date()))
    let golden = try #require(try await reviews.goldenCases().first)
    #expect(
      try await reviewService.unmark(
        number, golden.decisionID, by: Actor(name: "Cleo", role: .administrator), at: Date()))
    try await TestServer.run(configure: { $0.site.secondFactor = .nobody }) { server in
      let bob = try await ModeratorClient.signIn(server, as: "Bob")
      let cleo = try await ModeratorClient.signIn(server, as: "Cleo", role: .administrator)
      for query in ["", "?action=golden.", "?subject=%2B\(number)"] {
        for path in ["/moderation/audit", "/moderation/audit/export.csv"] {
          let (seen, all) = (try await bob.get(path + query).text, try await cleo.get(path + query).text)
          let rows = { (text: String) in text.matches(of: /<td class="wrap">[^<]*golden case|,golden\.(un)?mark/).count
          }
          #expect(rows(seen) == 0, "\(path)\(query)")
          #expect(rows(all) == 2, "\(path)\(query)")
        }
      }
      #expect(try await bob.page("/moderation/audit").contains("decided: block"))
    }
  }

  @Test func `an administrator marks golden cases`() async throws {
    try await complain(3)
    try await TestServer.run(configure: { $0.site.secondFactor = .nobody }) { server in
      let cleo = try await ModeratorClient.signIn(server, as: "Cleo", role: .administrator)
      let path = "/moderation/golden"
      let page = try await cleo.page(path)
      let undecided = try await cleo.send(page, to: path, [("number", "+\(number)")])
      #expect(undecided.status == .unprocessableContent && undecided.text.contains("no decision in force"))
      let wrong = try await cleo.send(page, to: path, [("number", "12")])
      #expect(wrong.status == .unprocessableContent)
      _ = try await decisionService.record(
        try Decision(number: number, treatment: .block, reason: "Because.", decidedBy: "Ada", decidedAt: Date()))
      let marked = try await cleo.send(page, to: path, [("number", "+\(number)")])
      #expect(marked.headers[.location] == "\(path)?done=marked")
      #expect(try await reviews.goldenCases().map(\.markedBy) == ["Cleo"])
      let list = try await cleo.page(path)
      let removed = try await cleo.send(list, to: "\(path)/remove", [])
      #expect(removed.headers[.location] == "\(path)?done=removed")
      #expect(try await reviews.goldenCases() == [])
      let bob = try await ModeratorClient.signIn(server, as: "Bob")
      #expect(try await bob.get(path).status == .forbidden)
    }
  }

  /// A golden case and a review have the same page.
  @Test func `a golden case looks like a review`() async throws {
    try await complain()
    let now = Date()
    let decision = try Decision(
      number: number, treatment: .allow, reason: "Because.", decidedBy: "Ada Hidden", decidedAt: now)
    _ = try await decisionService.record(decision, role: .moderator)
    try await TestServer.run { server in
      let bob = try await ModeratorClient.signIn(server, as: "Bob")
      let normalized = { (page: String) in page.replacing(/value="[0-9a-f\-]{36,64}"/, with: "") }
      let review = normalized(try await bob.page(address(decision.id)))
      #expect(try await reviewService.mark(number, by: Actor(name: "Cleo", role: .administrator), at: now))
      try await pool.execute("DELETE FROM decision_reviews")
      #expect(normalized(try await bob.page(address(decision.id))) == review)
      let page = try await bob.page(address(decision.id))
      let done = try await bob.send(page, to: address(decision.id), [("decision", "block")])
      #expect(done.headers[.location] == "/moderation/reviews?done=recorded")
      #expect(try await reviews.records(of: "Bob").map(\.goldenRight) == [0])
      #expect(try await decisions.standing(of: number)?.treatment == .allow)
    }
  }
}
