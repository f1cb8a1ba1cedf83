// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import PostgreSQL
import Storage

/// Fills the tables of aggregates of an empty database. Random values come from a hash of the number, so they are the
/// same each time.
enum FillScores {
  private static let random = "((hashint8(n) & 1048575) / 1048576.0::float8)"

  /// - Parameters:
  ///   - numbers: the number of rows.
  ///   - heat: the stored heat of one new complaint.
  ///   - evidence: the stored evidence of one new complaint.
  static func scripts(numbers: Int, heat: Double, evidence: Double) -> [String] {
    let value = "(0.1 / (\(random) + 0.005))"
    let from = "FROM generate_series(1, \(numbers)::bigint) n"
    return [
      """
      INSERT INTO numbers (number, heat, evidence, legitimate, reports, reporters, first_reported_at, last_reported_at,
                           day_bits, last_day, network_bits)
      SELECT 12010000000 + n * 79, \(value) * \(heat)::float8, \(value) * 2 * \(evidence)::float8, 0, 5, 5,
             TIMESTAMPTZ '2026-11-01Z', TIMESTAMPTZ '2026-11-14Z', hashint8(n + 7) & 15 | 1, DATE '2026-11-14',
             hashint8(n + 3) & 15 | 1 \(from)
      """,
      """
      INSERT INTO number_categories (number, category_id, heat, evidence, reports, reporters)
      SELECT 12010000000 + n * 79, 1 + n % 12, \(value) * \(heat)::float8, \(value) * 2 * \(evidence)::float8, 5, 5 \(from)
      """,
      """
      INSERT INTO number_categories (number, category_id, heat, evidence, reports, reporters)
      SELECT 12010000000 + n * 79, 13, 0.1 * \(heat)::float8, 0.2 * \(evidence)::float8, 1, 1 \(from) WHERE n % 4 = 0
      """,
      """
      INSERT INTO number_sources (number, app_id, complaints, day_bits, last_day)
      SELECT 12010000000 + n * 79, 1, 4, 7, DATE '2026-11-14' \(from) WHERE n % 4 = 1
      """,
      """
      INSERT INTO number_identifications (number, heat, named, unknown, last_day)
      SELECT 12010000000 + n * 79, \(heat)::float8, 3, 0, DATE '2026-11-14' \(from) WHERE n % 10 = 1
      """,
      """
      INSERT INTO listings (number, category_id, serial, listed_at)
      SELECT 12010000000 + n * 79, 1 + n % 12, 1, TIMESTAMPTZ '2026-11-14Z' \(from) WHERE \(random) < 0.05
      """,
      "VACUUM ANALYZE numbers, number_categories, number_sources, number_identifications, listings",
    ]
  }
}

extension BenchmarkSQL {
  /// Counts all numbers, and those that are hot enough to be evaluated.
  /// - Parameter heat: The least stored heat.
  static func countScores(heat: Double) -> Statement<(numbers: Int, evaluated: Int)> {
    Statement(
      "SELECT count(*), count(*) FILTER (WHERE heat >= $1::float8) FROM numbers",
      heat
    ) { (Int(try $0.decode(0, as: Int64.self)), Int(try $0.decode(1, as: Int64.self))) }
  }

  /// Inserts the rows of a batch without the aggregates, to compare with `ReportStore.accept`. The partition of their
  /// month must exist.
  static func insertReportsAlone(reports: [Report], receivedAt: Date) -> Statement<Void> {
    Statement(
      """
      INSERT INTO reports (number, app_id, report_id, reported_at, received_at, category_id, reporter, weight, network)
      SELECT number, app_id, report_id, reported_at, $9::timestamptz, category_id, reporter, weight, network
      FROM unnest($1::bigint[], $2::integer[], $3::uuid[], $4::timestamptz[], $5::smallint[], $6::bytea[], $7::real[],
                  $8::bytea[])
        AS t (number, app_id, report_id, reported_at, category_id, reporter, weight, network)
      ORDER BY number
      ON CONFLICT (number, app_id, report_id, reported_at) DO NOTHING
      """,
      reports.map(\.number), reports.map(\.appID), reports.map(\.reportID), reports.map(\.reportedAt),
      reports.map(\.category.rawValue), reports.map(\.reporter), reports.map(\.weight), reports.map(\.network),
      receivedAt)
  }
}
