// SPDX-License-Identifier: Apache-2.0

package import Curation
package import Foundation
package import PostgreSQL
package import Storage
import Support

/// Files and answers appeals of the owners of numbers.
package struct AppealService: Sendable {
  private let pool: PostgresPool
  private let reviews: ReviewPolicy

  package init(pool: PostgresPool, reviews: ReviewPolicy = .standard) {
    self.pool = pool
    self.reviews = reviews
  }

  /// Files a person's statement, or joins it to the open appeal about the number. The same transaction consumes the
  /// form, unless there is no place for the statement.
  /// - Parameters:
  ///   - ticket: code for the person; the same for a form that is sent again.
  ///   - stamp: 16 unique bytes of the form, the time until which it can be sent.
  ///   - givesTicket: whether the ticket is made of the stamp, so that a mail can contain it.
  ///   - origin: network and area of the sender; see `FilingPlaces`.
  package func file(
    _ filing: AppealFiling, ticket: AppealTicket, stamp: (id: [UInt8], expiresAt: Date), givesTicket: Bool = false,
    from origin: FilingOrigin = .unknown
  ) async throws -> FilingOutcome {
    let first = try Appeal(number: filing.number, statement: filing.statement, filedAt: filing.filedAt)
    do {
      return try await pool.transaction { connection in
        guard try await !connection.run(SQL.spendStamp(stamp: stamp.id, expiresAt: stamp.expiresAt)).isEmpty else {
          // A second click, or a repeated transaction after a commit in doubt.
          let kept = try await connection.run(SQL.findFiling(ticketHash: ticket.hash)).first
          return kept.map { ($0.number, $0.statement) == (filing.number, filing.statement) } == true
            ? .filedBefore : .stampSpent
        }
        return try await connection.file(
          filing, or: first, ticketHash: ticket.hash, stamp: givesTicket ? stamp.id : nil, from: origin)
      }
    } catch is NoPlace {
      return .crowded
    }
  }

  /// The case that ends with the answer, for the figures of the team: a rejection leaves it open for its other causes.
  private static func handled(_ item: QueueCase?, as state: Appeal.State) -> [String: String] {
    guard let item, state == .upheld || item.causes == QueueCauses([.appeal]) else { return [:] }
    return item.auditedFields
  }

  /// Answers all open appeals about a number.
  ///
  /// Upholding them allows the number and, where it is listed, requests its revocation, in the same transaction as the
  /// answer. Contacts are deleted 30 days later.
  /// - Parameters:
  ///   - expected: the open appeals that the moderator saw; nil for all that are open.
  ///   - again: whether the last rejection is answered again where no appeal is open.
  ///   - answer: text for the owner; nil gives only the outcome.
  ///   - decisionID: of the decision to allow the number, where the appeals are upheld.
  /// - Throws: `RuleViolation`; `PostgresError`.
  package func settle(
    _ number: Int64, expecting expected: Set<UUID>? = nil, again: Bool = false, as state: Appeal.State,
    by moderator: Actor, answer: String?, decisionID: UUID = UUID(), at time: Date
  ) async throws -> AnswerOutcome {
    let decision = try Decision(
      id: decisionID, number: number, treatment: .allow, reason: "An appeal was upheld.", decidedBy: moderator.name,
      decidedAt: time)
    return try await pool.change(at: time) { connection in
      _ = try await connection.run(SQL.lockAppeals(number: number))
      let appeals = try await connection.run(SQL.readAppealsOf(number: number))
      var open = appeals.filter { $0.state == .open }
      if open.isEmpty, again, let last = appeals.last, last.state == .rejected {
        open = [last]
      }
      guard !open.isEmpty else { return .none(.nothingOpen) }
      guard expected == nil || Set(open.map(\.id)) == expected else { return .none(.changed) }
      // The owner gets the new answer, and not the former one too.
      if again { _ = try await connection.run(SQL.withdrawAnswers(appeals: open.map(\.id))) }
      // The form of a decision that was undone: its id cannot come into force again.
      if state == .upheld {
        let history = try await connection.run(SQL.readDecisions(number: number))
        guard !history.contains(where: { $0.id == decision.id }) else { return .none(.changed) }
      }
      let answers = try open.map { try $0.answered(state, by: moderator.name, at: time, answer: answer) }
      let behind = state == .upheld ? decision.id : nil
      let item = try await connection.run(SQL.readCase(number: number)).first
      for appeal in answers {
        let answer = SQL.answerAppeal(appeal: appeal, decision: behind, case: state == .rejected ? item : nil)
        _ = try await connection.run(answer)
      }
      let listing = try await connection.run(SQL.readListing(number: number)).first
      if state == .upheld {
        // The appeals are answered by now, so the rule does not find them.
        var rule = try await connection.run(SQL.readAllowRule(number: number)).first
        rule?.isAppealed = true
        let dated = try await connection.following(decision)
        _ = try await connection.add(SQL.addDecision(dated, ending: item), to: dated.number)
        if let rule { try await connection.openReview(of: dated, rule, by: reviews) }
        if listing != nil, let revocation = Revocation(carryingOut: decision) {
          _ = try await connection.run(SQL.requestRevocation(revocation))
        }
      }
      try await connection.mail(answers, at: time)
      _ = try await connection.run(SQL.schedulePurge(number: number, time: time + RetainedData.contactsKept))
      if state == .upheld {
        _ = try await connection.run(SQL.settleCase(number: number))
      } else {
        // The case is evaluated again: it leaves the queue where only the appeal kept it there.
        _ = try await connection.run(SQL.enqueueCases([(number, .appeal)], at: time))
      }
      let event = moderator.did(
        state == .upheld ? .appealUphold : .appealReject, to: number,
        before: [
          "listed": listing?.category.slug ?? "no", "open_appeals": "\(appeals.count { $0.state == .open })",
        ],
        after: ["state": state.rawValue].merging(Self.handled(item, as: state)) { $1 }, because: answers.first?.answer)
      return .made(event, .answered(open.count))
    }
  }

  /// Undoes a rejection within `Appeal.undoWindow`: the appeals are open again, and the number is queued.
  /// - Parameter answeredAt: the time of the rejection, which identifies it.
  /// - Returns: false where it is too late, or there is no such rejection.
  package func undoRejection(
    _ number: Int64, answeredAt: Date, by worker: Actor, at time: Date
  ) async throws -> Bool {
    guard time < answeredAt + Appeal.undoWindow else { return false }
    return try await pool.change(at: time) { connection in
      _ = try await connection.run(SQL.lockAppeals(number: number))
      let reopen = SQL.reopenRejected(number: number, answeredAt: answeredAt)
      let reopened = try await connection.run(reopen)
      guard let former = reopened.first else { return .none(false) }
      _ = try await connection.run(SQL.withdrawAnswers(appeals: reopened.map(\.id)))
      _ = try await connection.pipeline(
        SQL.enqueueCases([(number, .appeal)], at: time),
        SQL.raiseCase(
          number: number, account: worker.name, level: former.level, colleague: former.colleague))
      let event = worker.did(
        .appealUndo, to: number, before: ["state": Appeal.State.rejected.rawValue],
        after: ["state": Appeal.State.open.rawValue])
      return .made(event, true)
    }
  }
}

