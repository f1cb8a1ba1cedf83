// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import HTTPTypes
import PostgreSQL
import Storage
import TestSupport
import Testing

/// Blocking a number of a business needs a confirmation; protecting a number is an action of its case; folded fields keep
/// what was typed.
@Suite(.database) struct GuardedDecisionTests {
  private let number: Int64 = 33_199_000_248
  private var uri: String { "/moderation/numbers/\(number)" }
  private var decisions: DecisionStore { DecisionStore(pool: pool) }
  private let block = [
    ("decision", "block"), ("reason", "One campaign."), ("label", "A label"), ("note", "Called back."),
  ]

  /// Checks that the number is blocked only with a confirmation.
  private func expectConfirmation(_ client: ModeratorClient, _ warning: String) async throws {
    let page = try await client.page(uri)
    #expect(page.contains(warning))
    let refused = try await client.send(page, to: "\(uri)/decision", block)
    #expect(refused.status == .unprocessableContent)
    #expect(refused.text.contains("Nothing was saved. Check the owner of the number"))
    #expect(refused.text.contains(#"aria-describedby="problem" autofocus"#), "The focus goes to the confirmation.")
    // Typed values are kept, even in folded fields, which are open.
    #expect(refused.text.contains("value=\"One campaign.\"") && refused.text.contains("value=\"A label\""))
    #expect(refused.text.components(separatedBy: " open><summary>").count == 3)
    #expect(try await decisions.history(of: number).isEmpty)

    let done = try await client.send(refused.text, to: "\(uri)/decision", block + [("confirm", "1")])
    #expect(done.status == .seeOther)
    let stored = try #require(try await decisions.history(of: number).first)
    #expect(stored.kind == .decision(.block) && stored.reason == "One campaign." && stored.label == "A label")
  }

  /// Adds the number to a directory.
  private func nameNumber() async throws {
    let entry = StoredDirectoryEntry(number: number, name: "City Hospital", category: "Hospitals")
    try await DirectoryStore(pool: pool).replace(source: "A list", with: [entry], at: Date())
  }

