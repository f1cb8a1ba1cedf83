// SPDX-License-Identifier: Apache-2.0

package import Curation
package import Foundation
package import PostgreSQL

extension SQL {
  /// The category with the most heat of complaints about a number; no row for none.
  package static func readHottestCategory(number: Int64) -> Statement<ReportCategory> {
    Statement(
      """
      SELECT c.category_id FROM number_categories c JOIN categories k ON k.category_id = c.category_id
      WHERE c.number = $1 AND k.toxic AND c.heat > 0 ORDER BY c.heat DESC, c.category_id LIMIT 1
      """,
      number
    ) { try $0.category(0) }
  }

  /// Opens the review of a decision, once. To allow a number again does not end the review of the decision before: the new
  /// one has reach too, until the first is confirmed.
  /// - Parameter cause: nil where the policy asks for no review.
  /// - Parameter replaced: The decision that was in force before.
  package static func openReview(
    decision: Decision, cause: ReviewPolicy.Cause?, category: ReportCategory?, replaced: UUID?
  ) -> Statement<Void> {
    Statement(
      """
      INSERT INTO decision_reviews (number, decision_id, cause, decided_by, decision, category_id, state, opened_at)
      SELECT $1, $2, CASE WHEN is_unconfirmed THEN 'reach' ELSE $3 END, $4, $5, $6, 'open', $7
      FROM (
        SELECT $5 = 'allow' AND EXISTS (
          SELECT 1 FROM decision_reviews v
          WHERE v.number = $1 AND v.decision_id = $8 AND v.decision = 'allow' AND v.cause = 'reach' AND v.state <> 'confirmed'
        ) AS is_unconfirmed
      ) t
      WHERE is_unconfirmed OR $3::text IS NOT NULL
      ON CONFLICT (number, decision_id) DO NOTHING
      """,
      decision.number, decision.id, cause?.rawValue, decision.decidedBy, decision.treatment.rawValue,
      category?.rawValue, decision.decidedAt, replaced)
  }
}

/// Whether the account $1 has given its opinion about the decision of a row.
private func hasOpinion(on row: String) -> String {
  """
  EXISTS (
    SELECT 1 FROM review_opinions o
    WHERE o.number = \(row).number AND o.decision_id = \(row).decision_id AND o.account = $1::text)
  """
}

extension SQL {
  /// Open reviews of other accounts' decisions that are in force, in an order of the account's own, so that two
  /// reviewers seldom choose the same.
  package static func readOpenReviews(account: String, limit: Int) -> Statement<(item: ReviewItem, order: String)> {
    Statement(
      """
      SELECT v.number, v.decision_id, md5(v.decision_id::text || $1::text) FROM decision_reviews v
      JOIN number_decisions n ON n.number = v.number AND n.decision_id = v.decision_id
      WHERE v.state = 'open' AND v.decided_by <> $1::text
        AND NOT \(hasOpinion(on: "v"))
      ORDER BY 3 LIMIT $2::bigint
      """,
      account, Int64(limit)
    ) { try $0.reviewItem() }
  }

  /// The open review of another account's decision that is in force; no row otherwise.
  static func findReviewItem(number: Int64, decisionID: UUID, account: String) -> Statement<ReviewItem> {
    Statement(
      """
      SELECT v.number, v.decision_id FROM decision_reviews v
      JOIN number_decisions n ON n.number = v.number AND n.decision_id = v.decision_id
      WHERE v.number = $1 AND v.decision_id = $2 AND v.state = 'open' AND v.decided_by <> $3::text
      """,
      number, decisionID, account
    ) { ReviewItem(number: try $0.decode(0), decisionID: try $0.decode(1)) }
  }

  /// Golden cases that the account has neither decided, marked nor answered, in the order of open reviews.
  package static func readGoldenItems(account: String, limit: Int) -> Statement<(item: ReviewItem, order: String)> {
    Statement(
      """
      SELECT g.number, g.decision_id, md5(g.decision_id::text || $1::text) FROM golden_cases g
      JOIN number_decisions n ON n.number = g.number AND n.decision_id = g.decision_id
      WHERE g.decided_by <> $1::text AND g.marked_by <> $1::text
        AND NOT \(hasOpinion(on: "g"))
      ORDER BY 3 LIMIT $2::bigint
      """,
      account, Int64(limit)
    ) { try $0.reviewItem() }
  }

