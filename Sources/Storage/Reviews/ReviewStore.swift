// SPDX-License-Identifier: Apache-2.0

public import Curation
public import Foundation
public import PostgreSQL

/// Second reviews of decisions, golden cases, and the opinions of reviewers.
///
/// A reviewer records a treatment without knowing the decision. An equal treatment confirms the decision; another one
/// disputes it, and a third person settles the dispute. A review whose decision was undone or replaced is in no list.
public struct ReviewStore: Sendable {
  private let pool: PostgresPool
  private let policy: ReviewPolicy
  private let goldenInterval: Int

  /// The most reviews or disputes in a list.
  public static let listed = 50
  /// The most golden cases in a list.
  public static let golden = 500

  /// - Parameters:
  ///   - pool: where reviews are kept.
  ///   - policy: the decisions that another moderator reviews.
  ///   - goldenInterval: number of reviews after which an account's list contains a golden case, at least 1.
  public init(pool: PostgresPool, policy: ReviewPolicy = .standard, goldenInterval: Int = 10) {
    self.pool = pool
    self.policy = policy
    self.goldenInterval = max(1, goldenInterval)
  }

  // MARK: Reviews

  /// Decisions that an account may review, in an order of its own; now and then a golden case is among them.
  public func open(for account: String, limit: Int = listed) async throws -> [ReviewItem] {
    var pipeline = PostgresPipeline()
    let open = pipeline.add(SQL.readOpenReviews(account: account, limit: limit))
    let counts = pipeline.add(SQL.countOpinions(account: account))
    let golden = pipeline.add(SQL.readGoldenItems(account: account, limit: 1))
    let results = try await pool.snapshot(pipeline)
    var items = try results.rows(open)
    if let count = try results.rows(counts).first, count.reviews / goldenInterval > count.golden,
      let extra = try results.rows(golden).first, !items.contains(where: { $0.item == extra.item })
    {
      items.append(extra)
      items.sort { $0.order < $1.order }
    }
    return items.map(\.item)
  }

  /// A decision that the account may review, or a golden case that it may answer; nil for any other.
  public func find(_ number: Int64, _ decisionID: UUID, for account: String) async throws -> ReviewItem? {
    let review = SQL.findReviewItem(number: number, decisionID: decisionID, account: account)
    if let item = try await pool.run(review).first { return item }
    return try await pool.run(SQL.findGoldenItem(number: number, decisionID: decisionID, account: account)).first
  }

  /// Records an opinion, and confirms or disputes the decision. Safe to call again.
  /// - Parameter role: the reviewer's role, for the audit log.
  public func record(_ opinion: ReviewOpinion, role: Role) async throws -> OpinionOutcome {
    let (number, id) = (opinion.number, opinion.decisionID)
    return try await pool.transaction { connection in
      let locked = try await connection.run(SQL.lockReview(number: number, decisionID: id, state: "open")).first
      if let locked {
        guard locked.decidedBy != opinion.account else { return .closed }
        let isEqual = locked.treatment == opinion.treatment
        _ = try await connection.run(SQL.addOpinion(opinion: opinion, isGolden: false))
        _ = try await connection.run(
          SQL.setReviewState(
            number: number, decisionID: id, state: isEqual ? "confirmed" : "disputed",
            settledBy: isEqual ? opinion.account : nil, time: opinion.reviewedAt))
      } else {
        let golden = SQL.findGoldenItem(number: number, decisionID: id, account: opinion.account)
        guard try await !connection.run(golden).isEmpty else {
          // This call itself, whose commit was not acknowledged.
          let known = try await connection.run(SQL.readOpinions(number: number, decisionID: id))
          return known.contains { $0.account == opinion.account } ? .recorded : .closed
        }
        guard try await !connection.run(SQL.addOpinion(opinion: opinion, isGolden: true)).isEmpty else {
          return .recorded
        }
      }
      // The same for a golden case, so that the log does not reveal it.
      let event = AuditEvent(
        actor: opinion.account, role: role, action: "review.record", subject: "+\(number)")
      _ = try await connection.run(SQL.appendAuditEvent(event, at: opinion.reviewedAt))
      return .recorded
    }
  }

  // MARK: Disputes

  /// Disputed decisions, the oldest first.
  public func disputes(limit: Int = listed) async throws -> [Dispute] {
    try await pool.run(SQL.readDisputes(number: nil, limit: limit))
  }

  /// The dispute about a decision; nil for none.
  public func dispute(_ number: Int64, _ decisionID: UUID) async throws -> Dispute? {
    try await pool.run(SQL.readDisputes(number: number, limit: 10)).first { $0.decisionID == decisionID }
  }