  @Test func `a number of a directory is blocked only with a confirmation`() async throws {
    try await nameNumber()
    try await TestServer.run { server in
      let client = try await ModeratorClient.signIn(server, as: "Ada")
      try await expectConfirmation(client, "A directory names this number “City Hospital”.")
      #expect(
        try await client.page(uri).contains("<strong>In a directory:</strong> “City Hospital” (Hospitals), A list"))
    }
  }

  private func report(_ number: Int64) async throws {
    let report = Report(
      number: number, appID: 1, reportID: UUID(), reportedAt: Date(), category: .fraud,
      reporter: Array(repeating: 1, count: 16))
    _ = try await ReportStore(pool: pool).accept([report], receivedAt: Date())
  }

  /// The preview counts the guarded numbers, and without the confirmation nothing is stored.
  @Test func `a bulk decision blocks guarded numbers only with a confirmation`() async throws {
    try await nameNumber()
    try await ProtectionStore(pool: pool).add([(.number(number + 101), "A bank")], by: "Ada", at: Date())
    let numbers = [number, number + 100, number + 200]
    try await report(number + 200)
    _ = try await pool.run(SQL.enqueueCases(numbers.map { ($0, .threshold) }, at: Date()))
    try await TestServer.run { server in
      let client = try await ModeratorClient.signIn(server, as: "Ada")
      let list = try await client.page("/moderation/queue")
      let chosen = numbers.map { ("number", "\($0)") }
      let form = try await client.send(list, to: "/moderation/bulk/preview", chosen)
      let fields = [("decision", "block"), ("reason", "One campaign.")]
      let preview = try await client.send(form.text, to: "/moderation/bulk", fields, at: "/moderation/bulk/preview")
      #expect(preview.text.contains("2 of these numbers are in directories"))
      #expect(preview.text.components(separatedBy: "(check the owner)").count == 3)
      // A link to a preview does not confirm it.
      let link = "/moderation/bulk/preview?number=\(number)&decision=block&reason=One&confirm=1"
      #expect(try await client.get(link).text.contains(#"name="confirm" value="1">"#))
      let refused = try await client.send(preview.text, to: "/moderation/bulk", fields)
      #expect(refused.status == .unprocessableContent)
      #expect(refused.text.contains("Nothing was saved. Check the owners of the numbers"))
      for number in numbers { #expect(try await decisions.history(of: number).isEmpty) }

      let done = try await client.send(refused.text, to: "/moderation/bulk", fields + [("confirm", "1")])
      #expect(done.status == .seeOther)
      for number in numbers { #expect(try await decisions.standing(of: number)?.treatment == .block) }
      // To allow them needs no confirmation.
      let others = try await client.send(
        form.text, to: "/moderation/bulk", [("decision", "allow")], at: "/moderation/bulk/preview")
      #expect(!others.text.contains("name=\"confirm\""))
    }
  }

  /// A number that becomes guarded after the preview makes the preview stale.
  @Test func `a bulk preview is stale when a number becomes guarded`() async throws {
    try await report(number)
    _ = try await pool.run(SQL.enqueueCases([(number, .threshold)], at: Date()))
    try await TestServer.run { server in
      let client = try await ModeratorClient.signIn(server, as: "Ada")
      let list = try await client.page("/moderation/queue")
      let form = try await client.send(list, to: "/moderation/bulk/preview", [("number", "\(number)")])
      let fields = [("decision", "block"), ("reason", "One campaign.")]
      let preview = try await client.send(form.text, to: "/moderation/bulk", fields, at: "/moderation/bulk/preview")
      #expect(!preview.text.contains("name=\"confirm\""))
      try await nameNumber()
      let stale = try await client.send(preview.text, to: "/moderation/bulk", fields)
      #expect(stale.status == .conflict && stale.text.contains("1 of these numbers is in a directory"))
      #expect(try await decisions.history(of: number).isEmpty)
    }
  }

  @Test func `an administrator protects a number on its case`() async throws {
    try await TestServer.run { server in
      let moderator = try await ModeratorClient.signIn(server, as: "Ada")
      let page = try await moderator.page(uri)
      #expect(!page.contains(#"value="protect""#))
      let forbidden = try await moderator.send(page, to: "\(uri)/decision", [("decision", "protect"), ("reason", "x")])
      #expect(forbidden.status == .forbidden)

      let chief = try await ModeratorClient.signIn(server, as: "Chief", role: .administrator)
      let open = try await chief.page(uri)
      #expect(open.contains(#"value="protect""#))
      let missing = try await chief.send(open, to: "\(uri)/decision", [("decision", "protect")])
      #expect(missing.status == .unprocessableContent && missing.text.contains("Choose a common reason"))
      #expect(try await ProtectionStore(pool: pool).counts().numbers == 0)

      let done = try await chief.send(
        missing.text, to: "\(uri)/decision", [("decision", "protect"), ("reason", "A hospital."), ("note", "Called.")])
      #expect(done.status == .seeOther)
      #expect(try await ProtectionStore(pool: pool).rule(for: number) == .protectedNumber(reason: "A hospital."))
      let after = try await chief.page(try #require(done.headers[.location]))
      #expect(after.contains("Protected: +33 1 99 00 02 48") && after.contains("Called."))
      #expect(!after.contains(#"value="protect""#), "It is protected already.")
      let events = try await pool.withConnection { connection in
        try await connection.query("SELECT actor, reason FROM audit_events WHERE action = 'protection.add'")
          .map { [try $0.decode(0, as: String.self), try $0.decode(1, as: String.self)] }
      }
      #expect(events == [["Chief", "A hospital."]])
    }
  }

  @Test func `a folded field with an error is open`() async throws {
    try await TestServer.run { server in
      let client = try await ModeratorClient.signIn(server, as: "Ada")
      let page = try await client.page(uri)
      #expect(!page.contains(" open><summary>"))
      let refused = try await client.send(
        page, to: "\(uri)/decision", [("decision", "identify"), ("common_reason", "automatic_calls")])
      #expect(refused.status == .unprocessableContent)
      let fold = try #require(refused.text.components(separatedBy: " open><summary>").last)
      #expect(fold.contains("id=\"label\"") && fold.contains("aria-invalid=\"true\" autofocus"))
      #expect(refused.text.components(separatedBy: " autofocus").count == 2, "One element has the focus.")
    }
  }
}
