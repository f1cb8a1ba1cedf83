// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import PostgreSQL
import Storage
import TestSupport
import Testing

@testable import Moderation

@Suite(.database) struct AppealFilingTests {
  private let number: Int64 = 33_199_000_248

  private var store: AppealStore { AppealStore(pool: pool) }
  private var service: AppealService { AppealService(pool: pool) }

  private func filing(_ statement: String = "It is my shop.", contact: String? = nil) throws -> AppealFiling {
    try AppealFiling(number: number, statement: statement, contact: contact, filedAt: now)
  }

  private func stamp(_ byte: UInt8) -> (id: [UInt8], expiresAt: Date) {
    ([UInt8](repeating: byte, count: 16), now + 7_200)
  }

  private func count(_ query: PostgresQuery) async throws -> Int64 {
    try await pool.column(query)[0]
  }

  @Test func `an appeal of the same number joins the open one and each ticket is private`() async throws {
    let (first, second) = (AppealTicket(), AppealTicket())
    #expect(try await service.file(try filing("<b>Mine</b>"), ticket: first, stamp: stamp(1)) == .filed)
    #expect(
      try await service.file(try filing("Ours", contact: "a@example.org"), ticket: second, stamp: stamp(2)) == .joined)
    #expect(try await store.appeals(of: number).count == 1)
    #expect(try await store.status(of: first, at: now)?.appeal.statement == "<b>Mine</b>")
    let other = try #require(try await store.status(of: second, at: now))
    #expect(other.appeal.statement == "Ours" && other.appeal.state == .open && other.listing == nil)
    #expect(try await store.status(of: AppealTicket(), at: now) == nil)
    #expect(Set(try await store.filings(of: number).map(\.contact)) == [nil, "a@example.org"])
    #expect(try await count("SELECT count(*) FROM queue WHERE number = \(number)") == 1)
    // The stored hash is not the ticket.
    #expect(
      try await count("SELECT count(*) FROM appeal_filings WHERE encode(ticket_hash, 'escape') = \(first.code)") == 0)
  }

  @Test func `a form stamp is valid once even for simultaneous requests`() async throws {
    let statement = try filing()
    let outcomes = try await withThrowingTaskGroup(of: FilingOutcome.self) { group in
      for _ in 0..<4 {
        group.addTask { try await service.file(statement, ticket: AppealTicket(), stamp: stamp(7)) }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(outcomes.count { $0 == .filed } == 1 && outcomes.count { $0 == .stampSpent } == 3)
    let ticket = AppealTicket()
    #expect(try await service.file(statement, ticket: ticket, stamp: stamp(8)) == .joined)
    #expect(try await service.file(statement, ticket: ticket, stamp: stamp(8)) == .filedBefore)
    #expect(try await service.file(try filing("Other words"), ticket: ticket, stamp: stamp(8)) == .stampSpent)
    #expect(try await count("SELECT count(*) FROM appeal_filings") == 2)
    #expect(try await store.purge(at: now + 7_201) == 0)
    #expect(try await count("SELECT count(*) FROM used_form_stamps") == 0)
  }

  private func origin(_ network: UInt8, area: UInt8 = 1) -> FilingOrigin {
    FilingOrigin(network: [UInt8](repeating: network, count: 8), area: [UInt8](repeating: area, count: 8))
  }

  @Test func `the number of filings for one number is limited`() async throws {
    for index in 0..<FilingPlaces.most {
      let outcome = try await service.file(
        try filing("\(index)"), ticket: AppealTicket(), stamp: stamp(UInt8(index)), from: origin(1))
      #expect(outcome == (index == 0 ? .filed : .joined))
    }
    #expect(
      try await service.file(try filing(), ticket: AppealTicket(), stamp: stamp(200), from: origin(1)) == .crowded)
    // The form was not consumed: it is valid when there is a place again.
    #expect(try await count("SELECT count(*) FROM used_form_stamps") == Int64(FilingPlaces.most))
    #expect(
      try await service.file(try filing("Again"), ticket: AppealTicket(), stamp: stamp(200), from: origin(2)) == .joined
    )
  }

  @Test func `an objection of a proven owner has a place where all are taken`() async throws {
    for index in 0..<UInt8(FilingPlaces.most) {
      let taker = origin(index, area: index)
      _ = try await service.file(try filing(), ticket: AppealTicket(), stamp: stamp(index), from: taker)
    }
    #expect(try await service.file(try filing(), ticket: AppealTicket(), stamp: stamp(100)) == .crowded)
    var objection = try filing("I object.")
    objection.isObjection = true
    #expect(try await service.file(objection, ticket: AppealTicket(), stamp: stamp(100)) == .joined)
    #expect(try await store.appeals(of: number).map(\.isObjection) == [true])
  }

  @Test func `a flood from one network does not displace filings of another`() async throws {
    let tickets = (0..<FilingPlaces.most).map { _ in AppealTicket() }
    for (index, ticket) in tickets.enumerated() {
      let words = try AppealFiling(
        number: number, statement: "\(index)", contact: "me", filedAt: now + Double(index))
      _ = try await service.file(words, ticket: ticket, stamp: stamp(UInt8(index)), from: origin(1))
    }
    let owner = AppealTicket()
    #expect(try await service.file(try filing("Mine"), ticket: owner, stamp: stamp(100), from: origin(2)) == .joined)
    let kept = try await store.filings(of: number)
    #expect(kept.count == FilingPlaces.most && kept.contains { $0.statement == "Mine" })
    // The newest filing of the flood was replaced, with its contact; its ticket still leads to the answer.
    #expect(!kept.contains { $0.statement == "49" } && kept.contains { $0.statement == "48" })
    #expect(try await count("SELECT count(*) FROM appeal_contacts") == 49)
    #expect(try await store.status(of: tickets[49], at: now)?.appeal.statement == "49")
    // The flood continues, and regains no place.
    #expect(
      try await service.file(try filing("More"), ticket: AppealTicket(), stamp: stamp(101), from: origin(1)) == .crowded
    )
    // The origins of filings are deleted.
    _ = try await store.purge(at: now + 29 * 86_400)
    #expect(try await count("SELECT count(*) FROM appeal_filings WHERE network IS NOT NULL") == 51)
    _ = try await store.purge(at: now + 31 * 86_400)
    #expect(try await count("SELECT count(*) FROM appeal_filings WHERE network IS NOT NULL OR area IS NOT NULL") == 0)
  }

  @Test func `upholding an appeal allows and revokes the number in one transaction`() async throws {
    let (time, number) = (now, number)
    try await pool.execute(
      "INSERT INTO listings (number, category_id, serial, listed_at) VALUES (\(number), 1, 1, \(time))")
    let ticket = AppealTicket()
    _ = try await service.file(try filing(contact: "me"), ticket: ticket, stamp: stamp(1))
    let open = Set(try await store.appeals(of: number).map(\.id))
    #expect(
      try await service.settle(
        number, expecting: [UUID()], as: .upheld, by: Actor(name: "Ada", role: .moderator), answer: nil, at: now)
        == .changed)
    #expect(
      try await service.settle(
        number, expecting: open, as: .upheld, by: Actor(name: "Ada", role: .moderator), answer: "Sorry.", at: now)
        == .answered(1))
    #expect(
      try await service.settle(number, as: .rejected, by: Actor(name: "Bob", role: .moderator), answer: nil, at: now)
        == .nothingOpen
    )
    #expect(try await DecisionStore(pool: pool).standing(of: number)?.treatment == .allow)
    let revocations = try await PublicationStore(pool: pool).openRevocations()
    #expect(revocations.map(\.number) == [number] && revocations.first?.action == .unlist)
    let status = try #require(try await store.status(of: ticket, at: now))
    #expect(status.appeal.state == .upheld && status.appeal.answer == "Sorry." && status.decision == .allow)
    #expect(try await count("SELECT count(*) FROM audit_events WHERE action = 'appeal.uphold' AND actor = 'Ada'") == 1)
    // Contacts are deleted 30 days after the answer, and not before.
    #expect(try await store.purge(at: now + 30 * 86_400 - 60) == 0)
    #expect(try await store.purge(at: now + 30 * 86_400 + 60) == 1)
  }

  @Test func `an appeal decision whose commit was in doubt is found again`() async throws {
    for index in 0..<2 { _ = try await service.file(try filing(), ticket: AppealTicket(), stamp: stamp(UInt8(index))) }
    let open = Set(try await store.appeals(of: number).map(\.id))
    try await failFirstCommit()
    let outcome = try await service.settle(
      number, expecting: open, as: .upheld, by: Actor(name: "Ada", role: .moderator), answer: nil, at: now)
    #expect(outcome == .answered(1))
    #expect(try await DecisionStore(pool: pool).history(of: number).count == 1)
    #expect(try await count("SELECT count(*) FROM audit_events") == 1)
    // Another moderator's answer is still too late.
    #expect(
      try await service.settle(
        number, expecting: open, as: .upheld, by: Actor(name: "Bob", role: .moderator), answer: nil, at: now)
        == .nothingOpen)
  }

  @Test func `a ticket is accepted in any usual spelling`() throws {
    let ticket = AppealTicket()
    let typed = ticket.code.lowercased().replacing("-", with: " ").replacing("0", with: "o").replacing("1", with: "l")
    #expect(AppealTicket(typed) == ticket)
    let zero = "00000000"
    let last = AppealTicket(bytes: [UInt8](repeating: 0, count: 19) + [0b0010_0001])
    #expect(last?.code == "\(zero)-\(zero)-\(zero)-00000011" && AppealTicket(bytes: [1]) == nil)
    for wrong in ["", "abc", ticket.code + "A", String(repeating: "é", count: 32)] {
      #expect(AppealTicket(wrong) == nil)
    }
  }
}

