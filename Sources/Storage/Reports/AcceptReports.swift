// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import PostgreSQL

extension SQL {
  /// Stores a batch of reports, replaces votes and updates the aggregates, in one statement.
  ///
  /// Returns the ordinals (from 1) of reports that were not stored, and why; all others are new. A reporter's earlier
  /// vote is read from the row that `ON CONFLICT` locks, so two servers that store two reports of one reporter at once
  /// still subtract the earlier vote exactly once. A report older than the vote changes only the count of reports; of two
  /// reports with the same time the one that arrived later is the vote, and within a batch each arrives a microsecond
  /// after the one before it. Rows are sorted by their keys, so that two batches lock them in the same order.
  ///
  /// The id of a reporter's report is searched among the app's in the months around the batch, and the id of a report without a
  /// reporter among those about its number. Two batches that store the same id with different numbers at the same moment may
  /// both succeed: then the app has two reports, each with its own content, which a withdrawal removes together. No report is
  /// lost, and the app could have done the same with two ids.
  ///
  /// A report is stored with its effective weight: the sent weight times the reporter's weight (a newcomer's where none
  /// is stored, which depends on what the phone has attested), or, for a list's row, the list's. Reporters' weights are
  /// looked up one by one, like known reports.
  ///
  /// An erased report counts as withdrawn.
  ///
  /// On a cluster ids of reports belong to a number, because the look-up by app and id would ask every shard (record
  /// 0074): there a report with the id of another number's report is new.
  /// - Parameter tables: of the numbers of all reports.
  static func acceptReports(
    _ reports: [Report], receivedAt: Date, in tables: IntakeTables = .schema
  ) -> Statement<(ordinal: Int, outcome: ReportOutcome?)> {
    let times = reports.map(\.reportedAt)
    return Statement(
      tables.acceptReports,
      ReportColumns(reports: reports), reports.map(\.weight), reports.map(\.comment), reports.map(\.network),
      receivedAt, Decay.origin, Decay.heat.timeConstant, Decay.evidence.timeConstant,
      (times.min() ?? receivedAt).addingTimeInterval(-reportIDWindow),
      (times.max() ?? receivedAt).addingTimeInterval(reportIDWindow), Float(ReporterWeight.newcomer),
      reports.map(\.keyID), reports.map(\.verification?.code),
      reports.contains { $0.arrivedAt != nil } ? reports.map(\.arrivedAt) : nil
    ) { row in
      // No outcome where another server stored the report a moment ago.
      let state: Int32? = try row.decode(1)
      return (Int(try row.decode(0, as: Int64.self)), state.map(ReportSQL.outcome))
    }
  }

  /// How far before and after a report, in seconds, a second report with its id is searched: 31 days.
  static let reportIDWindow: TimeInterval = 31 * 86_400

  /// For the transaction of ``acceptReports(_:receivedAt:in:)``. The plan is cached, and one made while a
  /// month's partition was empty would scan that partition for every batch until statistics are refreshed. For the same
  /// reason known reports are looked up one by one, which no plan can turn into a join with the complete table.
  ///
  /// Each table of the statement has an index for its condition. PostgreSQL 15 to 17 add 10¹⁰ to the cost of a plan that
  /// reads a table without one, and compile it for seconds (`jit_above_cost`).
  static func useIndexes() -> Statement<Void> { Statement("SELECT set_config('enable_seqscan', 'off', true)") }

