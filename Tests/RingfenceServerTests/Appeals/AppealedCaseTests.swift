// SPDX-License-Identifier: Apache-2.0

import Jobs
import CallerPack
import Curation
import Foundation
import HTTPTypes
import Hummingbird
import Moderation
import ModerationSite
import PostgreSQL
import Publishing
import Storage
import TestSupport
import Testing

@testable import RingfenceCommand

/// No appeal stays open behind a decision, and no decision is made behind an open appeal.
@Suite(.database) struct AppealedCaseTests {
  private let number: Int64 = 33_199_001_021
  private var uri: String { "/moderation/numbers/\(number)" }
  private var appeals: AppealStore { AppealStore(pool: pool) }
  private var decisions: DecisionStore { DecisionStore(pool: pool) }
  private var decisionService: DecisionService { DecisionService(pool: pool) }
  private var publications: PublicationStore { PublicationStore(pool: pool) }

  /// Lists the number and files an appeal.
  /// - Returns: the address of the ticket.
  private func appeal(_ server: TestServer) async throws -> String {
    let time = Date()
    try await pool.execute(
      "INSERT INTO listings (number, category_id, serial, listed_at) VALUES (\(number), 1, 1, \(time))")
    return try await file(server)
  }

  /// Files an appeal.
  /// - Returns: the address of the ticket.
  private func file(_ server: TestServer) async throws -> String {
    let visitor = Visitor(server)
    let form = try await visitor.get("/appeal").text
    let stamp = String(try #require(form.firstMatch(of: /name="stamp" value="([^"]+)"/)?.1))
    return try await visitor.post(
      "/appeal",
      ["number": "+33 1 99 00 10 21", "statement": "It is mine.", "contact": "owner@example.org", "stamp": stamp]
    ).location
  }

  private func states() async throws -> [Appeal.State] { try await appeals.appeals(of: number).map(\.state) }

  /// The job of the server has no schedule here, so that only the revocation can cause a publication.
  @Test func `an upheld appeal leaves the published packs without a scheduled publication`() async throws {
    let others: [Int64] = [number + 1, number + 2]
    let reports = ([number] + others).flatMap { number in
      (0..<12).map { reporter in
        Report(
          number: number, appID: 1, reportID: UUID(), reportedAt: Date() - 60, category: .fraud,
          reporter: [UInt8](repeating: UInt8(reporter), count: 16))
      }
    }
    _ = try await ReportStore(pool: pool).accept(reports, receivedAt: Date())
    try await ThresholdStore(pool: pool).beLenient()
    try await TestServer.run(configure: { $0.site.appealDelay = 0 }) { server in
      let key = SigningKey()
      let publisher = Publisher(
        store: publications, folder: server.folder, signing: { key }, logger: .forTests)
      let job = PublicationScheduler(
        publisher: publisher, leases: LeaseStore(pool: pool), schedule: CurrentSchedule(), logger: .forTests)
      /// The numbers of a pack of the signed manifest, as an app downloads them.
      func published() async throws -> (serial: Int, numbers: [Int64]) {
        let answer = try await server.client.execute(uri: "/v1/manifest.json", method: .get)
        let head = try TrustStore(key: key.verifying)
          .verify(manifest: Data(answer.body.readableBytesView), at: Date()).head
        var parts = ManifestReader(head)
        while let part = parts.missing.first {
          let file = try await server.client.execute(uri: "/v1/\(part.path)", method: .get)
          try parts.add(Array(file.body.readableBytesView), as: part)
        }
        let pack = try #require(parts.manifest.packs.first { $0.name == "toxic" })
        let file = try await server.client.execute(uri: "/v1/\(pack.path)", method: .get)
        let cursor = try PackReader(bytes: Array(file.body.readableBytesView)).makeCursor()
        var numbers: [Int64] = []
        while try cursor.next() { numbers.append(cursor.entry.number) }
        return (Int(parts.manifest.serial), numbers)
      }
      _ = try await publisher.publish(at: Date())
      #expect(try await published() == (1, [number] + others))
      let ticket = try await file(server)
      #expect(try await job.runOnce() == false)

      let client = try await ModeratorClient.signIn(server, as: "Ada")
      let done = try await client.send(
        try await client.page("\(uri)?queue=1"), to: "\(uri)/decision", [("decision", "uphold"), ("words", "Sorry.")])
      #expect(done.status == .seeOther)
      let waiting = try await Visitor(server).get(ticket).text
      #expect(waiting.contains("Sorry.") && waiting.contains("The number is being removed from the list."))

      #expect(try await job.runOnce() == true)
      #expect(try await published() == (2, others))
      let status = try await Visitor(server).get(ticket).text
      #expect(status.contains("upheld") && status.contains("The number is off our list and stays off."))
      #expect(try await publications.openRevocations() == [])
    }
  }

  @Test func `a decision that answers an appeal does not expire`() async throws {
    try await TestServer.run(configure: { $0.site.appealDelay = 0 }) { server in
      _ = try await appeal(server)
      let allow = try Decision(
        number: number, treatment: .allow, reason: "It is yours.", decidedBy: "Ada", decidedAt: Date(),
        expiresAt: Date() + 30 * 86_400)
      #expect(try await decisionService.record(allow) == .recorded)
      #expect(try await states() == [.upheld])
      #expect(try await decisions.history(of: number).map(\.expiresAt) == [nil])
      #expect(try await decisionService.expire(at: Date() + 400 * 86_400) == 0)
      #expect(try await decisions.standing(of: number)?.decisionID == allow.id)
      #expect(try await states() == [.upheld])
    }
  }

  /// The form was sent again after its decision was undone: the decision cannot come into force again.
  @Test func `the form of an undone decision upholds nothing`() async throws {
    try await TestServer.run(configure: { $0.site.appealDelay = 0 }) { server in
      _ = try await appeal(server)
      let client = try await ModeratorClient.signIn(server, as: "Ada")
      let page = try await client.page(uri)
      let uphold = [("decision", "uphold"), ("words", "Sorry.")]
      #expect(try await client.send(page, to: "\(uri)/decision", uphold).status == .seeOther)
      let made = try #require(try await decisions.standing(of: number))
      _ = try await decisionService.undo(made.decisionID, of: number, decidedBy: "Ada", at: Date())
      #expect(try await states() == [.open])
      let refused = try await client.send(page, to: "\(uri)/decision", uphold)
      #expect(refused.status == .conflict && refused.text.contains("Sorry."))
      #expect(try await states() == [.open])
      #expect(try await decisions.standing(of: number) == nil)
      #expect(try await decisions.history(of: number).count == 2)
    }
  }

  @Test func `an appealed number is not protected before its owner has an answer`() async throws {
    try await TestServer.run(configure: { $0.site.appealDelay = 0 }) { server in
      _ = try await appeal(server)
      let chief = try await ModeratorClient.signIn(server, as: "Chief", role: .administrator)
      let page = try await chief.page(uri)
      #expect(!page.contains(#"value="protect""#))
      let refused = try await chief.send(
        page, to: "\(uri)/decision", [("decision", "protect"), ("reason", "A hospital."), ("note", "Kept.")])
      #expect(refused.status == .unprocessableContent && refused.text.contains("Kept."))
      #expect(try await ProtectionStore(pool: pool).rule(for: number) == nil)
      #expect(try await states() == [.open])
    }
  }

  @Test func `rejecting an appeal needs a reply and closes it`() async throws {
    try await TestServer.run(configure: { $0.site.appealDelay = 0 }) { server in
      let ticket = try await appeal(server)
      let client = try await ModeratorClient.signIn(server, as: "Ada")
      let page = try await client.page(uri)
      let refused = try await client.send(page, to: "\(uri)/decision", [("decision", "reject"), ("note", "Kept.")])
      #expect(refused.status == .unprocessableContent && refused.text.contains("Kept."))
      #expect(refused.text.contains("Write an answer to the owner."))
      let done = try await client.send(
        refused.text, to: "\(uri)/decision", [("decision", "reject"), ("words", "The calls continue.")])
      #expect(done.status == .seeOther)
      #expect(try await states() == [.rejected])
      #expect(try await decisions.standing(of: number) == nil)
      // The owner sees nothing of it while it can be undone.
      #expect(try await !isShown(ticket, server))
      let after = try await client.page(try #require(done.headers[.location]))
      #expect(after.contains("Appeal rejected") && after.contains("The owner sees the answer after 5 minutes."))
      let rejection = String(try #require(after.firstMatch(of: /name="rejection" value="(\d+)"/)?.1))
      let undone = try await client.send(after, to: "\(uri)/undo", [("rejection", rejection)])
      #expect(try await client.page(try #require(undone.headers[.location])).contains("Appeal open again"))
      #expect(try await states() == [.open])
      #expect(try await QueueStore(pool: pool).find(number)?.causes.contains(.appeal) == true)
      #expect(try await AuditLog(pool: pool).events(AuditFilter(action: "appeal.undo"), limit: 5).count == 1)
      // The answer is in the form again, on both pages with the form; typed text has precedence.
      let answered = "/moderation/appeals/\(number)"
      #expect(try await client.page(uri).contains(">The calls continue.</textarea>"))
      #expect(try await client.page(answered).contains(">The calls continue.</textarea>"))
      let emptied = try await client.send(
        try await client.page(answered), to: answered, [("decision", "reject"), ("words", "")])
      #expect(emptied.status == .unprocessableContent && !emptied.text.contains(">The calls continue.</textarea>"))

      let again = try await client.send(
        try await client.page(uri), to: "\(uri)/decision", [("decision", "reject"), ("words", "They do continue.")])
      #expect(again.status == .seeOther)
      // A button of the first rejection does not undo the second.
      _ = try await client.send(after, to: "\(uri)/undo", [("rejection", rejection)])
      #expect(try await states() == [.rejected])
      // A later answer ends the draft.
      #expect(try await appeals.undoneAnswer(of: number) == nil)
      try await pool.execute("UPDATE appeals SET answered_at = answered_at - interval '5 minutes'")
      #expect(try await isShown(ticket, server))
      let late = try await client.page(uri)
      #expect(!late.contains("name=\"rejection\""))
      let time = try #require(try await AppealStore(pool: pool).appeals(of: number).first?.answeredAt)
      let token = String(try #require(late.firstMatch(of: /name="csrf" value="([0-9a-f]{64})"/)?.1))
      let tooLate = try await client.post(
        "\(uri)/undo", [("rejection", "\(Int64((time.timeIntervalSince1970 * 1_000_000).rounded()))")], token: token)
      #expect(try await client.page(try #require(tooLate.headers[.location])).contains("Nothing was undone"))
      #expect(try await states() == [.rejected])
    }
  }

  @Test func `the statement and the contact are above the answer`() async throws {
    try await TestServer.run(configure: { $0.site.appealDelay = 0 }) { server in
      _ = try await appeal(server)
      let page = try await ModeratorClient.signIn(server, as: "Ada").page(uri)
      let decide = try #require(page.firstRange(of: "id=\"decide-title\""))
      let statement = try #require(page.firstRange(of: "It is mine."))
      let contact = try #require(page.firstRange(of: "owner@example.org"))
      let answer = try #require(page.firstRange(of: "id=\"words\""))
      #expect(decide.lowerBound < statement.lowerBound && statement.lowerBound < contact.lowerBound)
      #expect(contact.lowerBound < answer.lowerBound)
      let triage = try await ModeratorClient.signIn(server, as: "Tim", role: .triage).page(uri)
      #expect(triage.contains("It is mine.") && !triage.contains("owner@example.org"))
    }
  }

  @Test func `the owner reads how long an answer takes once thirty are known`() async throws {
    try await TestServer.run(configure: { $0.site.appealDelay = 0 }) { server in
      let ticket = try await appeal(server)
      try await fillAnswers(29)
      #expect(try await !Visitor(server).get(ticket).text.contains("recent appeals"))
      try await fillAnswers(30)
      #expect(
        try await Visitor(server).get(ticket).text.contains("Half of the recent appeals were answered within 16 hours.")
      )
    }
  }

  /// Appeals that were answered after 1, 2, 3 … hours.
  private func fillAnswers(_ count: Int) async throws {
    try await pool.execute(
      """
      INSERT INTO appeals (number, appeal_id, state, statement, filed_at, answered_by, answered_at)
      SELECT 33199000900 + i, gen_random_uuid(), 'upheld', 'Mine.', now() - make_interval(hours => (100 + i)::integer), 'Ada',
             now() - make_interval(hours => 100)
      FROM generate_series(1, \(count)) i WHERE NOT EXISTS (SELECT 1 FROM appeals a WHERE a.number = 33199000900 + i)
      """)
  }

  /// Whether the page of a ticket shows an answer.
  private func isShown(_ ticket: String, _ server: TestServer) async throws -> Bool {
    let page = try await Visitor(server).get(ticket).text
    let (isOpen, isAnswered) = (page.contains("waiting for a moderator"), page.contains("continue."))
    #expect(isOpen != isAnswered && isAnswered == page.contains(">rejected<"))
    return isAnswered
  }

  @Test func `the triage role can only escalate an appeal`() async throws {
    try await TestServer.run(configure: { $0.site.appealDelay = 0 }) { server in
      _ = try await appeal(server)
      let triage = try await ModeratorClient.signIn(server, as: "Tim", role: .triage)
      let page = try await triage.page(uri)
      #expect(!page.contains(#"value="uphold""#) && page.contains("Only a moderator can answer it."))
      for (decision, status) in [("uphold", 403), ("allow", 422)] {
        let answer = try await triage.send(page, to: "\(uri)/decision", [("decision", decision), ("words", "x")])
        #expect(answer.status.code == status, "\(decision)")
      }
      #expect(try await states() == [.open])
    }
  }

  @Test func `every decision to allow a number upholds its appeal`() async throws {
    try await TestServer.run(configure: { $0.site.appealDelay = 0 }) { server in
      let ticket = try await appeal(server)
      let allow = try Decision(
        number: number, treatment: .allow, reason: "It is yours.", decidedBy: "Ada", decidedAt: Date())
      #expect(try await decisionService.record(allow, revoking: .remove) == .recorded)
      #expect(try await states() == [.upheld])
      #expect(try await publications.openRevocations().map(\.action) == [.remove])
      #expect(try await Visitor(server).get(ticket).text.contains("It is yours."))

      _ = try await decisionService.undo(allow.id, of: number, decidedBy: "Ada", at: Date())
      #expect(try await states() == [.open])
      #expect(try await QueueStore(pool: pool).find(number)?.causes.contains(.appeal) == true)
    }
  }

  @Test func `a block is refused and a bulk decision skips a number with an appeal`() async throws {
    try await TestServer.run(configure: { $0.site.appealDelay = 0 }) { server in
      _ = try await appeal(server)
      let block = try Decision(
        number: number, treatment: .block, reason: "Calls.", decidedBy: "Ada", decidedAt: Date())
      await #expect(throws: RuleViolation(.appealOpen, field: "appeal")) { try await decisionService.record(block) }
      let client = try await ModeratorClient.signIn(server, as: "Ada")
      let page = try await client.page(uri)
      let refused = try await client.send(
        page, to: "\(uri)/decision", [("decision", "block"), ("reason", "Calls."), ("note", "Kept."), ("confirm", "1")])
      #expect(refused.status == .unprocessableContent && refused.text.contains("Uphold or reject the appeal first."))
      #expect(refused.text.contains("Kept."))
      let list = try await client.page("/moderation/queue")
      let form = try await client.send(list, to: "/moderation/bulk/preview", [("number", "\(number)")])
      #expect(form.text.contains("an appeal about it is open"))
      for decision in ["allow", "block"] {
        let bulks = BulkStore(pool: pool)
        let bulkService = BulkService(pool: pool)
        let bulk = Bulk(
          treatment: try #require(Decision.Treatment(rawValue: decision)), reason: "Calls.",
          worker: Actor(name: "Ada", role: .moderator), decidedAt: Date())
        #expect(try await bulkService.apply(bulk, to: try await bulks.items([number])) == [number])
      }
      #expect(try await states() == [.open])
      #expect(try await decisions.history(of: number).isEmpty)
    }
  }

  @Test func `undo restores cause, level and waiting time`() async throws {
    let queue = QueueStore(pool: pool)
    let claims = ClaimService(pool: pool)
    let since = Date(timeIntervalSince1970: 1_795_000_000)
    let ada = Actor(name: "Ada", role: .moderator)
    let finding = BrigadeDetection.Finding(reason: .oneDay(peak: 12, reporters: 13, others: 1), reporters: [])
    _ = try await HoldStore(pool: pool).hold([(number, finding)], at: since)
    _ = try await pool.run(SQL.enqueueCases([(number, .held)], at: since))
    #expect(try await claims.escalate(number, by: ada, at: since))
    let before = try #require(try await queue.find(number))
    let decision = try Decision(
      number: number, treatment: .allow, reason: "Mine.", decidedBy: "Ada", decidedAt: since + 60)
    _ = try await decisionService.record(decision)
    #expect(try await queue.find(number) == nil)
    _ = try await decisionService.undo(decision.id, of: number, decidedBy: "Ada", at: since + 120)
    let after = try #require(try await queue.find(number))
    #expect((after.causes, after.since, after.level) == (before.causes, before.since, before.level))
    let explanation = try await ExplanationStore(pool: pool).explain(number, at: since + 120)
    #expect(explanation.verdict == .held)
  }
}
