// SPDX-License-Identifier: Apache-2.0

package import Curation
package import Foundation
package import PostgreSQL
package import Storage

/// Second reviews of decisions, and golden cases among them.
///
/// A reviewer records a treatment without knowing the decision. An equal treatment confirms the decision; a different one
/// disputes it, and a third person settles the dispute.
package struct ReviewService: Sendable {
  private let pool: PostgresPool
  private let policy: ReviewPolicy

  package init(pool: PostgresPool, policy: ReviewPolicy = .standard) {
    self.pool = pool
    self.policy = policy
  }

  /// Decisions that an account may review, in an order of its own; now and then a golden case is among them. None while
  /// reviews are off.
  package func open(for account: String, limit: Int = ReviewStore.listed) async throws -> [ReviewItem] {
    var pipeline = PostgresPipeline()
    let open = pipeline.add(SQL.readOpenReviews(account: account, limit: limit))
    let counts = pipeline.add(SQL.countOpinions(account: account))
    let activation = pipeline.add(SQL.readReviewActivation())
    let golden = pipeline.add(SQL.readGoldenItems(account: account, limit: 1))
    let results = try await pool.snapshot(pipeline)
    var items = try results.rows(open)
    guard try results.rows(activation).first?.isOn == true else { return [] }
    if let count = try results.rows(counts).first, policy.needsGoldenCase(reviews: count.reviews, golden: count.golden),
      let extra = try results.rows(golden).first, !items.contains(where: { $0.item == extra.item })
    {
      items.append(extra)
      items.sort { $0.order < $1.order }
    }
    return items.map(\.item)
  }

  /// Records an opinion, and confirms or disputes the decision. Safe to call again.
  /// - Parameter role: the reviewer's role, for the audit log.
  package func record(_ opinion: ReviewOpinion, role: Role) async throws -> OpinionOutcome {
    let (number, id) = (opinion.number, opinion.decisionID)
    return try await pool.change(at: opinion.reviewedAt) { connection in
      let locked = try await connection.run(SQL.lockReview(number: number, decisionID: id, state: "open")).first
      if let locked {
        guard locked.decidedBy != opinion.account else { return .none(.closed) }
        let isEqual = locked.treatment == opinion.treatment
        _ = try await connection.run(SQL.addOpinion(opinion: opinion, isGolden: false))
        _ = try await connection.run(
          SQL.setReviewState(
            number: number, decisionID: id, state: isEqual ? "confirmed" : "disputed",
            settledBy: isEqual ? opinion.account : nil, time: opinion.reviewedAt))
        if !isEqual {
          let disputed = Event(.reviewDisputed, id: id, at: opinion.reviewedAt, ["number": .text("+\(number)")])
          _ = try await connection.run(SQL.recordEvent(disputed, at: opinion.reviewedAt))
        }
      } else {
        let golden = SQL.findGoldenItem(number: number, decisionID: id, account: opinion.account)
        guard try await !connection.run(golden).isEmpty else {
          // The same request again.
          let known = try await connection.run(SQL.readOpinions(number: number, decisionID: id))
          return .none(known.contains { $0.account == opinion.account } ? .recorded : .closed)
        }
        guard try await !connection.run(SQL.addOpinion(opinion: opinion, isGolden: true)).isEmpty else {
          return .none(.recorded)
        }
      }
      // The same for a golden case, so that the log does not reveal it.
      return .made(Actor(name: opinion.account, role: role).did(.reviewRecord, to: number), .recorded)
    }
  }

  /// Settles a dispute: the same treatment confirms the decision, a different one replaces it. A replacement that the
  /// reviewer asked for has the confirmation of two persons.
  /// - Parameter decision: the decision of the third person; recorded only with another treatment.
  /// - Throws: `RuleViolation`; ``DecisionError``; `PostgresError`.
  package func settle(_ decisionID: UUID, by decision: Decision, role: Role) async throws -> SettlementOutcome {
    let number = decision.number
    if decision.treatment != .allow, let rule = try await ProtectionStore(pool: pool).rule(for: number) {
      throw DecisionError.protected(rule)
    }
    return try await pool.change(at: decision.decidedAt) { [policy] connection in
      // Of two persons who settle it at once, the second finds it closed.
      let lock = SQL.lockReview(number: number, decisionID: decisionID, state: "disputed")
      guard try await !connection.run(lock).isEmpty else { return .none(.closed) }
      guard
        let dispute = try await connection.run(SQL.readDisputes(number: number, limit: 10))
          .first(where: { $0.decisionID == decisionID }), dispute.canBeSettled(by: decision.decidedBy)
      else { return .none(.closed) }
      var events: [AuditEvent] = []
      let isConfirmed = decision.treatment == dispute.treatment
      if !isConfirmed {
        _ = try await connection.record(decision, expecting: .this(decisionID), role: role, reviews: policy, &events)
        if decision.treatment == dispute.opinion.treatment {
          _ = try await connection.run(
            SQL.setReviewState(
              number: number, decisionID: decision.id, state: "confirmed", settledBy: dispute.opinion.account,
              time: decision.decidedAt))
        }
      }
      _ = try await connection.run(
        SQL.setReviewState(
          number: number, decisionID: decisionID, state: isConfirmed ? "confirmed" : "overruled",
          settledBy: decision.decidedBy, time: decision.decidedAt))
      events.append(
        Actor(name: decision.decidedBy, role: role).did(
          .reviewSettle, to: number,
          before: ["decision": dispute.treatment.rawValue, "review": dispute.opinion.treatment.rawValue],
          after: ["decision": decision.treatment.rawValue], because: decision.reason))
      return .made(events, .settled)
    }
  }

  /// Marks the decision in force for a number as a golden case.
  /// - Returns: false while reviews are off, for a number without a decision, or whose decision is marked already.
  package func mark(_ number: Int64, by actor: Actor, at time: Date) async throws -> Bool {
    try await pool.change(at: time) { connection in
      let (standings, history, hottest, activation) = try await connection.pipeline(
        SQL.readStandingDecision(number: number), SQL.readDecisions(number: number),
        SQL.readHottestCategory(number: number), SQL.readReviewActivation())
      guard activation.first?.isOn == true, let decision = standings.first,
        let event = history.first(where: { $0.id == decision.decisionID })
      else {
        return .none(false)
      }
      let golden = SQL.addGoldenCase(
        decision: decision, decidedBy: event.decidedBy, category: decision.category ?? hottest.first,
        account: actor.name,
        time: time)
      guard try await !connection.run(golden).isEmpty else { return .none(false) }
      return .made(actor.did(.goldenMark, to: number), true)
    }
  }

  /// Turns second reviews and golden cases on or off. Open reviews stay.
  /// - Returns: false where the team has too few moderators to turn them on.
  package func turn(on: Bool, by worker: Actor, at time: Date) async throws -> Bool {
    try await pool.change(at: time) { connection in
      let isPossible = try await connection.run(SQL.readReviewActivation()).first?.isPossible == true
      guard !on || isPossible else { return .none(false) }
      let change = on ? SQL.turnReviewsOn(account: worker.name, time: time) : SQL.turnReviewsOff()
      guard try await !connection.run(change).isEmpty else { return .none(true) }
      return .made(worker.did(on ? .reviewTurnOn : .reviewTurnOff, to: "reviews"), true)
    }
  }

  /// The answers of the golden case still count.
  /// - Returns: whether there was one.
  package func unmark(
    _ number: Int64, _ decisionID: UUID, by actor: Actor, at time: Date
  ) async throws -> Bool {
    try await pool.change(at: time) { connection in
      guard try await !connection.run(SQL.removeGoldenCase(number: number, decisionID: decisionID)).isEmpty else {
        return .none(false)
      }
      return .made(actor.did(.goldenUnmark, to: number), true)
    }
  }
}

