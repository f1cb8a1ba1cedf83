// SPDX-License-Identifier: Apache-2.0

public import Curation
public import Foundation
public import PostgreSQL

/// Disputes about decisions, golden cases, and the figures of reviewers.
///
/// A review whose decision was undone or replaced is in no list.
public struct ReviewStore: Sendable {
  private let pool: PostgresPool

  /// The most reviews or disputes in a list.
  public static let listed = 50
  /// The most golden cases in a list.
  public static let golden = 500

  public init(pool: PostgresPool) {
    self.pool = pool
  }

  public func activation() async throws -> ReviewActivation {
    try await pool.run(SQL.readReviewActivation()).first ?? ReviewActivation()
  }

  /// A decision that the account may review, or a golden case that it may answer; nil for any other.
  public func find(_ number: Int64, _ decisionID: UUID, for account: String) async throws -> ReviewItem? {
    let review = SQL.findReviewItem(number: number, decisionID: decisionID, account: account)
    if let item = try await pool.run(review).first { return item }
    return try await pool.run(SQL.findGoldenItem(number: number, decisionID: decisionID, account: account)).first
  }

  /// Disputed decisions, the oldest first.
  public func disputes(limit: Int = listed) async throws -> [Dispute] {
    try await pool.run(SQL.readDisputes(number: nil, limit: limit))
  }

  public func dispute(_ number: Int64, _ decisionID: UUID) async throws -> Dispute? {
    try await pool.run(SQL.readDisputes(number: number, limit: 10)).first { $0.decisionID == decisionID }
  }

  /// Golden cases, the newest first.
  public func goldenCases(limit: Int = golden) async throws -> [GoldenCase] {
    try await pool.run(
      """
      SELECT g.number, g.decision_id, g.decision, g.marked_by, g.marked_at, count(o.account),
             count(o.account) FILTER (WHERE o.decision = g.decision)
      FROM golden_cases g
      LEFT JOIN review_opinions o ON o.number = g.number AND o.decision_id = g.decision_id AND o.is_golden
      GROUP BY g.number, g.decision_id, g.decision, g.marked_by, g.marked_at
      ORDER BY g.marked_at DESC, g.number LIMIT $1::bigint
      """,
      Int64(limit)
    ) { row in
      GoldenCase(
        number: try row.decode(0), decisionID: try row.decode(1), treatment: try row.storedTreatment(2),
        markedBy: try row.decode(3), markedAt: try row.decode(4), answers: Int(try row.decode(5, as: Int64.self)),
        right: Int(try row.decode(6, as: Int64.self)))
    }
  }

  /// The reviewed decisions with the treatments that were recorded without knowing the other, counted by category,
  /// accounts and treatments, so that the result does not grow with the number of reviews.
  /// - Parameter since: opinions before this time are left out.
  public func ratedDecisions(since: Date) async throws -> [RatedDecisions] {
    try await pool.run(SQL.countRatings(since: since))
  }

