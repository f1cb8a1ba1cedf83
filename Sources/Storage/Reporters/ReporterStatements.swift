// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import PostgreSQL

/// A reporter as recounted and as stored.
struct RecountedReporter: Sendable {
  let reporter: Reporter
  /// Nil for a newcomer.
  let record: ReporterRecord?
  let stored: ReporterRecord?
  let storedIsEstablished: Bool?
  let storedWeight: Float?
}

extension SQL {
  /// Records of reporters, recounted from reports, decisions and holds, with the stored ones: of all reporters with
  /// more than a newcomer's record, and of all with a stored record.
  static func recountReporters(time: Date) -> Statement<RecountedReporter> {
    // Votes are compared with decisions by the reports and not by the stored votes: a reporter's present vote may be
    // newer than the decision and would hide the earlier one, to which the decision applies. A report withdrawn after the
    // decision still counts, since a withdrawal removes nothing from a record. A decision that awaits its confirmation
    // is ignored, and so is a report that counts on its own day: its app may have sent it after the decision.
    Statement(
      """
      WITH mine AS (
        SELECT r.reporter, r.number, min(r.received_at) AS arrived_at,
               bool_or(n.reporters >= \(ReporterWeight.establishedSharers)) AS is_shared
        FROM reports r JOIN numbers n ON n.number = r.number
        WHERE r.reporter IS NOT NULL AND r.withdrawn_at IS NULL GROUP BY r.reporter, r.number
      ), reported AS (
        SELECT reporter, min(arrived_at) AS first_received_at, (count(*) FILTER (WHERE is_shared))::integer AS numbers,
               min(arrived_at) FILTER (WHERE is_shared AND arrived_at >= first_shared_at + $3::interval) AS confirmed_at
        FROM (
          SELECT *, min(arrived_at) FILTER (WHERE is_shared) OVER (PARTITION BY reporter) AS first_shared_at FROM mine
        ) t
        GROUP BY reporter
      ), vouched AS (
        SELECT reporter, min(since)::timestamp AT TIME ZONE 'UTC' AS since FROM vouched_reporters GROUP BY reporter
      ), said AS (
        SELECT reporter, least(first_received_at, since) AS first_received_at, numbers,
               greatest(least(first_received_at, since) + $4::interval, confirmed_at) AS established_at, confirmed_at
        FROM reported LEFT JOIN vouched USING (reporter)
      ), word AS (
        SELECT DISTINCT ON (r.number, r.reporter) r.number, r.reporter, r.category_id
        FROM number_decisions n
        JOIN reports r ON r.number = n.number
        WHERE r.reporter IS NOT NULL AND r.received_at < n.decided_at AND r.received_at <> r.reported_at
          AND (r.withdrawn_at IS NULL OR r.withdrawn_at > n.decided_at)
        ORDER BY r.number, r.reporter, r.reported_at DESC, r.received_at DESC
      ), judged AS (
        SELECT w.reporter, count(*)::integer AS judged,
               (count(*) FILTER (WHERE c.toxic = (n.decision <> 'allow')))::integer AS agreed
        FROM number_decisions n
        JOIN word w ON w.number = n.number
        JOIN categories c ON c.category_id = w.category_id
        LEFT JOIN categories decided ON decided.category_id = n.category_id
        WHERE (n.decision <> 'identify' OR decided.toxic) AND \(ReviewSQL.counts("n"))
        GROUP BY w.reporter
      ), caught AS (
        SELECT b.reporter, count(*)::integer AS brigades
        FROM hold_reporters b
        JOIN holds h ON h.number = b.number
        JOIN number_decisions n ON n.number = b.number
        WHERE n.decision = 'allow' AND n.decided_at >= h.held_at AND \(ReviewSQL.counts("n"))
        GROUP BY b.reporter
      ), known AS (
        SELECT reporter, coalesce(first_received_at, $1::timestamptz) AS first_received_at,
               coalesce(numbers, 0) AS numbers, CASE WHEN confirmed_at IS NOT NULL THEN established_at END AS established_at,
               coalesce(judged, 0) AS judged, coalesce(agreed, 0) AS agreed,
               coalesce(brigades, 0) AS brigades
        FROM said FULL JOIN caught USING (reporter) FULL JOIN judged USING (reporter)
        WHERE judged > 0 OR brigades > 0 OR (confirmed_at IS NOT NULL AND first_received_at <= $2::timestamptz)
      )
      SELECT reporter, k.first_received_at, k.numbers, k.established_at, k.judged, k.agreed, k.brigades,
             s.first_received_at, s.numbers, s.established_at, s.judged, s.agreed, s.brigades, s.is_established, w.weight
      FROM known k FULL JOIN reporters s USING (reporter) FULL JOIN reporter_weights w USING (reporter)
      WHERE w.restricted_at IS NULL
      """,
      time, time.addingTimeInterval(-ReporterWeight.establishedAge),
      "\(Int(ReporterWeight.establishedActiveTime)) s", "\(Int(ReporterWeight.establishedAge)) s"
    ) { row in
      let reporter = Reporter(try row.decode(0))
      func record(from column: Int) throws -> ReporterRecord? {
        try row.decode(column, as: Date?.self).map { _ in try row.reporterRecord(reporter, from: column) }
      }
      return RecountedReporter(
        reporter: reporter, record: try record(from: 1), stored: try record(from: 7),
        storedIsEstablished: try row.decode(13),
        storedWeight: try row.decode(14))
    }
  }

