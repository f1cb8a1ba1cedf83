// SPDX-License-Identifier: Apache-2.0

public import Curation
public import Foundation
public import PostgreSQL

/// Decisions of moderators, and which of them are in force.
public struct DecisionStore: Sendable {
  private let pool: PostgresPool

  public init(pool: PostgresPool) {
    self.pool = pool
  }

  /// All decisions about a number and their undoings, the oldest first.
  public func history(of number: Int64) async throws -> [DecisionEvent] {
    try await pool.run(SQL.readDecisions(number: number))
  }

  /// Nil where reports decide.
  public func standing(of number: Int64) async throws -> StandingDecision? {
    try await pool.run(SQL.readStandingDecision(number: number)).first
  }
}

/// An event in a number's history of decisions.
public struct DecisionEvent: Sendable, Equatable {
  public enum Kind: Sendable, Equatable {
    case decision(Decision.Treatment)
    /// The decision of this id was undone.
    case undo(UUID)
  }

  /// The id of the decision or of the undoing.
  public let id: UUID
  public let kind: Kind
  /// The label that phones show.
  public let label: String?
  public let category: ReportCategory?
  /// The public reason.
  public let reason: String?
  /// A note for moderators only.
  public let note: String?
  public let decidedBy: String
  public let time: Date
  /// When the decision expires; nil for never. Of an undoing: when the decision that it ended had expired; nil for an
  /// undoing by a person.
  public let expiresAt: Date?
}

extension DecisionEvent {
  /// `block`, `identify`, `allow`, `undo` or `expire`.
  public var name: String {
    switch kind {
    case .decision(let treatment): treatment.rawValue
    case .undo: expiresAt == nil ? "undo" : "expire"
    }
  }
}

/// The case that a decision ended.
package struct DecidedCase: Sendable, Equatable {
  /// The start of the wait.
  package var since: Date
  package var causes: QueueCauses
  package var level: Int16
}

extension SQL {
  /// Locks the decision in force for a number until the transaction ends; returns a row where there is one.
  package static func lockStandingDecision(number: Int64) -> Statement<Int64> {
    Statement(
      "UPDATE number_decisions SET decision_id = decision_id WHERE number = $1 RETURNING number",
      number)
  }

  /// Puts a decision into force where none is; returns a row when it was stored.
  package static func takeStandingPlace(decision: Decision) -> Statement<Int64> {
    Statement(
      """
      INSERT INTO number_decisions (number, decision, label, category_id, decision_id, decided_at) VALUES ($1, $2, $3, $4, $5, $6)
      ON CONFLICT (number) DO NOTHING
      RETURNING number
      """,
      decision.number, decision.treatment.rawValue, decision.label, decision.category?.rawValue, decision.id,
      decision.decidedAt)
  }

  /// Adds an event to a number's history of decisions; returns a row when it is new.
  /// - Parameter item: The case that the decision ends.
  package static func addDecision(_ decision: Decision, ending item: QueueCase?) -> Statement<Int64> {
    addDecision(
      decision.number, decision.id, decision.treatment.rawValue, decision.label, decision.category, undoes: nil,
      decision.reason, decision.note, decision.decidedBy, decision.decidedAt, item, expiresAt: decision.expiresAt)
  }

  /// Adds the end of a decision to the number's history; returns a row when it is new.
  /// - Parameters:
  ///   - id: of the event.
  ///   - undone: the decision that ends.
  ///   - expiry: when the decision expired; nil for an undoing by a person.
  package static func addUndoing(
    number: Int64, id: UUID, undone: UUID, reason: String?, by author: String, at time: Date, expiry: Date?
  ) -> Statement<Int64> {
    addDecision(number, id, "undo", nil, nil, undoes: undone, reason, nil, author, time, nil, expiresAt: expiry)
  }

  private static func addDecision(
    _ number: Int64, _ id: UUID, _ decision: String, _ label: String?, _ category: ReportCategory?, undoes: UUID?,
    _ reason: String?, _ note: String?, _ decidedBy: String, _ time: Date, _ item: QueueCase?, expiresAt: Date?
  ) -> Statement<Int64> {
    Statement(
      """
      INSERT INTO decisions
        (number, decision_id, decision, label, category_id, undoes, reason, note, decided_by, decided_at,
         case_since, case_causes, case_level, expires_at)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
      ON CONFLICT (number, decision_id) DO NOTHING
      RETURNING number
      """,
      number, id, decision, label, category?.rawValue, undoes, reason, note, decidedBy, time, item?.since,
      item?.causes.rawValue, item?.level, expiresAt)
  }

  package static func readDecidedCase(number: Int64, id: UUID) -> Statement<DecidedCase> {
    Statement(
      """
      SELECT case_since, case_causes, case_level FROM decisions
      WHERE number = $1 AND decision_id = $2 AND case_since IS NOT NULL
      """,
      number, id
    ) { row in
      DecidedCase(since: try row.decode(0), causes: QueueCauses(rawValue: try row.decode(1)), level: try row.decode(2))
    }
  }