  /// Figures of reviewers, in ascending order of name.
  /// - Parameters:
  ///   - account: nil for all accounts.
  ///   - since: the earliest decision or review that counts.
  public func records(
    of account: String?, since: Date = Date(timeIntervalSince1970: 0)
  ) async throws -> [ReviewerRecord] {
    let (reviewers, reviewed) = try await pool.withConnection {
      try await $0.pipeline(
        SQL.countReviewers(account: account, since: since), SQL.countReviewed(account: account, since: since))
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

/// A decision in a reviewer's list, without the decision itself. A golden case looks the same.
public struct ReviewItem: Sendable, Equatable {
  /// E.164 digits.
  public var number: Int64
  public var decisionID: UUID
}

/// A reviewer's opinion about a decision.
public struct ReviewOpinion: Sendable, Equatable {
  /// E.164 digits.
  public var number: Int64
  public var decisionID: UUID
  public var treatment: Decision.Treatment
  /// A note for the person who settles a dispute.
  public var note: String?
  public var account: String
  public var reviewedAt: Date

  /// - Throws: `RuleViolation` for a note that is too long.
  public init(
    number: Int64, decisionID: UUID, treatment: Decision.Treatment, note: String?, account: String, reviewedAt: Date
  ) throws(RuleViolation) {
    (self.number, self.decisionID, self.treatment) = (number, decisionID, treatment)
    self.note = try note.map { (text) throws(RuleViolation) in
      try RuleViolation.text(text, "note", atMost: TextLimit.note)
    }
    (self.account, self.reviewedAt) = (account, reviewedAt)
  }
}

/// A decision and a different opinion about it.
public struct Dispute: Sendable, Equatable {
  /// E.164 digits.
  public var number: Int64
  public var decisionID: UUID
  public var decidedBy: String
  public var treatment: Decision.Treatment
  /// The category of the decision, or of the reports at that time.
  public var category: ReportCategory?
  public var opinion: ReviewOpinion

  /// Whether a person may settle it: neither the author of the decision nor the reviewer.
  public func canBeSettled(by account: String) -> Bool { account != decidedBy && account != opinion.account }
}

/// A decision whose treatment is certain.
public struct GoldenCase: Sendable, Equatable {
  /// E.164 digits.
  public var number: Int64
  public var decisionID: UUID
  public var treatment: Decision.Treatment
  public var markedBy: String
  public var markedAt: Date
  public var answers: Int
  /// Answers with the right treatment.
  public var right: Int
}

/// Reviewed decisions of one category, by the same author and reviewer with the same treatments, for the agreement.
public struct RatedDecisions: Sendable, Equatable {
  public struct Rating: Sendable, Equatable {
    public var account: String
    public var treatment: Decision.Treatment
  }

  /// The category of the decisions, or of the reports at that time.
  public var category: ReportCategory?
  /// The treatments of the author and of the reviewer.
  public var ratings: [Rating]
  public var count: Int
}

/// An account's figures in reviews.
public struct ReviewerRecord: Sendable, Equatable {
  public var account: String
  /// Answers to golden cases.
  public var golden = 0
  /// Answers to golden cases with the right treatment.
  public var goldenRight = 0
  /// Reviews of other accounts' decisions.
  public var reviews = 0
  /// Reviews with the treatment of the decision.
  public var equal = 0
  /// Decisions of the account that were reviewed.
  public var reviewed = 0
  /// Decisions of the account that were confirmed.
  public var confirmed = 0
  /// Decisions of the account that were overruled.
  public var overruled = 0
}

extension SQL {
  /// Marks a decision as a golden case, once; returns a row when it is new.
  package static func addGoldenCase(
    decision: StandingDecision, decidedBy: String, category: ReportCategory?, account: String, time: Date
  ) -> Statement<Int64> {
    Statement(
      """
      INSERT INTO golden_cases (number, decision_id, decided_by, decision, category_id, marked_by, marked_at)
      VALUES ($1, $2, $3, $4, $5, $6, $7)
      ON CONFLICT (number, decision_id) DO NOTHING
      RETURNING number
      """,
      decision.number, decision.decisionID, decidedBy, decision.treatment.rawValue, category?.rawValue, account, time)
  }

  /// Removes the mark of a golden case; returns a row where there was one.
  package static func removeGoldenCase(number: Int64, decisionID: UUID) -> Statement<Int64> {
    Statement(
      "DELETE FROM golden_cases WHERE number = $1 AND decision_id = $2 RETURNING number",
      number, decisionID)
  }

  /// A golden case whose decision is in force and that the account may answer; no row otherwise.
  package static func findGoldenItem(number: Int64, decisionID: UUID, account: String) -> Statement<ReviewItem> {
    Statement(
      """
      SELECT g.number, g.decision_id FROM golden_cases g
      JOIN number_decisions n ON n.number = g.number AND n.decision_id = g.decision_id
      WHERE g.number = $1 AND g.decision_id = $2 AND g.decided_by <> $3::text AND g.marked_by <> $3::text
      """,
      number, decisionID, account
    ) { ReviewItem(number: try $0.decode(0), decisionID: try $0.decode(1)) }
  }
}