extension AppealFilingTests {
  /// The receiver, language, first time and body of each queued mail.
  private func mails() async throws -> [(receiver: String, language: String, at: Date, body: String)] {
    try await pool.withConnection { connection in
      try await connection.query(
        "SELECT receiver, language, next_attempt_at, body FROM outbox WHERE event = 'appeal_answered' ORDER BY receiver"
      ).map { (try $0.decode(0), try $0.decode(1), try $0.decode(2), try $0.decode(3)) }
    }
  }

  @Test func `people who left a mail address get the answer when it cannot be undone any more`() async throws {
    for (index, contact) in ["owner@example.org", "call me at noon", "other@example.org"].enumerated() {
      let filing = try AppealFiling(
        number: number, statement: "Mine \(index)", contact: contact, filedAt: now, language: index == 2 ? "ru" : "en")
      _ = try await service.file(filing, ticket: AppealTicket(), stamp: stamp(UInt8(index)))
    }
    _ = try await service.settle(
      number, as: .rejected, by: Actor(name: "Ada", role: .moderator), answer: "No proof.", at: now + 60)
    let rejected = try await mails()
    #expect(rejected.map(\.receiver) == ["mailto:other@example.org", "mailto:owner@example.org"])
    #expect(rejected.map(\.language) == ["ru", "en"])
    #expect(rejected.allSatisfy { $0.at == now + 60 + Appeal.undoWindow })
    #expect(rejected[0].body.contains(#""answer":"No proof.""#) && rejected[0].body.contains(#""state":"rejected""#))
    // An undo takes the answer back before anybody is told.
    let ada = Actor(name: "Ada", role: .moderator)
    #expect(try await service.undoRejection(number, answeredAt: now + 60, by: ada, at: now + 90))
    #expect(try await mails().isEmpty)
    _ = try await service.settle(
      number, as: .upheld, by: Actor(name: "Ada", role: .moderator), answer: nil, at: now + 120)
    let upheld = try await mails()
    #expect(upheld.map(\.receiver) == ["mailto:other@example.org", "mailto:owner@example.org"])
    #expect(upheld.allSatisfy { $0.at == now + 120 + Appeal.undoWindow && $0.body.contains(#""state":"upheld""#) })
  }