  static func storeReporters(records: [ReporterRecord], time: Date) -> Statement<Void> {
    Statement(
      """
      INSERT INTO reporters (reporter, first_received_at, numbers, established_at, judged, agreed, brigades,
                             is_established, recounted_at)
      SELECT *, $9::timestamptz
      FROM unnest($1::bytea[], $2::timestamptz[], $3::integer[], $4::timestamptz[], $5::integer[], $6::integer[],
                  $7::integer[], $8::boolean[])
        AS t (reporter, first_received_at, numbers, established_at, judged, agreed, brigades, is_established)
      ORDER BY reporter
      ON CONFLICT (reporter) DO UPDATE SET
        first_received_at = excluded.first_received_at, numbers = excluded.numbers,
        established_at = excluded.established_at, judged = excluded.judged,
        agreed = excluded.agreed, brigades = excluded.brigades, is_established = excluded.is_established,
        recounted_at = excluded.recounted_at
      """,
      records.map(\.reporter.bytes), records.map(\.firstReceivedAt), records.map { Int32($0.numbers) },
      records.map(\.establishedAt), records.map { Int32($0.judged) }, records.map { Int32($0.agreed) },
      records.map { Int32($0.brigades) },
      records.map { $0.isEstablished(at: time) }, time)
  }

  /// Deletes the records of reporters who are newcomers again.
  static func forgetReporters(reporters: [Reporter]) -> Statement<Void> {
    Statement("DELETE FROM reporters WHERE reporter = ANY($1::bytea[])", reporters.map(\.bytes))
  }

  static func storeWeights(weights: [(reporter: Reporter, weight: Float)], time: Date) -> Statement<Void> {
    Statement(
      """
      INSERT INTO reporter_weights (reporter, weight, changed_at)
      SELECT reporter, weight, $3::timestamptz FROM unnest($1::bytea[], $2::real[]) AS t (reporter, weight)
      ORDER BY reporter
      ON CONFLICT (reporter) DO UPDATE SET weight = excluded.weight, changed_at = excluded.changed_at
      WHERE reporter_weights.restricted_at IS NULL
      """,
      weights.map(\.reporter.bytes), weights.map(\.weight), time)
  }

  /// Deletes weights, so that a newcomer's weight applies.
  static func forgetWeights(reporters: [Reporter]) -> Statement<Void> {
    Statement(
      "DELETE FROM reporter_weights WHERE reporter = ANY($1::bytea[]) AND restricted_at IS NULL", reporters.map(\.bytes)
    )
  }
}

/// The weight that a reporter's report should have: 0 for a protected number and a false caller.
private enum ReweighSQL {
  /// - Parameters:
  ///   - unweighed: placeholder of the protected numbers, whose reports have the weight 0.
  ///   - newcomer: placeholder of a newcomer's weight.
  static func due(unweighed: String, newcomer: String) -> String {
    """
    CASE WHEN r.number = ANY(\(unweighed)::bigint[]) OR r.verification = 2 THEN 0
         ELSE \(ReportSQL.reporterWeight(of: "r", newcomer: newcomer)) END
    """
  }
}

