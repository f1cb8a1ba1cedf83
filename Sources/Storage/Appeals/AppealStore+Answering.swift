// SPDX-License-Identifier: Apache-2.0

public import Curation
public import Foundation
import PostgreSQL

extension AppealStore {
  /// Answers all open appeals about a number.
  ///
  /// Upholding them allows the number and, where it is listed, requests its revocation, in the same transaction as the
  /// answer. Contacts are deleted 30 days later.
  /// - Parameters:
  ///   - expected: the open appeals that the moderator saw; nil for all that are open.
  ///   - moderator: 1 to 80 characters.
  ///   - answer: text for the owner; nil gives only the outcome.
  ///   - decisionID: of the decision to allow the number, where the appeals are upheld.
  /// - Throws: `RuleViolation`; `PostgresError`.
  public func settle(
    _ number: Int64, expecting expected: Set<UUID>? = nil, as state: Appeal.State, by moderator: String, role: Role,
    answer: String?, decisionID: UUID = UUID(), at time: Date
  ) async throws -> AnswerOutcome {
    try await settle(
      number, expecting: expected, as: state, by: moderator, role: role, answer: answer, decisionID: decisionID,
      at: time, noting: UUID())
  }

  /// As above. Safe to call again with the same event, because a transaction is repeated when its commit was in doubt.
  func settle(
    _ number: Int64, expecting expected: Set<UUID>?, as state: Appeal.State, by moderator: String, role: Role,
    answer: String?, decisionID: UUID = UUID(), at time: Date, noting eventID: UUID
  ) async throws -> AnswerOutcome {
    let decision = try Decision(
      id: decisionID, number: number, treatment: .allow, reason: "An appeal was upheld.", decidedBy: moderator,
      decidedAt: time)
    return try await pool.transaction { connection in
      _ = try await connection.run(SQL.lockAppeals(number: number))
      let appeals = try await connection.run(SQL.readAppealsOf(number: number))
      if try await connection.hasMade(eventID, at: time) {
        return .answered(appeals.count { $0.isAnswered(state, by: moderator, at: time) })
      }
      let open = appeals.filter { $0.state == .open }
      guard !open.isEmpty else { return .nothingOpen }
      guard expected == nil || Set(open.map(\.id)) == expected else { return .changed }
      // The form of a decision that was undone: its id cannot come into force again.
      if state == .upheld {
        let history = try await connection.run(SQL.readDecisions(number: number))
        guard !history.contains(where: { $0.id == decision.id }) else { return .changed }
      }
      let answers = try open.map { try $0.answered(state, by: moderator, at: time, answer: answer) }
      let behind = state == .upheld ? decision.id : nil
      for appeal in answers { _ = try await connection.run(SQL.answerAppeal(appeal: appeal, decision: behind)) }
      let listing = try await connection.run(SQL.readListing(number: number)).first
      if state == .upheld {
        let item = try await connection.run(SQL.readCase(number: number)).first
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
      _ = try await connection.run(SQL.schedulePurge(number: number, time: time + Self.contactsKept))
      if state == .upheld {
        _ = try await connection.run(SQL.settleCase(number: number))
      } else {
        // The case is evaluated again: it leaves the queue where only the appeal kept it there.
        _ = try await connection.run(SQL.enqueueCases([(number, .appeal)], at: time))
      }
      let event = AuditEvent(
        id: eventID, actor: moderator, role: role, action: state == .upheld ? "appeal.uphold" : "appeal.reject",
        subject: "+\(number)",
        before: ["listed": listing?.category.slug ?? "no", "open_appeals": "\(open.count)"],
        after: ["state": state.rawValue], reason: answers.first?.answer)
      _ = try await connection.run(SQL.appendAuditEvent(event, at: time))
      return .answered(open.count)
    }
  }

  /// Open appeals after a cursor, the oldest first.
  public func open(after place: AppealCursor?, limit: Int) async throws -> [Appeal] {
    try await pool.run(SQL.readOpenAppeals(after: place, limit: limit))
  }

  /// Answered appeals before a cursor, the newest answer first.
  public func answered(before place: AppealCursor?, limit: Int) async throws -> [Appeal] {
    try await pool.run(SQL.readAnsweredAppeals(before: place, limit: limit))
  }

  /// Number of open appeals.
  public func openCount() async throws -> Int64 {
    try await pool.run(SQL.countOpenAppeals()).first ?? 0
  }
}

extension Appeal {
  /// Whether this answer is the one that was given then, to the microsecond that is stored.
  fileprivate func isAnswered(_ state: State, by moderator: String, at time: Date) -> Bool {
    self.state == state && answeredBy == moderator
      && answeredAt.map { abs($0.timeIntervalSince(time)) < 0.000_001 } == true
  }
}
