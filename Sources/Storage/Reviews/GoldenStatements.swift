// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import PostgreSQL

extension SQL {
  /// Marks a decision as a golden case, once; returns a row when it is new.
  static func addGoldenCase(
    decision: StandingDecision, decidedBy: String, category: ReportCategory?, account: String, time: Date
  ) -> Statement<Int64> {
    Statement(
      """
      INSERT INTO golden_cases (number, decision_id, decided_by, decision, category_id, marked_by, marked_at)
      VALUES ($1, $2, $3, $4, $5, $6, $7)
      ON CONFLICT (number, decision_id) DO NOTHING
      RETURNING number
      """,
      decision.number, decision.decisionID, decidedBy, decision.treatment.rawValue, category?.rawValue, account, time
    ) { try $0.decode(0) }
  }

  /// Removes the mark of a golden case; returns a row where there was one.
  static func removeGoldenCase(number: Int64, decisionID: UUID) -> Statement<Int64> {
    Statement(
      "DELETE FROM golden_cases WHERE number = $1 AND decision_id = $2 RETURNING number",
      number, decisionID
    ) { try $0.decode(0) }
  }

  /// A golden case whose decision is in force and that the account may answer; no row otherwise.
  static func findGoldenItem(number: Int64, decisionID: UUID, account: String) -> Statement<ReviewItem> {
    Statement(
      """
      SELECT g.number, g.decision_id FROM golden_cases g
      JOIN number_decisions n ON n.number = g.number AND n.decision_id = g.decision_id
      WHERE g.number = $1 AND g.decision_id = $2 AND g.decided_by <> $3::text AND g.marked_by <> $3::text
      """,
      number, decisionID, account
    ) { ReviewItem(number: try $0.decode(0), decisionID: try $0.decode(1)) }
  }

  /// Golden cases, the newest first.
  static func readGoldenCases(limit: Int) -> Statement<GoldenCase> {
    Statement(
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
}