  package static func countOpinions(account: String) -> Statement<(reviews: Int, golden: Int)> {
    Statement(
      """
      SELECT count(*) FILTER (WHERE NOT is_golden), count(*) FILTER (WHERE is_golden) FROM review_opinions
      WHERE account = $1
      """,
      account
    ) { (Int(try $0.decode(0, as: Int64.self)), Int(try $0.decode(1, as: Int64.self))) }
  }

  /// Locks the review of a decision that is in force until the transaction ends; no row where there is none in these
  /// states.
  package static func lockReview(
    number: Int64, decisionID: UUID, state: String
  ) -> Statement<(decidedBy: String, treatment: Decision.Treatment)> {
    Statement(
      """
      UPDATE decision_reviews v SET state = v.state
      WHERE number = $1 AND decision_id = $2 AND state = $3
        AND EXISTS (SELECT 1 FROM number_decisions n WHERE n.number = $1 AND n.decision_id = $2)
      RETURNING decided_by, decision
      """,
      number, decisionID, state
    ) { (try $0.decode(0), try $0.storedTreatment(1)) }
  }

  /// Stores an opinion, once; returns a row when it is new.
  package static func addOpinion(opinion: ReviewOpinion, isGolden: Bool) -> Statement<Int64> {
    Statement(
      """
      INSERT INTO review_opinions (number, decision_id, account, decision, note, is_golden, reviewed_at)
      VALUES ($1, $2, $3, $4, $5, $6, $7)
      ON CONFLICT (number, decision_id, account) DO NOTHING
      RETURNING number
      """,
      opinion.number, opinion.decisionID, opinion.account, opinion.treatment.rawValue, opinion.note, isGolden,
      opinion.reviewedAt)
  }

  /// The opinions about a decision under review, the oldest first; without answers to golden cases.
  package static func readOpinions(
    number: Int64, decisionID: UUID
  ) -> Statement<
    (
      treatment: Decision.Treatment, note: String?, account: String, time: Date
    )
  > {
    Statement(
      """
      SELECT decision, note, account, reviewed_at FROM review_opinions
      WHERE number = $1 AND decision_id = $2 AND NOT is_golden ORDER BY reviewed_at, account
      """,
      number, decisionID
    ) { (try $0.storedTreatment(0), try $0.decode(1), try $0.decode(2), try $0.decode(3)) }
  }

  /// Sets the state of a review. A person who ends it is stored with it.
  package static func setReviewState(
    number: Int64, decisionID: UUID, state: String, settledBy: String?, time: Date
  ) -> Statement<Void> {
    Statement(
      """
      UPDATE decision_reviews SET state = $3, settled_by = $4,
        settled_at = CASE WHEN $4::text IS NULL THEN NULL ELSE $5::timestamptz END
      WHERE number = $1 AND decision_id = $2
      """,
      number, decisionID, state, settledBy, time)
  }

  /// Disputed decisions that are in force, the oldest first.
  package static func readDisputes(number: Int64?, limit: Int) -> Statement<Dispute> {
    Statement(
      """
      SELECT v.number, v.decision_id, v.decided_by, v.decision, v.category_id, o.decision, o.note, o.account, o.reviewed_at
      FROM decision_reviews v
      JOIN number_decisions n ON n.number = v.number AND n.decision_id = v.decision_id
      JOIN review_opinions o ON o.number = v.number AND o.decision_id = v.decision_id AND NOT o.is_golden
      WHERE v.state = 'disputed' AND ($1::bigint IS NULL OR v.number = $1::bigint)
      ORDER BY v.opened_at, v.number LIMIT $2::bigint
      """,
      number, Int64(limit)
    ) { row in
      let (number, id): (Int64, UUID) = (try row.decode(0), try row.decode(1))
      return Dispute(
        number: number, decisionID: id, decidedBy: try row.decode(2), treatment: try row.storedTreatment(3),
        category: try row.optionalCategory(4),
        opinion: try ReviewOpinion(
          number: number, decisionID: id, treatment: try row.storedTreatment(5), note: try row.decode(6),
          account: try row.decode(7), reviewedAt: try row.decode(8)))
    }
  }