package enum OpinionOutcome: Sendable, Equatable {
  /// Also for a repeated call.
  case recorded
  /// Nothing is stored: somebody else was faster, or the decision is no longer in force.
  case closed
}

package enum SettlementOutcome: Sendable, Equatable {
  /// The decision is confirmed, or the new one is in force.
  case settled
  /// There is no such dispute any more.
  case closed
}

/// Reviews within the caller's transaction.
extension PostgresConnection {
  /// Opens the review of a new decision where the policy asks for one. While reviews are off, none of the random sample
  /// is opened; those with reach wait, because weights of reporters ignore such decisions until they are confirmed. Safe
  /// to repeat.
  /// - Parameters:
  ///   - rule: the state of the number before the decision.
  ///   - replaced: the decision that was in force before.
  func openReview(
    of decision: Decision, replacing replaced: UUID? = nil, _ rule: AllowRule, by policy: ReviewPolicy
  ) async throws {
    var cause = policy.cause(of: decision.id, decision.treatment, rule)
    if cause == .sample, try await run(SQL.readReviewActivation()).first?.isOn != true { cause = nil }
    guard cause != nil || (replaced != nil && decision.treatment == .allow) else { return }
    var category = decision.category
    if category == nil { category = try await run(SQL.readHottestCategory(number: decision.number)).first }
    _ = try await run(SQL.openReview(decision: decision, cause: cause, category: category, replaced: replaced))
  }
}