  /// The text of ``acceptReports(_:receivedAt:in:)``.
  static func acceptReportsText(in tables: TableNames) -> String {
    """
    WITH list AS (
      SELECT app_id, weight FROM \(tables["source_rules"])
      WHERE version = (SELECT max(version) FROM \(tables["threshold_versions"]))
    ), input AS (
      SELECT *
      FROM unnest($1::bigint[], $2::integer[], $3::uuid[], $4::timestamptz[], $5::smallint[], $6::bytea[], $7::real[],
                  $8::text[], $9::bytea[], $17::integer[], $18::smallint[], $19::timestamptz[])
        WITH ORDINALITY
        AS t (number, app_id, report_id, reported_at, category_id, reporter, weight, comment, network, key_id, verification,
              arrived_at, ordinal)
    ), known AS (
      \(knownInput(in: tables)) UNION ALL
      \(erasedInput(in: tables))
    ), inserted AS (
      INSERT INTO \(tables["reports"])
        (number, app_id, report_id, reported_at, received_at, category_id, reporter, weight, comment, network, key_id,
         verification)
      SELECT number, app_id, report_id, reported_at,
             coalesce(arrived_at, $10::timestamptz + ordinal * interval '1 microsecond'), category_id, reporter,
             weight * CASE WHEN reporter IS NULL THEN coalesce(
                 (SELECT l.weight FROM list l WHERE l.app_id = i.app_id), (SELECT l.weight FROM list l WHERE l.app_id = 0), 1)
               ELSE \(ReportSQL.reporterWeight(of: "i", newcomer: "$16", in: tables)) END,
             comment, network, key_id, verification
      FROM input i WHERE NOT EXISTS (SELECT 1 FROM known k WHERE k.ordinal = i.ordinal)
      ORDER BY number, app_id, report_id, reported_at
      ON CONFLICT (number, app_id, report_id, reported_at) DO NOTHING
      RETURNING number, app_id, report_id, reported_at, received_at, category_id, reporter, weight, network
    ), said AS (
      \(ReportSQL.withDays("inserted", in: tables))
    ), latest AS (
      SELECT DISTINCT ON (number, reporter) number, reporter, category_id, reported_at, received_at, weight
      FROM inserted WHERE reporter IS NOT NULL
      ORDER BY number, reporter, \(ReportSQL.newestFirst)
    ), counted AS (
      INSERT INTO \(tables["number_reporters"]) AS r (number, reporter, category_id, reported_at, received_at, weight)
      SELECT number, reporter, category_id, reported_at, received_at, weight FROM latest ORDER BY number, reporter
      ON CONFLICT (number, reporter) DO UPDATE SET
        previous_category_id = r.category_id, previous_reported_at = r.reported_at, previous_weight = r.weight,
        category_id = excluded.category_id, reported_at = excluded.reported_at, received_at = excluded.received_at,
        weight = excluded.weight
      WHERE (excluded.reported_at, excluded.received_at, excluded.category_id, excluded.weight)
          > (r.reported_at, r.received_at, r.category_id, r.weight)
      RETURNING number, category_id, reported_at, weight, previous_category_id, previous_reported_at, previous_weight
    ), change AS (
      SELECT number, category_id, reported_at, CASE WHEN reporter IS NULL THEN weight ELSE 0 END AS weight, 1 AS reports,
             0 AS reporters, \(ReportSQL.marks), reporter IS NOT NULL AS by_reporter
      FROM said
      UNION ALL
      SELECT number, category_id, reported_at, weight, 0, CASE WHEN weight > 0 THEN 1 ELSE 0 END, NULL, NULL, NULL, true
      FROM counted
      UNION ALL
      SELECT number, previous_category_id, previous_reported_at, -previous_weight, 0,
             CASE WHEN previous_weight > 0 THEN -1 ELSE 0 END, NULL, NULL, NULL, true
      FROM counted WHERE previous_category_id IS NOT NULL
    ), delta AS (
      SELECT number, category_id, toxic, \(ReportSQL.storedSums(origin: "$11", heat: "$12", evidence: "$13")),
             \(ReportSQL.gatheredMarks), min(reported_at) AS first_reported_at, max(reported_at) AS last_reported_at,
             bool_or(by_reporter) AS by_reporter
      FROM change JOIN \(tables["categories"]) USING (category_id)
      GROUP BY number, category_id, toxic
    ), by_category AS (
      INSERT INTO \(tables["number_categories"]) AS c (number, category_id, heat, evidence, reports, reporters)
      SELECT number, category_id, heat, evidence, reports, reporters FROM delta ORDER BY number, category_id
      \(ReportSQL.addToCategory)
    ), by_number AS (
      INSERT INTO \(tables["numbers"]) AS n
        (number, heat, evidence, legitimate, reports, reporters, first_reported_at, last_reported_at,
         last_day, day_bits, network_bits, last_received_at)
      SELECT number, \(ReportSQL.sums), min(first_reported_at), max(last_reported_at), \(ReportSQL.gatheredMarks),
             CASE WHEN bool_or(by_reporter)
                  THEN $10::timestamptz + cardinality($1::bigint[]) * interval '1 microsecond' END
      FROM delta GROUP BY number ORDER BY number
      \(ReportSQL.addToNumber)
    ), by_list AS (
      INSERT INTO \(tables["number_sources"]) AS s (number, app_id, complaints, heat, evidence, day_bits, last_day)
      \(ReportSQL.lists(of: "said", origin: "$11", heat: "$12", evidence: "$13")) ORDER BY number, app_id
      \(ReportSQL.addToList)
    )
    SELECT i.ordinal, k.state
    FROM input i
    LEFT JOIN inserted USING (number, app_id, report_id, reported_at)
    LEFT JOIN known k ON k.ordinal = i.ordinal
    WHERE inserted.number IS NULL
    """
  }

  private static func knownInput(in tables: TableNames) -> String {
    let conditions =
      tables.ofApp.map { [$0, "i.reporter IS NULL AND \(TableNames.ofNumber)"] } ?? [TableNames.ofNumber]
    return conditions.map { condition in
      """
      SELECT i.ordinal, found.state
      FROM input i CROSS JOIN LATERAL (
        SELECT min(\(ReportSQL.state)) AS state FROM \(tables["reports"]) r
        WHERE \(condition) AND r.reported_at BETWEEN $14::timestamptz AND $15::timestamptz
      ) found
      WHERE found.state IS NOT NULL
      """
    }.joined(separator: " UNION ALL ")
  }

  /// Compares reports that were not stored with the existing ones; see ``SQL/acceptReports(_:receivedAt:in:)``. A report without
  /// a reporter may have the key of one with a reporter.
  static func compareReports(
    reports: [Report], in tables: TableNames = .schema
  ) -> Statement<(ordinal: Int, outcome: ReportOutcome)> {
    let found = [tables.ofApp, TableNames.ofNumber].compactMap(\.self).map {
      "SELECT i.ordinal, \(ReportSQL.state) AS state FROM input i JOIN \(tables["reports"]) r ON \($0)"
    }
    return Statement(
      """
      WITH input AS (
        SELECT * FROM unnest($1::bigint[], $2::integer[], $3::uuid[], $4::timestamptz[], $5::smallint[], $6::bytea[], $7::text[])
          WITH ORDINALITY AS t (number, app_id, report_id, reported_at, category_id, reporter, comment, ordinal)
      )
      SELECT ordinal, min(state) FROM (\(found.joined(separator: " UNION ALL "))) found GROUP BY ordinal
      """,
      ReportColumns(reports: reports), reports.map(\.comment)
    ) { (Int(try $0.decode(0, as: Int64.self)), ReportSQL.outcome(try $0.decode(1))) }
  }
}
