// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import PostgreSQL

/// Locks the decision in force for a number until the transaction ends; returns a row where there is one.
struct LockStandingDecision: PostgresStatement {
  let number: Int64

  static let sql = "UPDATE number_decisions SET decision_id = decision_id WHERE number = $1 RETURNING number"

  func bind(into parameters: inout PostgresParameters) { parameters.append(number) }

  static func decode(_ row: PostgresRow) throws -> Int64 { try row.decode(0) }
}

/// Puts a decision into force where none is; returns a row when it was stored.
struct TakeStandingPlace: PostgresStatement {
  let decision: Decision

  static let sql = """
    INSERT INTO number_decisions (number, decision, label, category_id, decision_id, decided_at) VALUES ($1, $2, $3, $4, $5, $6)
    ON CONFLICT (number) DO NOTHING
    RETURNING number
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(decision.number)
    parameters.append(decision.treatment.rawValue)
    parameters.append(decision.label)
    parameters.append(decision.category?.rawValue)
    parameters.append(decision.id)
    parameters.append(decision.decidedAt)
  }

  static func decode(_ row: PostgresRow) throws -> Int64 { try row.decode(0) }
}

/// Adds an event to a number's history of decisions; returns a row when it is new.
struct AddDecision: PostgresStatement {
  let number: Int64
  let id: UUID
  let decision: String
  let label: String?
  let category: ReportCategory?
  let undoes: UUID?
  let reason: String?
  let note: String?
  let decidedBy: String
  let time: Date
  /// See `DecisionEvent.expiresAt`.
  let expiresAt: Date?
  /// The case that the decision ends.
  let item: QueueCase?

  init(_ decision: Decision, ending item: QueueCase?) {
    self.item = item
    (number, id, self.decision) = (decision.number, decision.id, decision.treatment.rawValue)
    (label, category, undoes) = (decision.label, decision.category, nil)
    (reason, note, decidedBy, time) = (decision.reason, decision.note, decision.decidedBy, decision.decidedAt)
    expiresAt = decision.expiresAt
  }

  /// - Parameter expiredAt: nil for an undoing by a person.
  init(
    undoing undone: UUID, of number: Int64, id: UUID, reason: String?, decidedBy: String, time: Date,
    expiredAt: Date? = nil
  ) {
    (self.number, self.id, decision, undoes) = (number, id, "undo", undone)
    (label, category, note, item) = (nil, nil, nil, nil)
    (self.reason, self.decidedBy, self.time, expiresAt) = (reason, decidedBy, time, expiredAt)
  }

  static let sql = """
    INSERT INTO decisions
      (number, decision_id, decision, label, category_id, undoes, reason, note, decided_by, decided_at,
       case_since, case_causes, case_level, expires_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
    ON CONFLICT (number, decision_id) DO NOTHING
    RETURNING number
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(number)
    parameters.append(id)
    parameters.append(decision)
    parameters.append(label)
    parameters.append(category?.rawValue)
    parameters.append(undoes)
    parameters.append(reason)
    parameters.append(note)
    parameters.append(decidedBy)
    parameters.append(time)
    parameters.append(item?.since)
    parameters.append(item?.causes.rawValue)
    parameters.append(item?.level)
    parameters.append(expiresAt)
  }

  static func decode(_ row: PostgresRow) throws -> Int64 { try row.decode(0) }
}

/// The case that a decision ended; no row where there was none.
struct ReadDecidedCase: PostgresStatement {
  let number: Int64
  let id: UUID

