// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import PostgreSQL

/// A part of the change.
struct AggregateChange: Sendable {
  let word: Word
  /// Factor of the vote's weight: 1, 0 or −1.
  let weight: Int32
  let reports: Int32
  let reporters: Int32
}

extension SQL {
  /// Adds to or subtracts from the aggregates of one number.
  ///
  /// Where no report is left in a category its sums become exactly 0, without rounding errors. The times of the first and
  /// last report are kept: they cover all reports so far.
  static func changeAggregates(number: Int64, parts: [AggregateChange]) -> Statement<Void> {
    Statement(
      """
      WITH change AS (
        SELECT * FROM unnest($2::smallint[], $3::timestamptz[], $4::real[], $5::integer[], $6::integer[])
          AS t (category_id, reported_at, weight, reports, reporters)
      ), delta AS (
        SELECT category_id, toxic, \(ReportSQL.storedSums(origin: "$7", heat: "$8", evidence: "$9"))
        FROM change JOIN categories USING (category_id)
        GROUP BY category_id, toxic ORDER BY category_id
      ), by_category AS (
        UPDATE number_categories c SET
          heat = CASE WHEN c.reports + m.reports = 0 THEN 0 ELSE greatest(0, c.heat + m.heat) END,
          evidence = CASE WHEN c.reports + m.reports = 0 THEN 0 ELSE greatest(0, c.evidence + m.evidence) END,
          reports = c.reports + m.reports, reporters = c.reporters + m.reporters
        FROM delta m WHERE c.number = $1 AND c.category_id = m.category_id
      ), total (heat, evidence, legitimate, reports, reporters) AS (SELECT \(ReportSQL.sums) FROM delta)
      UPDATE numbers n SET
        heat = CASE WHEN n.reports + t.reports = 0 THEN 0 ELSE greatest(0, n.heat + t.heat) END,
        evidence = CASE WHEN n.reports + t.reports = 0 THEN 0 ELSE greatest(0, n.evidence + t.evidence) END,
        legitimate = CASE WHEN n.reports + t.reports = 0 THEN 0 ELSE greatest(0, n.legitimate + t.legitimate) END,
        reports = n.reports + t.reports, reporters = n.reporters + t.reporters
      FROM total t WHERE n.number = $1
      """,
      number, parts.map(\.word.category.rawValue), parts.map(\.word.reportedAt),
      parts.map { $0.word.weight * Float($0.weight) }, parts.map(\.reports), parts.map(\.reporters), Decay.origin,
      Decay.heat.timeConstant, Decay.evidence.timeConstant)
  }
}
