// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import PostgreSQL

/// The comparison of stored rows `s` with recounted rows `r`, column by column.
private struct Comparison {
  /// SQL expression of a difference's name.
  let name: String
  /// A column that is never null.
  let key: String
  /// Whether a stored row is as good as none: the row of a number whose reports a list had and no longer has.
  let isEmpty: String
  /// Columns with the conditions under which they differ.
  let columns: [(name: String, differs: String)]

  static func exact(_ column: String) -> (name: String, differs: String) { (column, "s.\(column) <> r.\(column)") }

  /// A column that may be null in an existing row.
  static func nullable(_ column: String, besides key: String) -> (name: String, differs: String) {
    (column, "(s.\(column) IS DISTINCT FROM r.\(column) AND s.\(key) IS NOT NULL AND r.\(key) IS NOT NULL)")
  }

  private var differsByRow: String { "((s.\(key) IS NULL) <> (r.\(key) IS NULL) AND (\(isEmpty)) IS NOT TRUE)" }

  /// After a join of `s` and `r`: a row `v (what, stored, recounted)` for each difference. Equal rows are dropped
  /// first: converting every value to text took ten times as long as comparing it.
  var lines: String {
    let lines = columns.map { "(\(name) || '.\($0.name)', s.\($0.name)::text, r.\($0.name)::text, \($0.differs))" }
    return """
      CROSS JOIN LATERAL (VALUES
        (\(name), CASE WHEN s.\(key) IS NOT NULL THEN 'a row' END, CASE WHEN r.\(key) IS NOT NULL THEN 'a row' END,
         \(differsByRow)),
        \(lines.joined(separator: ",\n  "))
      ) v (what, stored, recounted, differs)
      WHERE v.differs AND (\(([differsByRow] + columns.map(\.differs)).joined(separator: "\n  OR ")))
      """
  }
}

extension SQL {
  private static let range = "number > $1 AND number <= $2"

  private static func decayedSum(_ column: String, _ scale: String) -> (name: String, differs: String) {
    (
      column,
      RecountSQL.differs("s.\(column)", "r.\(column)", newest: "r.last_reported_at", origin: "$3", scale: scale)
    )
  }

  private static func listSum(_ column: String) -> (name: String, differs: String) {
    (column, "abs(s.\(column) - r.\(column)) > 1e-6 * greatest(abs(s.\(column)), abs(r.\(column)))")
  }

  private static let areTooMany = ReportSQL.areTooManyNetworks(
    "s.network_bits", known: "r.network_bits", unknown: "r.unknown_networks")

  private static let numbers = Comparison(
    name: "'numbers'", key: "reports",
    isEmpty: "s.reports = 0 AND s.heat = 0 AND s.evidence = 0 AND s.legitimate = 0 AND s.day_bits = 0",
    columns: [
      decayedSum("heat", "$4"), decayedSum("evidence", "$5"), decayedSum("legitimate", "$5"),
      Comparison.exact("reports"),
      Comparison.exact("reporters"),
      // The times also cover reports that a list no longer has.
      ("first_reported_at", "s.first_reported_at > r.first_reported_at"),
      ("last_reported_at", "s.last_reported_at < r.last_reported_at"),
      Comparison.exact("day_bits"), Comparison.nullable("last_day", besides: "reports"),
      // Bits outlive the networks that set them, but not the reports.
      ("network_bits", "((r.network_bits & ~s.network_bits) <> 0 OR \(areTooMany))"),
      // The mark outlives the reports that set it.
      ("has_failed_calls", "(r.has_failed_calls AND NOT s.has_failed_calls)"),
    ])

  private static let categories = Comparison(
    name: "format('number_categories[%s]', category_id)", key: "reports",
    isEmpty: "s.reports = 0 AND s.heat = 0 AND s.evidence = 0",
    columns: [
      decayedSum("heat", "$4"), decayedSum("evidence", "$5"), Comparison.exact("reports"),
      Comparison.exact("reporters"),
    ])

  private static let sources = Comparison(
    name: "format('number_sources[%s]', app_id)", key: "complaints", isEmpty: "s.complaints = 0 AND s.day_bits = 0",
    columns: [
      Comparison.exact("complaints"), listSum("heat"), listSum("evidence"), Comparison.exact("day_bits"),
      Comparison.nullable("last_day", besides: "complaints"),
    ])

  /// Recounts the reports of an interval of numbers, and returns the differences from the stored aggregates.
  /// - Parameter after: Numbers above `after` up to and including `upTo`.
  static func findDifferences(after: Int64, upTo: Int64) -> Statement<RecountDifference> {
    Statement(
      """
      WITH \(RecountSQL.ctes(where: range, origin: "$3", heat: "$4", evidence: "$5")),
      stored_number AS (SELECT * FROM numbers WHERE \(range)),
      stored_category AS (SELECT * FROM number_categories WHERE \(range)),
      stored_source AS (SELECT * FROM number_sources WHERE \(range)),
      stored_vote AS (SELECT * FROM number_reporters WHERE \(range)),
      incomplete AS (\(RetentionSQL.incomplete(where: range))), difference AS (
      SELECT number, v.what, v.stored, v.recounted
      FROM stored_number s FULL JOIN total r USING (number)
      \(numbers.lines)
      UNION ALL
      SELECT number, v.what, v.stored, v.recounted
      FROM stored_category s FULL JOIN category r USING (number, category_id)
      \(categories.lines)
      UNION ALL
      SELECT number, v.what, v.stored, v.recounted
      FROM stored_source s FULL JOIN source r USING (number, app_id)
      \(sources.lines)
      UNION ALL
      SELECT number, format('number_reporters[%s]', left(encode(reporter, 'hex'), 8)),
             CASE WHEN s.weight IS NOT NULL
               THEN format('category %s at %s, weight %s', s.category_id, s.reported_at, s.weight) END,
             CASE WHEN r.weight IS NOT NULL
               THEN format('category %s at %s, weight %s', r.category_id, r.reported_at, r.weight) END
      FROM stored_vote s FULL JOIN word r USING (number, reporter)
      WHERE (s.category_id, s.reported_at, s.received_at, s.weight)
        IS DISTINCT FROM (r.category_id, r.reported_at, r.received_at, r.weight)
      )
      SELECT number, what, stored, recounted FROM difference d
      WHERE NOT EXISTS (SELECT 1 FROM incomplete i WHERE i.number = d.number)
      """,
      after, upTo, Decay.origin, Decay.heat.timeConstant, Decay.evidence.timeConstant
    ) { try $0.auditDifference() }
  }