  /// Settles a dispute: the same treatment confirms the decision, another one replaces it. A replacement that the
  /// reviewer asked for has the confirmation of two persons.
  /// - Parameter decision: the decision of the third person; recorded only with another treatment.
  /// - Throws: `RuleViolation`; ``DecisionError``; `PostgresError`.
  public func settle(_ decisionID: UUID, by decision: Decision, role: Role) async throws -> SettlementOutcome {
    let number = decision.number
    if decision.treatment != .allow, let rule = try await ProtectionStore(pool: pool).rule(for: number) {
      throw DecisionError.protected(rule)
    }
    return try await pool.transaction { [policy] connection in
      // Of two persons who settle it at once, the second finds it closed.
      let lock = SQL.lockReview(number: number, decisionID: decisionID, state: "disputed")
      guard try await !connection.run(lock).isEmpty else { return .closed }
      guard
        let dispute = try await connection.run(SQL.readDisputes(number: number, limit: 10))
          .first(where: { $0.decisionID == decisionID }), dispute.canBeSettled(by: decision.decidedBy)
      else { return .closed }
      let isConfirmed = decision.treatment == dispute.treatment
      if !isConfirmed {
        _ = try await connection.record(decision, expecting: .this(decisionID), role: role, reviews: policy)
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
      let event = AuditEvent(
        actor: decision.decidedBy, role: role, action: "review.settle", subject: "+\(number)",
        before: ["decision": dispute.treatment.rawValue, "review": dispute.opinion.treatment.rawValue],
        after: ["decision": decision.treatment.rawValue], reason: decision.reason)
      _ = try await connection.run(SQL.appendAuditEvent(event, at: decision.decidedAt))
      return .settled
    }
  }

  // MARK: Golden cases

  /// Marks the decision in force for a number as a golden case.
  /// - Returns: false for a number without a decision, or whose decision is marked already.
  public func mark(_ number: Int64, by account: String, role: Role, at time: Date) async throws -> Bool {
    try await pool.transaction { connection in
      let (standings, history, hottest) = try await connection.pipeline(
        SQL.readStandingDecision(number: number), SQL.readDecisions(number: number),
        SQL.readHottestCategory(number: number))
      guard let decision = standings.first, let event = history.first(where: { $0.id == decision.decisionID }) else {
        return false
      }
      let golden = SQL.addGoldenCase(
        decision: decision, decidedBy: event.decidedBy, category: decision.category ?? hottest.first, account: account,
        time: time)
      guard try await !connection.run(golden).isEmpty else { return false }
      let marked = AuditEvent(
        actor: account, role: role, action: "golden.mark", subject: "+\(number)")
      _ = try await connection.run(SQL.appendAuditEvent(marked, at: time))
      return true
    }
  }

  /// Removes the mark of a golden case. Its answers still count.
  /// - Returns: whether there was one.
  public func unmark(
    _ number: Int64, _ decisionID: UUID, by account: String, role: Role, at time: Date
  ) async throws -> Bool {
    try await pool.transaction { connection in
      guard try await !connection.run(SQL.removeGoldenCase(number: number, decisionID: decisionID)).isEmpty else {
        return false
      }
      let event = AuditEvent(actor: account, role: role, action: "golden.unmark", subject: "+\(number)")
      _ = try await connection.run(SQL.appendAuditEvent(event, at: time))
      return true
    }
  }

  /// Golden cases, the newest first.
  public func goldenCases(limit: Int = golden) async throws -> [GoldenCase] {
    try await pool.run(SQL.readGoldenCases(limit: limit))
  }

  // MARK: Figures

  /// The reviewed decisions with the treatments that were recorded without knowing the other, counted by category,
  /// accounts and treatments, so that the result does not grow with the number of reviews.
  /// - Parameter since: opinions before this time are left out.
  public func ratedDecisions(since: Date) async throws -> [RatedDecisions] {
    try await pool.run(SQL.countRatings(since: since))
  }

  /// Figures of reviewers, in ascending order of name.
  /// - Parameter account: nil for all accounts.
  public func records(of account: String?) async throws -> [ReviewerRecord] {
    let (reviewers, reviewed) = try await pool.withConnection {
      try await $0.pipeline(SQL.countReviewers(account: account), SQL.countReviewed(account: account))
    }
    var records = Dictionary(reviewers.map { ($0.account, $0) }) { first, _ in first }
    for other in reviewed {
      records[other.account, default: ReviewerRecord(account: other.account)].add(other)
    }
    return records.values.sorted { $0.account < $1.account }
  }
}

extension ReviewerRecord {
  /// Adds the figures of the account's own decisions.
  fileprivate mutating func add(_ other: ReviewerRecord) {
    reviewed += other.reviewed
    confirmed += other.confirmed
    overruled += other.overruled
  }
}