  /// Decisions with an opinion since a time, by category, accounts and treatments. A decision has one opinion at most.
  static func countRatings(since: Date, until: Date? = nil) -> Statement<RatedDecisions> {
    Statement(
      """
      SELECT v.category_id, v.decided_by, v.decision, o.account, o.decision, count(*)
      FROM review_opinions o
      JOIN decision_reviews v ON v.number = o.number AND v.decision_id = o.decision_id
      WHERE NOT o.is_golden AND o.reviewed_at >= $1 AND ($2::timestamptz IS NULL OR o.reviewed_at < $2)
      GROUP BY v.category_id, v.decided_by, v.decision, o.account, o.decision
      ORDER BY v.category_id, v.decided_by, v.decision, o.account, o.decision
      """,
      since, until
    ) { row in
      RatedDecisions(
        category: try row.optionalCategory(0),
        ratings: [
          RatedDecisions.Rating(account: try row.decode(1), treatment: try row.storedTreatment(2)),
          RatedDecisions.Rating(account: try row.decode(3), treatment: try row.storedTreatment(4)),
        ], count: Int(try row.decode(5, as: Int64.self)))
    }
  }

  /// Figures of accounts as reviewers, in ascending order of name.
  static func countReviewers(account: String?, since: Date) -> Statement<ReviewerRecord> {
    Statement(
      """
      SELECT o.account, count(*) FILTER (WHERE o.is_golden), count(*) FILTER (WHERE o.is_golden AND d.decision = o.decision),
             count(*) FILTER (WHERE NOT o.is_golden), count(*) FILTER (WHERE NOT o.is_golden AND d.decision = o.decision)
      FROM review_opinions o
      JOIN decisions d ON d.number = o.number AND d.decision_id = o.decision_id
      WHERE ($1::text IS NULL OR o.account = $1::text) AND o.reviewed_at >= $2
      GROUP BY o.account ORDER BY o.account
      """,
      account, since
    ) { row in
      ReviewerRecord(
        account: try row.decode(0), golden: Int(try row.decode(1, as: Int64.self)),
        goldenRight: Int(try row.decode(2, as: Int64.self)), reviews: Int(try row.decode(3, as: Int64.self)),
        equal: Int(try row.decode(4, as: Int64.self)))
    }
  }

  /// Figures of accounts whose decisions were reviewed, in ascending order of name.
  static func countReviewed(account: String?, since: Date) -> Statement<ReviewerRecord> {
    Statement(
      """
      SELECT decided_by, count(*), count(*) FILTER (WHERE state = 'confirmed'), count(*) FILTER (WHERE state = 'overruled')
      FROM decision_reviews
      WHERE state <> 'open' AND ($1::text IS NULL OR decided_by = $1::text) AND opened_at >= $2
      GROUP BY decided_by ORDER BY decided_by
      """,
      account, since
    ) { row in
      ReviewerRecord(
        account: try row.decode(0), reviewed: Int(try row.decode(1, as: Int64.self)),
        confirmed: Int(try row.decode(2, as: Int64.self)), overruled: Int(try row.decode(3, as: Int64.self)))
    }
  }
}

extension PostgresRow {
  func storedTreatment(_ column: Int) throws -> Decision.Treatment {
    let name: String = try decode(column)
    guard let treatment = Decision.Treatment(rawValue: name) else { throw StorageError.unknownTreatment(name) }
    return treatment
  }

  fileprivate func reviewItem() throws -> (item: ReviewItem, order: String) {
    (ReviewItem(number: try decode(0), decisionID: try decode(1)), try decode(2))
  }
}

/// SQL about reviews that several statements share.
enum ReviewSQL {
  /// Whether the decision in force counts for the weights of reporters: a decision to allow that has reach does so once a
  /// second person has confirmed it.
  /// - Parameter decision: the alias of `number_decisions`.
  static func counts(_ decision: String) -> String {
    """
    (\(decision).decision <> 'allow' OR NOT EXISTS (
       SELECT 1 FROM decision_reviews v
       WHERE v.number = \(decision).number AND v.decision_id = \(decision).decision_id AND v.cause = 'reach'
         AND v.state <> 'confirmed'))
    """
  }
}
