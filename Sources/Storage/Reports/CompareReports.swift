// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import PostgreSQL

/// Compares reports that were not stored with the existing ones; see ``AcceptReports``.
struct CompareReports: PostgresStatement {
  let reports: [Report]

  static let sql = """
    SELECT i.ordinal, min(\(ReportSQL.state))
    FROM unnest($1::bigint[], $2::integer[], $3::uuid[], $4::timestamptz[], $5::smallint[], $6::bytea[], $7::text[])
      WITH ORDINALITY AS i (number, app_id, report_id, reported_at, category_id, reporter, comment, ordinal)
    JOIN reports r ON r.app_id = i.app_id AND r.report_id = i.report_id
    GROUP BY i.ordinal
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(reports)
    parameters.append(reports.map(\.comment))
  }

  static func decode(_ row: PostgresRow) throws -> (ordinal: Int, outcome: ReportOutcome) {
    (Int(try row.decode(0, as: Int64.self)), ReportSQL.outcome(try row.decode(1)))
  }
}