  private static let comparison = Comparison(
    name: "'number_identifications'", key: "heat", isEmpty: "false",
    columns: [
      ("heat", "abs(s.heat - r.heat) > 1e-6 * greatest(abs(s.heat), abs(r.heat))"),
      Comparison.exact("named"), Comparison.exact("unknown"), Comparison.exact("last_day"),
    ])

  /// Adds up the days of an interval of numbers, and returns the differences from the stored sums.
  /// - Parameter after: Numbers above `after` up to and including `upTo`.
  static func findIdentificationDifferences(after: Int64, upTo: Int64) -> Statement<RecountDifference> {
    Statement(
      """
      WITH recount AS (\(IdentificationSQL.recount(where: range))),
      stored AS (SELECT * FROM number_identifications WHERE \(range))
      SELECT number, v.what, v.stored, v.recounted
      FROM stored s FULL JOIN recount r USING (number)
      \(comparison.lines)
      """,
      after, upTo
    ) { try $0.auditDifference() }
  }
}

extension PostgresRow {
  fileprivate func auditDifference() throws -> RecountDifference {
    RecountDifference(
      number: try decode(0), what: try decode(1), stored: try decode(2), recounted: try decode(3))
  }
}

/// The aggregates calculated from the reports.
enum RecountSQL {
  /// CTEs `word`, `category`, `source` and `total`: the expected rows of number_reporters, number_categories,
  /// number_sources and numbers. Networks that were purged are missing.
  ///
  /// - Parameters:
  ///   - numbers: a condition on `number` that selects the reports.
  ///   - origin: placeholder of the origin of decay; `heat` and `evidence` placeholders of their time constants.
  static func ctes(where numbers: String, origin: String, heat: String, evidence: String) -> String {
    """
    report AS (
      SELECT number, app_id, reporter, category_id, reported_at, received_at, weight, network,
             verification, withdrawn_at IS NULL AS stands
      FROM reports WHERE \(numbers)
    ), said AS MATERIALIZED (
      \(ReportSQL.withDays("report", countedIf: "stands"))
    ), word AS MATERIALIZED (
      SELECT DISTINCT ON (number, reporter) number, reporter, category_id, reported_at, received_at, weight
      FROM said WHERE stands AND reporter IS NOT NULL
      ORDER BY number, reporter, \(ReportSQL.newestFirst)
    ), change AS (
      SELECT number, category_id, reported_at, CASE WHEN stands AND reporter IS NULL THEN weight ELSE 0 END AS weight,
             CASE WHEN stands THEN 1 ELSE 0 END AS reports, 0 AS reporters, \(ReportSQL.marks)
      FROM said
      UNION ALL
      SELECT number, category_id, reported_at, weight, 0, CASE WHEN weight > 0 THEN 1 ELSE 0 END, NULL, NULL, NULL
      FROM word
    ), category AS MATERIALIZED (
      SELECT number, category_id, toxic, \(ReportSQL.storedSums(origin: origin, heat: heat, evidence: evidence)),
             \(ReportSQL.gatheredMarks),
             min(reported_at) AS first_reported_at, max(reported_at) AS last_reported_at
      FROM change JOIN categories USING (category_id)
      GROUP BY number, category_id, toxic
    ), source AS MATERIALIZED (
      \(ReportSQL.lists(of: "said", origin: origin, heat: heat, evidence: evidence))
    ), unknown (number, unknown_networks) AS (
      SELECT number, count(*) FROM said WHERE counts AND \(ReportSQL.hadNetwork) GROUP BY number
    ), failed AS (
      SELECT DISTINCT number FROM report WHERE stands AND verification = 2
    ), total (number, heat, evidence, legitimate, reports, reporters, first_reported_at, last_reported_at,
              last_day, day_bits, network_bits, unknown_networks,
              has_failed_calls) AS (
      SELECT number, \(ReportSQL.sums), min(first_reported_at), max(last_reported_at), \(ReportSQL.gatheredMarks),
             coalesce(max(unknown_networks), 0), count(failed.number) > 0
      FROM category LEFT JOIN unknown USING (number) LEFT JOIN failed USING (number) GROUP BY number
    )
    """
  }

  /// Whether two stored sums differ by more than a millionth of the greater one and of one fresh report at `newest`:
  /// adding in another order rounds differently, and subtracting leaves rounding errors.
  static func differs(_ stored: String, _ recounted: String, newest: String, origin: String, scale: String) -> String {
    """
    abs(\(stored) - \(recounted)) > 1e-6 * greatest(abs(\(stored)), abs(\(recounted)),
      exp(date_part('epoch', \(newest) - \(origin)::timestamptz) / \(scale)::float8))
    """
  }
}