  /// The facts for the rule of allowing a number, see `AllowRule`: whether an open hold covers it, whether it is listed,
  /// whether it has an open appeal, and the sum of its reporters over the toxic categories.
  package static func readAllowRule(number: Int64) -> Statement<AllowRule> {
    Statement(
      """
      SELECT EXISTS (SELECT 1 FROM holds h WHERE h.number = $1 AND NOT h.settled),
             EXISTS (SELECT 1 FROM listings l WHERE l.number = $1),
             EXISTS (SELECT 1 FROM appeals a WHERE a.number = $1 AND a.state = 'open'),
             (SELECT coalesce(sum(c.reporters), 0) FROM number_categories c
              JOIN categories k ON k.category_id = c.category_id WHERE c.number = $1 AND k.toxic)
      """,
      number
    ) { row in
      AllowRule(
        isHeld: try row.decode(0), isListed: try row.decode(1), isAppealed: try row.decode(2),
        reporters: Int(try row.decode(3, as: Int64.self)))
    }
  }

  /// Puts the newest decision that was not undone into force for a number, and settles or reopens the number's hold.
  package static func settleDecisions(number: Int64) -> Statement<Void> {
    Statement(
      """
      WITH standing AS (
        SELECT number, decision, label, category_id, decision_id, decided_at, expires_at FROM decisions r
        WHERE number = $1 AND decision <> 'undo'
          AND NOT EXISTS (SELECT 1 FROM decisions u WHERE u.number = $1 AND u.undoes = r.decision_id)
        ORDER BY decided_at DESC, decision_id DESC LIMIT 1
      ), gone AS (
        DELETE FROM number_decisions WHERE number = $1 AND NOT EXISTS (SELECT 1 FROM standing)
      ), settled AS (
        UPDATE holds SET settled = EXISTS (SELECT 1 FROM standing) WHERE number = $1
      )
      INSERT INTO number_decisions (number, decision, label, category_id, decision_id, decided_at, expires_at)
      SELECT number, decision, label, category_id, decision_id, decided_at, expires_at FROM standing
      ON CONFLICT (number) DO UPDATE SET
        decision = excluded.decision, label = excluded.label, category_id = excluded.category_id,
        decision_id = excluded.decision_id, decided_at = excluded.decided_at, expires_at = excluded.expires_at
      """,
      number)
  }

  /// A number's history of decisions, the oldest first.
  package static func readDecisions(number: Int64) -> Statement<DecisionEvent> {
    Statement(
      """
      SELECT decision_id, decision, undoes, label, category_id, reason, note, decided_by, decided_at, expires_at
      FROM decisions
      WHERE number = $1 ORDER BY decided_at, decision_id
      """,
      number
    ) { row in
      let decision: String = try row.decode(1)
      let undoes: UUID? = try row.decode(2)
      let kind: DecisionEvent.Kind
      if let undoes {
        kind = .undo(undoes)
      } else {
        kind = .decision(try row.treatment(decision))
      }
      return DecisionEvent(
        id: try row.decode(0), kind: kind, label: try row.decode(3), category: try row.optionalCategory(4),
        reason: try row.decode(5), note: try row.decode(6), decidedBy: try row.decode(7), time: try row.decode(8),
        expiresAt: try row.decode(9))
    }
  }

  package static func readStandingDecision(number: Int64) -> Statement<StandingDecision> {
    Statement(
      """
      SELECT number, decision, label, category_id, decision_id, decided_at, expires_at FROM number_decisions
      WHERE number = $1
      """,
      number
    ) { try $0.standingDecision() }
  }

  /// All decisions in force, in ascending order of number.
  static func readStandingDecisions() -> Statement<StandingDecision> {
    Statement(
      """
      SELECT number, decision, label, category_id, decision_id, decided_at, expires_at FROM number_decisions
      ORDER BY number
      """
    ) { try $0.standingDecision() }
  }

  static func readStandingDecisionsOf(numbers: [Int64]) -> Statement<StandingDecision> {
    Statement(
      """
      SELECT number, decision, label, category_id, decision_id, decided_at, expires_at FROM number_decisions
      WHERE number = ANY($1::bigint[])
      """,
      numbers
    ) { try $0.standingDecision() }
  }

  /// The decisions in force that have expired, those that expired first in front.
  package static func readExpiredDecisions(time: Date, limit: Int) -> Statement<(number: Int64, decision: UUID)> {
    Statement(
      """
      SELECT n.number, n.decision_id FROM number_decisions n
      JOIN decisions d ON d.number = n.number AND d.decision_id = n.decision_id
      WHERE n.expires_at <= $1 AND d.expires_at <= $1 ORDER BY n.expires_at, n.number LIMIT $2::bigint
      """,
      time, Int64(limit)
    ) { (try $0.decode(0), try $0.decode(1)) }
  }
}

extension PostgresRow {
  fileprivate func treatment(_ text: String) throws -> Decision.Treatment {
    guard let treatment = Decision.Treatment(rawValue: text) else { throw StorageError.unknownTreatment(text) }
    return treatment
  }

  func optionalCategory(_ column: Int) throws -> ReportCategory? {
    isNull(column) ? nil : try category(column)
  }

  fileprivate func standingDecision() throws -> StandingDecision {
    StandingDecision(
      number: try decode(0), treatment: try treatment(try decode(1)), label: try decode(2),
      category: try optionalCategory(3), decisionID: try decode(4), decidedAt: try decode(5),
      expiresAt: try decode(6))
  }
}