  static let sql = """
    SELECT case_since, case_causes, case_level FROM decisions
    WHERE number = $1 AND decision_id = $2 AND case_since IS NOT NULL
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(number)
    parameters.append(id)
  }

  static func decode(_ row: PostgresRow) throws -> DecidedCase {
    DecidedCase(since: try row.decode(0), causes: QueueCauses(rawValue: try row.decode(1)), level: try row.decode(2))
  }
}

/// The facts for the rule of allowing a number; see `AllowRule`.
struct ReadAllowRule: PostgresStatement {
  let number: Int64

  /// Whether an open hold covers the number, whether it is listed, whether it has an open appeal, and the sum of its
  /// reporters over the toxic categories.
  static let sql = """
    SELECT EXISTS (SELECT 1 FROM holds h WHERE h.number = $1 AND NOT h.settled),
           EXISTS (SELECT 1 FROM listings l WHERE l.number = $1),
           EXISTS (SELECT 1 FROM appeals a WHERE a.number = $1 AND a.state = 'open'),
           (SELECT coalesce(sum(c.reporters), 0) FROM number_categories c
            JOIN categories k ON k.category_id = c.category_id WHERE c.number = $1 AND k.toxic)
    """

  func bind(into parameters: inout PostgresParameters) { parameters.append(number) }

  static func decode(_ row: PostgresRow) throws -> AllowRule {
    AllowRule(
      isHeld: try row.decode(0), isListed: try row.decode(1), isAppealed: try row.decode(2),
      reporters: Int(try row.decode(3, as: Int64.self)))
  }
}

/// Puts the newest decision that was not undone into force for a number, and settles or reopens the number's hold.
struct SettleDecisions: PostgresStatement {
  typealias Row = Void
  let number: Int64

  static let sql = """
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
    """

  func bind(into parameters: inout PostgresParameters) { parameters.append(number) }
}

/// A number's history of decisions, the oldest first.
struct ReadDecisions: PostgresStatement {
  let number: Int64

  static let sql = """
    SELECT decision_id, decision, undoes, label, category_id, reason, note, decided_by, decided_at, expires_at
    FROM decisions
    WHERE number = $1 ORDER BY decided_at, decision_id
    """

  func bind(into parameters: inout PostgresParameters) { parameters.append(number) }

  static func decode(_ row: PostgresRow) throws -> DecisionEvent {
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

/// The decision in force for one number.
struct ReadStandingDecision: PostgresStatement {
  let number: Int64

  static let sql = """
    SELECT number, decision, label, category_id, decision_id, decided_at, expires_at FROM number_decisions
    WHERE number = $1
    """

  func bind(into parameters: inout PostgresParameters) { parameters.append(number) }

  static func decode(_ row: PostgresRow) throws -> StandingDecision { try row.standingDecision() }
}

/// All decisions in force, in ascending order of number.
struct ReadStandingDecisions: PostgresStatement {
  static let sql = """
    SELECT number, decision, label, category_id, decision_id, decided_at, expires_at FROM number_decisions
    ORDER BY number
    """

  static func decode(_ row: PostgresRow) throws -> StandingDecision { try row.standingDecision() }
}

/// The decisions in force about some numbers.
struct ReadStandingDecisionsOf: PostgresStatement {
  let numbers: [Int64]

  static let sql = """
    SELECT number, decision, label, category_id, decision_id, decided_at, expires_at FROM number_decisions
    WHERE number = ANY($1::bigint[])
    """

  func bind(into parameters: inout PostgresParameters) { parameters.append(numbers) }

  static func decode(_ row: PostgresRow) throws -> StandingDecision { try row.standingDecision() }
}

/// The decisions in force that have expired, those that expired first in front.
struct ReadExpiredDecisions: PostgresStatement {
  let time: Date
  let limit: Int

  static let sql = """
    SELECT n.number, n.decision_id FROM number_decisions n
    JOIN decisions d ON d.number = n.number AND d.decision_id = n.decision_id
    WHERE n.expires_at <= $1 AND d.expires_at <= $1 ORDER BY n.expires_at, n.number LIMIT $2::bigint
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(time)
    parameters.append(Int64(limit))
  }

  static func decode(_ row: PostgresRow) throws -> (number: Int64, decision: UUID) {
    (try row.decode(0), try row.decode(1))
  }
}

extension PostgresRow {
  fileprivate func treatment(_ text: String) throws -> Decision.Treatment {
    guard let treatment = Decision.Treatment(rawValue: text) else { throw StorageError.unknownTreatment(text) }
    return treatment
  }

  /// A category by its id; nil where the column is null.
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
