// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import PostgreSQL

extension SQL {
  /// Reporters who took part in a burst, those with most bursts first.
  static func readCaughtReporters(after: ReporterCursor?, limit: Int) -> Statement<ReporterLine> {
    Statement(
      """
      SELECT r.reporter, r.first_received_at, r.numbers, r.judged, r.agreed, r.brigades, r.is_established, w.weight
      FROM reporters r LEFT JOIN reporter_weights w ON w.reporter = r.reporter
      WHERE r.brigades > 0
        AND ($1::integer IS NULL OR r.brigades < $1::integer OR (r.brigades = $1::integer AND r.reporter > $2::bytea))
      ORDER BY r.brigades DESC, r.reporter LIMIT $3::bigint
      """,
      after?.rank, after?.reporter.bytes, Int64(limit)
    ) { try $0.reporterLine() }
  }

  /// Reporters whose votes were compared with decisions, those with most comparisons first.
  static func readJudgedReporters(after: ReporterCursor?, limit: Int) -> Statement<ReporterLine> {
    Statement(
      """
      SELECT r.reporter, r.first_received_at, r.numbers, r.judged, r.agreed, r.brigades, r.is_established, w.weight
      FROM reporters r LEFT JOIN reporter_weights w ON w.reporter = r.reporter
      WHERE r.judged > 0
        AND ($1::integer IS NULL OR r.judged < $1::integer OR (r.judged = $1::integer AND r.reporter > $2::bytea))
      ORDER BY r.judged DESC, r.reporter LIMIT $3::bigint
      """,
      after?.rank, after?.reporter.bytes, Int64(limit)
    ) { try $0.reporterLine() }
  }

  /// Number of reporters by kind.
  static func countReporters() -> Statement<ReporterCounts> {
    Statement(
      """
      SELECT count(*), count(*) FILTER (WHERE is_established), count(*) FILTER (WHERE judged >= $1::integer),
             count(*) FILTER (WHERE brigades > 0), max(recounted_at)
      FROM reporters
      """,
      Int32(ReporterWeight.leastJudged)
    ) { row in
      ReporterCounts(
        known: try row.decode(0), established: try row.decode(1), judged: try row.decode(2), caught: try row.decode(3),
        recountedAt: try row.decode(4))
    }
  }
}

extension PostgresRow {
  fileprivate func reporterLine() throws -> ReporterLine {
    ReporterLine(
      record: ReporterRecord(
        reporter: Reporter(try decode(0)), firstReceivedAt: try decode(1),
        numbers: Int(try decode(2, as: Int32.self)), judged: Int(try decode(3, as: Int32.self)),
        agreed: Int(try decode(4, as: Int32.self)), brigades: Int(try decode(5, as: Int32.self))),
      isEstablished: try decode(6),
      weight: try decode(7, as: Float?.self).map(Double.init) ?? ReporterWeight.newcomer)
  }
}
