// SPDX-License-Identifier: Apache-2.0

package import Curation
package import Foundation
package import PostgreSQL
package import Storage

/// Records and ends decisions about numbers.
package struct DecisionService: Sendable {
  private let pool: PostgresPool
  private let reviews: ReviewPolicy

  package init(pool: PostgresPool, reviews: ReviewPolicy = .standard) {
    self.pool = pool
    self.reviews = reviews
  }

  /// Records a decision and puts it into force, settles the number's hold and removes the number from the queue. Safe
  /// to call again.
  ///
  /// Opens the decision's review where `ReviewPolicy` asks for one.
  ///
  /// A decision to allow a number upholds its open appeals and revokes its listing; its reason is the answer.
  ///
  /// Of two decisions about one number the one decided later is in force, in whatever order they are recorded.
  /// - Parameters:
  ///   - expected: the decision in force that the moderator saw.
  ///   - role: the moderator's role; commands act as administrator.
  ///   - action: the action that revokes the listing of a number whose appeal is upheld.
  ///   - answersAppeals: whether to allow a number upholds its open appeals; otherwise such a decision is refused.
  /// - Throws: ``DecisionError/protected(_:)`` for a protected number, unless it is allowed; `RuleViolation` for a
  ///   number outside every numbering plan, for a number with an open appeal unless it is allowed, for one whose case asks
  ///   about a range, and by `AllowRule`;
  ///   ``DecisionError/stale`` when another decision than the expected one is in
  ///   force; `PostgresError`.
  package func record(
    _ decision: Decision, expecting expected: ExpectedDecision = .any, role: Role = .administrator,
    revoking action: Revocation.Action = .unlist, answersAppeals: Bool = true
  ) async throws -> DecisionOutcome {
    if decision.treatment != .allow, let rule = try await ProtectionStore(pool: pool).rule(for: decision.number) {
      throw DecisionError.protected(rule)
    }
    return try await pool.change(at: decision.decidedAt) { connection in
      var events: [AuditEvent] = []
      let outcome = try await connection.record(
        decision, expecting: expected, role: role, revoking: action, answersAppeals: answersAppeals,
        // A revocation does not wait for a range.
        decidesRangeCases: action == .remove, reviews: reviews, &events)
      return .made(events, outcome)
    }
  }

  /// Proposes a decision for a case, which stays in the queue: a person decides it. Safe to call again.
  /// - Parameter proposal: its author is the account that proposes it; a later proposal of the account replaces it.
  /// - Returns: false where the number has no case.
  /// - Throws: ``DecisionError/protected(_:)``; `PostgresError`.
  package func propose(_ proposal: Decision, role: Role) async throws -> Bool {
    if proposal.treatment != .allow, let rule = try await ProtectionStore(pool: pool).rule(for: proposal.number) {
      throw DecisionError.protected(rule)
    }
    return try await pool.change(at: proposal.decidedAt) { connection in
      let known = try await connection.run(SQL.readProposals(number: proposal.number))
      if known.contains(where: { $0.id == proposal.id && $0.account == proposal.decidedBy }) { return .none(true) }
      guard try await !connection.run(SQL.addProposal(proposal)).isEmpty else { return .none(false) }
      let event = Actor(name: proposal.decidedBy, role: role).did(
        .proposalAdd, to: proposal.number, after: ["decision": proposal.treatment.rawValue], because: proposal.reason)
      return .made(event, true)
    }
  }

  /// Undoes a decision, restores the case that it ended, and opens the appeals again that it upheld.
  ///
  /// The newest decision before it that was not undone is in force again. Where there is none, the
  /// number's hold applies again, and the number is queued for evaluation.
  /// - Parameters:
  ///   - id: of the undoing; the same for every retry.
  ///   - decidedBy: the account that undoes it, 1 to 80 characters.
  ///   - role: the moderator's role, for the audit log.
  /// - Throws: `RuleViolation`; `PostgresError`.
  package func undo(
    _ decisionID: UUID, of number: Int64, id: UUID = UUID(), reason: String? = nil, decidedBy: String,
    role: Role = .administrator, at time: Date
  ) async throws -> UndoOutcome {
    let undoing = try Decision(
      id: id, number: number, treatment: .allow, reason: reason, decidedBy: decidedBy, decidedAt: time)
    return try await pool.change(at: time) { connection in
      var events: [AuditEvent] = []
      let outcome = try await connection.undo(decisionID, as: undoing, role: role, &events)
      return .made(events, outcome)
    }
  }

  /// Ends the decisions in force that have expired, each with an audit event.
  ///
  /// As after an undoing, the newest decision before it that was not undone is in force again; where there is none,
  /// the number is queued for evaluation. Safe to call again, and from several servers at once.
  package func expire(at time: Date) async throws -> Int {
    var count = 0
    while true {
      var ended = 0
      for (number, id) in try await pool.run(SQL.readExpiredDecisions(time: time, limit: 500)) {
        let hasEnded = try await pool.change(at: time) { connection in
          var events: [AuditEvent] = []
          let hasEnded = try await connection.expire(id, of: number, at: time, &events)
          return .made(events, hasEnded)
        }
        if hasEnded { ended += 1 }
      }
      guard ended > 0 else { return count }
      // A decision that is in force again may have expired too.
      count += ended
    }
  }
}

package enum DecisionOutcome: Sendable, Equatable {
  case recorded
  case duplicate
  /// The number has another decision of this id; nothing changed.
  case conflict
}

package enum UndoOutcome: Sendable, Equatable {
  /// The decision is no longer in force; the newest one before it that was not undone is in force again.
  case undone
  case alreadyUndone
  case notFound
}

/// The decision in force that a moderator saw before deciding.
package enum ExpectedDecision: Sendable, Equatable {
  /// Any decision, or none.
  case any
  /// The decision of this id; nil: none.
  case this(UUID?)
}

package enum DecisionError: Error, Equatable, CustomStringConvertible {
  case protected(ProtectionReason)
  /// Another decision is in force than the moderator saw.
  case stale

  package var description: String {
    switch self {
    case .stale:
      "Somebody else has decided about the number meanwhile. Read the case, then decide again."
    case .protected(let reason):
      """
      The number is protected (\(reason.code.name)). It can be neither blocked nor identified. If that is wrong, remove \
      the protection first with: ringfence protect remove
      """
    }
  }
}