  @Test func `a rejected appeal is answered again with everything that an answer does`() async throws {
    _ = try await service.file(try filing(contact: "owner@example.org"), ticket: AppealTicket(), stamp: stamp(1))
    let ada = Actor(name: "Ada", role: .moderator)
    func answer(_ state: Appeal.State, _ text: String?, at seconds: Double) async throws -> AnswerOutcome {
      try await service.settle(number, again: true, as: state, by: ada, answer: text, at: now + seconds)
    }
    #expect(try await answer(.rejected, "No.", at: 60) == .answered(1))
    #expect(try await answer(.rejected, "No, because it calls at night.", at: 120) == .answered(1))
    // The former answer is not mailed any more.
    #expect(try await mails().map { $0.body.contains("at night") } == [true])
    #expect(try await answer(.upheld, nil, at: 180) == .answered(1))
    #expect(try await mails().map { $0.body.contains("upheld") } == [true])
    #expect(try await DecisionStore(pool: pool).history(of: number).map(\.kind) == [.decision(.allow)])
    for (action, events) in [("appeal.reject", 2), ("appeal.uphold", 1)] {
      #expect(try await count("SELECT count(*) FROM audit_events WHERE action = \(action)") == events)
    }
    // Only the undoing of the decision opens it again.
    #expect(try await answer(.rejected, "No.", at: 240) == .nothingOpen)
  }

  @Test func `the end of a decision takes back the answers that it gave, and no others`() async throws {
    let (decisions, blocking, upholding) = (DecisionService(pool: pool), UUID(), UUID())
    let block = try Decision(
      id: blocking, number: number, treatment: .block, category: .fraud, reason: "Fraud.", decidedBy: "Bob",
      decidedAt: now)
    #expect(try await decisions.record(block) == .recorded)
    _ = try await service.file(try filing(contact: "owner@example.org"), ticket: AppealTicket(), stamp: stamp(1))
    _ = try await service.settle(
      number, as: .rejected, by: Actor(name: "Ada", role: .moderator), answer: "No.", at: now + 60)
    #expect(try await decisions.undo(blocking, of: number, decidedBy: "Bob", at: now + 90) == .undone)
    #expect(try await mails().map(\.receiver) == ["mailto:owner@example.org"])
    _ = try await service.file(try filing(contact: "other@example.org"), ticket: AppealTicket(), stamp: stamp(2))
    _ = try await service.settle(
      number, as: .upheld, by: Actor(name: "Ada", role: .moderator), answer: nil, decisionID: upholding, at: now + 120)
    #expect(try await mails().count == 2)
    #expect(try await decisions.undo(upholding, of: number, decidedBy: "Ada", at: now + 150) == .undone)
    #expect(try await mails().map(\.receiver) == ["mailto:owner@example.org"])
  }
}
