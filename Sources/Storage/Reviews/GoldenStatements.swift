// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import PostgreSQL

/// Marks a decision as a golden case, once; returns a row when it is new.
struct AddGoldenCase: PostgresStatement {
  let decision: StandingDecision
  let decidedBy: String
  let category: ReportCategory?
  let account: String
  let time: Date

  static let sql = """
    INSERT INTO golden_cases (number, decision_id, decided_by, decision, category_id, marked_by, marked_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7)
    ON CONFLICT (number, decision_id) DO NOTHING
    RETURNING number
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(decision.number)
    parameters.append(decision.decisionID)
    parameters.append(decidedBy)
    parameters.append(decision.treatment.rawValue)
    parameters.append(category?.rawValue)
    parameters.append(account)
    parameters.append(time)
  }

  static func decode(_ row: PostgresRow) throws -> Int64 { try row.decode(0) }
}

/// Removes the mark of a golden case; returns a row where there was one.
struct RemoveGoldenCase: PostgresStatement {
  let number: Int64
  let decisionID: UUID

  static let sql = "DELETE FROM golden_cases WHERE number = $1 AND decision_id = $2 RETURNING number"

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(number)
    parameters.append(decisionID)
  }

  static func decode(_ row: PostgresRow) throws -> Int64 { try row.decode(0) }
}

/// A golden case whose decision is in force and that the account may answer; no row otherwise.
struct FindGoldenItem: PostgresStatement {
  let number: Int64
  let decisionID: UUID
  let account: String

  static let sql = """
    SELECT g.number, g.decision_id FROM golden_cases g
    JOIN number_decisions n ON n.number = g.number AND n.decision_id = g.decision_id
    WHERE g.number = $1 AND g.decision_id = $2 AND g.decided_by <> $3::text AND g.marked_by <> $3::text
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(number)
    parameters.append(decisionID)
    parameters.append(account)
  }

  static func decode(_ row: PostgresRow) throws -> ReviewItem {
    ReviewItem(number: try row.decode(0), decisionID: try row.decode(1))
  }
}

/// Golden cases, the newest first.
struct ReadGoldenCases: PostgresStatement {
  let limit: Int

  static let sql = """
    SELECT g.number, g.decision_id, g.decision, g.marked_by, g.marked_at, count(o.account),
           count(o.account) FILTER (WHERE o.decision = g.decision)
    FROM golden_cases g
    LEFT JOIN review_opinions o ON o.number = g.number AND o.decision_id = g.decision_id AND o.is_golden
    GROUP BY g.number, g.decision_id, g.decision, g.marked_by, g.marked_at
    ORDER BY g.marked_at DESC, g.number LIMIT $1::bigint
    """

  func bind(into parameters: inout PostgresParameters) { parameters.append(Int64(limit)) }

  static func decode(_ row: PostgresRow) throws -> GoldenCase {
    GoldenCase(
      number: try row.decode(0), decisionID: try row.decode(1), treatment: try row.storedTreatment(2),
      markedBy: try row.decode(3), markedAt: try row.decode(4), answers: Int(try row.decode(5, as: Int64.self)),
      right: Int(try row.decode(6, as: Int64.self)))
  }
}
