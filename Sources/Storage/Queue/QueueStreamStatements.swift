// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import PostgreSQL

struct StoredQueueFacts: Sendable {
  let number: Int64
  let decidedAt: Date?
  let isHeld: Bool
  let appealedAt: Date?
  let isRangeProposed: Bool
  let isPublished: Bool
  let since: Date?
  let level: Int16
  /// The version of its case; 0 where it has none.
  let version: Int64

  static func none(_ number: Int64) -> StoredQueueFacts {
    StoredQueueFacts(
      number: number, decidedAt: nil, isHeld: false, appealedAt: nil, isRangeProposed: false, isPublished: false,
      since: nil, level: 0, version: 0)
  }
}

extension SQL {
  static func countRecentReports(numbers: [Int64], since: Date) -> Statement<(number: Int64, count: Int)> {
    Statement(
      """
      SELECT number, count(*) FROM reports
      WHERE number = ANY($1::bigint[]) AND reported_at > $2 AND withdrawn_at IS NULL GROUP BY number ORDER BY number
      """,
      numbers, since
    ) { (try $0.decode(0), Int(try $0.decode(1, as: Int64.self))) }
  }
}

struct CaseEntry: Sendable {
  let entry: QueueEntry
  let country: String
  let version: Int64
  let sums: QueueSums
}

extension SQL {
  /// Writes evaluated cases. A case that has changed since its facts were read is left as it is, and stale.
  static func writeCases(entries: [CaseEntry]) -> Statement<Int64> {
    Statement(
      """
      INSERT INTO queue AS q (number, causes, urgency, country, category_id, since, version, heat, reports)
      SELECT * FROM unnest(
        $1::bigint[], $2::smallint[], $3::bigint[], $4::text[], $5::smallint[], $6::timestamptz[], $7::bigint[],
        $8::float8[], $9::bigint[])
        AS t (number, causes, urgency, country, category_id, since, version, heat, reports)
      ORDER BY t.number
      ON CONFLICT (number) DO UPDATE SET
        causes = excluded.causes, urgency = excluded.urgency, category_id = excluded.category_id,
        country = excluded.country, stale = false, heat = excluded.heat, reports = excluded.reports,
        version = q.version + CASE WHEN q.causes = excluded.causes THEN 0 ELSE 1 END
      WHERE q.version = excluded.version
        AND (q.stale OR (q.causes, q.urgency, q.category_id, q.country, q.heat, q.reports)
               IS DISTINCT FROM (excluded.causes, excluded.urgency, excluded.category_id, excluded.country,
                                 excluded.heat, excluded.reports))
      RETURNING number
      """,
      entries.map(\.entry.number), entries.map(\.entry.causes.rawValue), entries.map(\.entry.urgency),
      entries.map(\.country), entries.map { $0.entry.category?.rawValue }, entries.map(\.entry.since),
      entries.map(\.version), entries.map(\.sums.heat), entries.map(\.sums.reports))
  }

  /// Deletes cases without a cause, who passed them on and what was proposed; not those that have changed since they were evaluated.
  static func removeCases(cases: [(number: Int64, version: Int64)]) -> Statement<Int64> {
    Statement(
      """
      WITH removed AS (
        DELETE FROM queue q USING unnest($1::bigint[], $2::bigint[]) AS t (number, version)
        WHERE q.number = t.number AND q.version = t.version RETURNING q.number
      ), forgotten AS (
        DELETE FROM queue_passes p USING removed WHERE p.number = removed.number
      ), ended AS (
        DELETE FROM case_proposals p USING removed WHERE p.number = removed.number
      )
      SELECT number FROM removed
      """,
      cases.map(\.number), cases.map(\.version))
  }

  /// Numbers with a case, or with another possible cause than heat, in ascending order.
  static func readNotableNumbers() -> Statement<Int64> {
    Statement(
      """
      SELECT number FROM queue
      UNION SELECT number FROM holds WHERE NOT settled AND NOT \(HoldSQL.isUnassigned)
      UNION SELECT number FROM appeals WHERE state = 'open'
      UNION SELECT number FROM ranges WHERE state = 'proposed' AND proposed_by IS NULL
      ORDER BY 1
      """)
  }

  /// Numbers with many reports, the last one recent: some of the protected ones among them may need review.
  static func readBusyNumbers(since: Date, reports: Int) -> Statement<Int64> {
    Statement(
      "SELECT number FROM numbers WHERE last_reported_at > $1 AND reports >= $2::bigint",
      since, Int64(reports))
  }

  /// The least urgent unclaimed cases of level 0 whose only cause is a threshold, beyond a limit.
  static func findSurplusCases(keep: Int) -> Statement<(number: Int64, version: Int64)> {
    Statement(
      """
      SELECT number, version FROM queue WHERE causes = 1 AND claimed_by IS NULL AND level = 0
      ORDER BY urgency, number OFFSET $1::bigint
      """,
      Int64(keep)
    ) { (try $0.decode(0), try $0.decode(1)) }
  }
}
