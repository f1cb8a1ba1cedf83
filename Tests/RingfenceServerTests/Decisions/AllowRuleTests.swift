// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import HTTPTypes
import Moderation
import PostgreSQL
import Storage
import TestSupport
import Testing

/// A number that is held, listed or reported by many is allowed only by a moderator with a reason.
@Suite(.database) struct AllowRuleTests {
  init() async throws { try await TestDatabase.current.turnReviewsOn() }

  enum State: CaseIterable { case held, listed, reportedByMany }

  private let number: Int64 = 33_199_000_248
  private var uri: String { "/moderation/numbers/\(number)" }
  private var decisions: DecisionStore { DecisionStore(pool: pool) }
  private var decisionService: DecisionService { DecisionService(pool: pool) }

  private func prepare(_ state: State) async throws {
    let now = Date()
    _ = try await pool.run(SQL.enqueueCases([(number, .threshold)], at: now))
    switch state {
    case .held:
      let finding = BrigadeDetection.Finding(reason: .oneDay(peak: 12, reporters: 13, others: 1), reporters: [])
      _ = try await HoldStore(pool: pool).hold([(number, finding)], at: now)
    case .listed:
      try await pool.execute(
        "INSERT INTO listings (number, category_id, serial, listed_at) VALUES (\(number), 1, 1, \(now))")
    case .reportedByMany:
      let reports = (0..<AllowRule.maxReporters + 1).map { index in
        Report(
          number: number, appID: 1, reportID: UUID(), reportedAt: now - Double(index) * 3_600, category: .fraud,
          reporter: Array(repeating: UInt8(index), count: 16))
      }
      _ = try await ReportStore(pool: pool).accept(reports, receivedAt: now)
    }
  }

  @Test func `the triage role cannot allow a number that is often reported`() async throws {
    try await TestServer.run { server in
      try await prepare(.reportedByMany)
      let triage = try await ModeratorClient.signIn(server, as: "Tim", role: .triage)
      let page = try await triage.page(uri)
      #expect(!page.contains(#"value="allow""#) && page.contains("Only a moderator can allow this number"))
      let refused = try await triage.send(
        page, to: "\(uri)/decision", [("decision", "allow"), ("reason", "x"), ("note", "Typed with care.")])
      #expect(refused.status == .unprocessableContent)
      #expect(refused.text.contains("Only a moderator can allow") && refused.text.contains("Typed with care."))
      #expect(try await decisions.history(of: number).isEmpty)
      let escalated = try await triage.send(refused.text, to: "\(uri)/decision", [("decision", "escalate")])
      #expect(escalated.status == .seeOther)
    }
  }

  @Test func `allowing an often reported number needs a reason`() async throws {
    try await TestServer.run { server in
      try await prepare(.reportedByMany)
      let client = try await ModeratorClient.signIn(server, as: "Ada")
      let page = try await client.page(uri)
      #expect(page.contains(#"id="consequence""#))
      #expect(page.contains("This reduces the weight of 21 reporters."))
      let refused = try await client.send(
        page, to: "\(uri)/decision", [("decision", "allow"), ("note", "Typed with care.")])
      #expect(refused.status == .unprocessableContent)
      #expect(refused.text.contains("A reason is required to allow") && refused.text.contains("Typed with care."))
      #expect(try await decisions.history(of: number).isEmpty)
      let both = [("decision", "allow"), ("reason", "Mine."), ("common_reason", "not_credible")]
      let twice = try await client.send(refused.text, to: "\(uri)/decision", both)
      #expect(twice.status == .unprocessableContent && twice.text.contains("not both"))
      let done = try await client.send(
        twice.text, to: "\(uri)/decision",
        [("decision", "allow"), ("reason", ""), ("common_reason", "not_credible")])
      #expect(done.status == .seeOther)
      #expect(try await decisions.history(of: number).map(\.reason) == ["not_credible"])
      // Each reader sees the reason in their language.
      let texts = [
        ("de", "Die Meldungen sind nicht glaubwürdig."), ("en", "The reports are not credible."),
        ("ru", "Сообщения не вызывают доверия."),
      ]
      for (language, text) in texts {
        let page = try await client.get(uri, headers: [.acceptLanguage: language]).text
        #expect(page.contains("<p>\(text)</p>"), "\(language)")
      }
    }
  }

  @Test func `allowing an often reported number in bulk needs a reason`() async throws {
    try await TestServer.run { server in
      try await prepare(.reportedByMany)
      let client = try await ModeratorClient.signIn(server, as: "Ada")
      let list = try await client.page("/moderation/queue")
      let form = try await client.send(list, to: "/moderation/bulk/preview", [("number", "\(number)")])
      let refused = try await client.send(
        form.text, to: "/moderation/bulk", [("decision", "allow")], at: "/moderation/bulk/preview")
      #expect(refused.status == .unprocessableContent && refused.text.contains("A reason is required to allow"))
      #expect(!refused.text.contains("fingerprint"))
      let fields = [("decision", "allow"), ("reason", "Mine.")]
      let preview = try await client.send(form.text, to: "/moderation/bulk", fields, at: "/moderation/bulk/preview")
      #expect(preview.text.contains("This reduces the weight of 21 reporters."))
      try await pool.execute("DELETE FROM review_activation")
      let unreviewed = try await client.send(form.text, to: "/moderation/bulk", fields, at: "/moderation/bulk/preview")
      #expect(unreviewed.text.contains("For numbers that are held, listed or reported by many, the weights"))
      #expect(!unreviewed.text.contains("This reduces the weight of"))
      #expect(try await client.send(preview.text, to: "/moderation/bulk", fields).status == .seeOther)
      #expect(try await decisions.standing(of: number)?.treatment == .allow)
    }
  }

  @Test(arguments: State.allCases) func `the store enforces the reason and the role`(_ state: State) async throws {
    try await prepare(state)
    let bare = try Decision(number: number, treatment: .allow, decidedBy: "Ada", decidedAt: Date())
    await #expect(throws: RuleViolation.self) { try await decisionService.record(bare) }
    let withReason = try Decision(
      number: number, treatment: .allow, reason: "Mine.", decidedBy: "Ada", decidedAt: Date())
    await #expect(throws: RuleViolation.self) { try await decisionService.record(withReason, role: .triage) }
    #expect(try await decisionService.record(withReason, role: .moderator) == .recorded)
  }
}