package enum FilingOutcome: Sendable, Equatable {
  /// A new appeal was opened.
  case filed
  /// Another appeal about the number was open; both are answered together.
  case joined
  /// This filing, with this ticket, is stored already.
  case filedBefore
  /// The form had been used before; nothing was stored.
  case stampSpent
  /// All places for people who appeal about the number are taken; nothing was stored, and the form can be sent again.
  case crowded
}

package enum AnswerOutcome: Sendable, Equatable {
  /// The answer was stored for this many appeals about the number.
  case answered(Int)
  /// No appeal about the number was open: somebody else has answered.
  case nothingOpen
  /// Another appeal was filed since the moderator opened the page; nothing was answered.
  case changed
}

/// Rolls back the filing of a statement that has no place: its form can be sent again.
private struct NoPlace: Error {}

extension PostgresConnection {
  /// - Parameter first: the appeal that is opened where none is open.
  /// - Throws: `NoPlace`.
  fileprivate func file(
    _ filing: AppealFiling, or first: Appeal, ticketHash: [UInt8], stamp: [UInt8]?, from origin: FilingOrigin
  ) async throws -> FilingOutcome {
    _ = try await run(SQL.lockAppeals(number: filing.number))
    let open = try await run(SQL.readAppealsOf(number: filing.number)).first { $0.state == .open }
    if let open {
      // A proven owner has a place even if all are taken.
      if !filing.isObjection { try await makePlace(for: origin, in: open) }
    } else {
      try await self.open(first)
    }
    let id = open?.id ?? first.id
    if filing.isObjection { _ = try await run(SQL.markObjection(number: filing.number, appealID: id)) }
    _ = try await run(SQL.addFiling(filing: filing, appealID: id, ticketHash: ticketHash, origin: origin))
    if let contact = filing.contact {
      let add = SQL.addContact(filing, contact: contact, ticketHash: ticketHash, appealID: id, stamp: stamp)
      _ = try await run(add)
    }
    _ = try await run(SQL.enqueueCases([(filing.number, .appeal)], at: filing.filedAt))
    return open == nil ? .filed : .joined
  }

  private func makePlace(for origin: FilingOrigin, in appeal: Appeal) async throws {
    let held = try await run(SQL.readFilingPlaces(number: appeal.number, appealID: appeal.id))
    switch FilingPlaces.answer(to: origin, among: held.map(\.origin)) {
    case .free: return
    case .inPlaceOf(let index):
      _ = try await run(SQL.displaceFiling(number: appeal.number, ticketHash: held[index].ticketHash))
      // No page shows the contact of a displaced filing, so it is deleted.
      _ = try await run(SQL.dropContact(number: appeal.number, ticketHash: held[index].ticketHash))
    case .none: throw NoPlace()
    }
  }
}

extension PostgresConnection {
  /// Queues a mail with the answer to each person who left an address. It waits, because most answers that are undone
  /// are undone at once.
  func mail(_ answers: [Appeal], at time: Date) async throws {
    for answer in answers {
      for contact in try await run(SQL.readContacts(number: answer.number, appealID: answer.id)) {
        guard let address = MailAddress(contact.contact) else { continue }
        let event = Event(
          .appealAnswered, at: time,
          [
            "number": .text("+\(answer.number)"), "state": .text(answer.state.rawValue),
            "answer": .text(answer.answer ?? ""), "appeal": .text(answer.id.uuidString),
            // The server that sends the mail makes the ticket of it.
            "stamp": .text(Hexadecimal.text(contact.stamp ?? [])),
          ])
        _ = try await run(
          SQL.queueMessage(
            event, to: "mailto:\(address.text)", language: contact.language, at: time + Appeal.undoWindow))
      }
    }
  }
}
