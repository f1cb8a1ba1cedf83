// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import PostgreSQL

extension SQL {
  /// Compares reports that were not stored with the existing ones; see ``SQL/acceptReports(_:receivedAt:byNumber:)``.
  static func compareReports(reports: [Report]) -> Statement<(ordinal: Int, outcome: ReportOutcome)> {
    Statement(
      """
      SELECT i.ordinal, min(\(ReportSQL.state))
      FROM unnest($1::bigint[], $2::integer[], $3::uuid[], $4::timestamptz[], $5::smallint[], $6::bytea[], $7::text[])
        WITH ORDINALITY AS i (number, app_id, report_id, reported_at, category_id, reporter, comment, ordinal)
      JOIN reports r ON r.app_id = i.app_id AND r.report_id = i.report_id
      GROUP BY i.ordinal
      """,
      ReportColumns(reports: reports), reports.map(\.comment)
    ) { (Int(try $0.decode(0, as: Int64.self)), ReportSQL.outcome(try $0.decode(1))) }
  }
}