extension SQL {
  /// The numbers of an interval that have a row, in ascending order.
  static func readNumbersOfRange(after: Int64, upTo: Int64) -> Statement<Int64> {
    Statement(
      "SELECT number FROM numbers WHERE number > $1 AND number <= $2 ORDER BY number",
      after, upTo)
  }

  /// The numbers of an interval with a report whose weight differs from the one it should have, in ascending order;
  /// without numbers whose reports were partly dropped, because reweighting would damage their aggregates.
  static func findMisweighed(after: Int64, upTo: Int64, unweighed: [Int64]) -> Statement<Int64> {
    Statement(
      """
      SELECT DISTINCT r.number FROM reports r
      WHERE r.number > $1 AND r.number <= $2 AND r.reporter IS NOT NULL
        AND r.weight <> \(ReweighSQL.due(unweighed: "$3", newcomer: "$4"))
        AND \(RetentionSQL.isWhole("r.number"))
      ORDER BY r.number
      """,
      after, upTo, unweighed, Float(ReporterWeight.newcomer))
  }

  /// Sets the weights of the reports of numbers to those that they should have.
  static func reweigh(numbers: [Int64], unweighed: [Int64]) -> Statement<Void> {
    Statement(
      """
      UPDATE reports r SET weight = \(ReweighSQL.due(unweighed: "$2", newcomer: "$3"))
      WHERE r.number = ANY($1::bigint[]) AND r.reporter IS NOT NULL
        AND r.weight <> \(ReweighSQL.due(unweighed: "$2", newcomer: "$3"))
      """,
      numbers, unweighed, Float(ReporterWeight.newcomer))
  }

  /// Reporters who took part in a burst, those with most bursts first.
  static func readCaughtReporters(after: ReporterCursor?, limit: Int) -> Statement<ReporterLine> {
    readReporters(by: "r.brigades", after: after, limit: limit)
  }

  /// Reporters whose votes were compared with decisions, those with most comparisons first.
  static func readJudgedReporters(after: ReporterCursor?, limit: Int) -> Statement<ReporterLine> {
    readReporters(by: "r.judged", after: after, limit: limit)
  }

  private static func readReporters(by count: String, after: ReporterCursor?, limit: Int) -> Statement<ReporterLine> {
    Statement(
      """
      SELECT r.reporter, r.first_received_at, r.numbers, r.established_at, r.judged, r.agreed, r.brigades, r.is_established, w.weight
      FROM reporters r LEFT JOIN reporter_weights w ON w.reporter = r.reporter
      WHERE \(count) > 0
        AND ($1::integer IS NULL OR \(count) < $1::integer OR (\(count) = $1::integer AND r.reporter > $2::bytea))
      ORDER BY \(count) DESC, r.reporter LIMIT $3::bigint
      """,
      after?.rank, after?.reporter.bytes, Int64(limit)
    ) { try $0.reporterLine() }
  }

  static func countReporters() -> Statement<ReporterCounts> {
    Statement(
      """
      SELECT count(*), count(*) FILTER (WHERE is_established), count(*) FILTER (WHERE judged >= $1::integer),
             count(*) FILTER (WHERE brigades > 0), max(recounted_at)
      FROM reporters
      """,
      Int32(ReporterWeight.minJudged)
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
      record: try reporterRecord(Reporter(try decode(0)), from: 1), isEstablished: try decode(7),
      weight: try decode(8, as: Float?.self).map(Double.init) ?? ReporterWeight.newcomer)
  }

  /// The record in six columns.
  fileprivate func reporterRecord(_ reporter: Reporter, from column: Int) throws -> ReporterRecord {
    ReporterRecord(
      reporter: reporter, firstReceivedAt: try decode(column), numbers: Int(try decode(column + 1, as: Int32.self)),
      establishedAt: try decode(column + 2),
      judged: Int(try decode(column + 3, as: Int32.self)), agreed: Int(try decode(column + 4, as: Int32.self)),
      brigades: Int(try decode(column + 5, as: Int32.self)))
  }
}
