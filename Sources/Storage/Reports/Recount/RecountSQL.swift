// SPDX-License-Identifier: Apache-2.0

/// The aggregates calculated from the reports.
enum RecountSQL {
  /// CTEs `word`, `category`, `source` and `total`: the expected rows of number_reporters, number_categories,
  /// number_sources and numbers. Networks that were purged are missing.
  ///
  /// - Parameters:
  ///   - numbers: a condition on `number` that selects the reports.
  ///   - origin: placeholder of the origin of decay; `heat` and `evidence` those of their time constants.
  static func ctes(where numbers: String, origin: String, heat: String, evidence: String) -> String {
    """
    report AS (
      SELECT number, app_id, reporter, category_id, reported_at, received_at, weight, network,
             withdrawn_at IS NULL AS stands
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
      \(ReportSQL.lists(of: "said"))
    ), unknown (number, unknown_networks) AS (
      SELECT number, count(*) FROM said WHERE counts AND \(ReportSQL.hadNetwork) GROUP BY number
    ), total (number, heat, evidence, legitimate, reports, reporters, first_reported_at, last_reported_at,
              last_day, day_bits, network_bits, unknown_networks) AS (
      SELECT number, \(ReportSQL.sums), min(first_reported_at), max(last_reported_at), \(ReportSQL.gatheredMarks),
             coalesce(max(unknown_networks), 0)
      FROM category LEFT JOIN unknown USING (number) GROUP BY number
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
