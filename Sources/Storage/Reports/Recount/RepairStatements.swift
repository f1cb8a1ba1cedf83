// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import PostgreSQL

extension SQL {
  /// The end of the next interval of numbers: a count of rows further on in reports or aggregates, whichever is closer,
  /// because either may be missing.
  static func findRangeEnd(after: Int64, upTo: Int64, size: Int) -> Statement<Int64> {
    // Most numbers have few reports, so more rows of reports than of aggregates fit.
    return Statement(
      """
      SELECT least(
        $2::bigint,
        (SELECT number FROM numbers WHERE number > $1 ORDER BY number OFFSET $3::bigint LIMIT 1),
        (SELECT number FROM number_identifications WHERE number > $1 ORDER BY number OFFSET $3::bigint LIMIT 1),
        (SELECT number FROM reports WHERE number > $1 ORDER BY number OFFSET $4::bigint LIMIT 1),
        (SELECT number FROM identification_days WHERE number > $1 ORDER BY number OFFSET $4::bigint LIMIT 1))
      """,
      after, upTo, Int64(size - 1), Int64(size * 4 - 1))
  }

  /// Locks the votes on numbers until the transaction ends, in the order of a batch.
  static func lockVotes(numbers: [Int64]) -> Statement<Void> {
    Statement("UPDATE number_reporters SET weight = weight WHERE number = ANY($1::bigint[])", numbers)
  }

  static func lockCategories(numbers: [Int64]) -> Statement<Void> {
    Statement("UPDATE number_categories SET reports = reports WHERE number = ANY($1::bigint[])", numbers)
  }

  /// Locks the counts of lists about numbers.
  static func lockSources(numbers: [Int64]) -> Statement<Void> {
    Statement("UPDATE number_sources SET complaints = complaints WHERE number = ANY($1::bigint[])", numbers)
  }

  /// Locks numbers, and inserts a row for those without one: every later batch waits.
  static func lockNumbers(numbers: [Int64], time: Date) -> Statement<Void> {
    Statement(
      """
      INSERT INTO numbers AS n
        (number, heat, evidence, legitimate, reports, reporters, first_reported_at, last_reported_at)
      SELECT number, 0, 0, 0, 0, 0, $2::timestamptz, $2::timestamptz FROM unnest($1::bigint[]) AS t (number)
      ORDER BY number
      ON CONFLICT (number) DO UPDATE SET reports = n.reports
      """,
      numbers, time)
  }

  private static let areTooMany = ReportSQL.areTooManyNetworks(
    "n.network_bits | r.network_bits", known: "r.network_bits", unknown: "r.unknown_networks")

  private static let damaged = "number = ANY($1::bigint[])"

  /// Replaces the stored aggregates of numbers by the recount.
  static func repairAggregates(numbers: [Int64]) -> Statement<Void> {
    Statement(
      """
      WITH \(RecountSQL.ctes(where: damaged, origin: "$2", heat: "$3", evidence: "$4")),
      words AS (
        INSERT INTO number_reporters (number, reporter, category_id, reported_at, received_at, weight)
        SELECT number, reporter, category_id, reported_at, received_at, weight FROM word ORDER BY number, reporter
        ON CONFLICT (number, reporter) DO UPDATE SET
          category_id = excluded.category_id, reported_at = excluded.reported_at, received_at = excluded.received_at,
          weight = excluded.weight
      ), stray_words AS (
        DELETE FROM number_reporters s
        WHERE \(damaged) AND NOT EXISTS (SELECT 1 FROM word r WHERE r.number = s.number AND r.reporter = s.reporter)
      ), categories_set AS (
        INSERT INTO number_categories (number, category_id, heat, evidence, reports, reporters)
        SELECT number, category_id, heat, evidence, reports, reporters FROM category ORDER BY number, category_id
        ON CONFLICT (number, category_id) DO UPDATE SET
          heat = excluded.heat, evidence = excluded.evidence, reports = excluded.reports, reporters = excluded.reporters
      ), stray_categories AS (
        DELETE FROM number_categories s
        WHERE \(damaged)
          AND NOT EXISTS (SELECT 1 FROM category r WHERE r.number = s.number AND r.category_id = s.category_id)
      ), sources_set AS (
        INSERT INTO number_sources (number, app_id, complaints, heat, evidence, day_bits, last_day)
        SELECT number, app_id, complaints, heat, evidence, day_bits, last_day FROM source ORDER BY number, app_id
        ON CONFLICT (number, app_id) DO UPDATE SET
          complaints = excluded.complaints, heat = excluded.heat, evidence = excluded.evidence, day_bits = excluded.day_bits, last_day = excluded.last_day
      ), stray_sources AS (
        DELETE FROM number_sources s
        WHERE \(damaged) AND NOT EXISTS (SELECT 1 FROM source r WHERE r.number = s.number AND r.app_id = s.app_id)
      ), stray_numbers AS (
        DELETE FROM numbers s WHERE \(damaged) AND NOT EXISTS (SELECT 1 FROM total r WHERE r.number = s.number)
      )
      UPDATE numbers n SET
        heat = r.heat, evidence = r.evidence, legitimate = r.legitimate, reports = r.reports, reporters = r.reporters,
        first_reported_at = r.first_reported_at, last_reported_at = r.last_reported_at,
        day_bits = r.day_bits, last_day = r.last_day, network_bits = CASE WHEN \(areTooMany) THEN r.network_bits ELSE n.network_bits | r.network_bits END,
        has_failed_calls = n.has_failed_calls OR r.has_failed_calls
      FROM total r WHERE n.number = r.number
      """,
      numbers, Decay.origin, Decay.heat.timeConstant, Decay.evidence.timeConstant)
  }

  /// Locks the sums of identifications of numbers, and inserts a row for those without one.
  static func lockIdentifications(numbers: [Int64]) -> Statement<Void> {
    Statement(
      """
      INSERT INTO number_identifications AS n (number, heat, named, unknown, last_day)
      SELECT number, 0, 0, 0, DATE '1970-01-01' FROM unnest($1::bigint[]) AS t (number) ORDER BY number
      ON CONFLICT (number) DO UPDATE SET named = n.named
      """,
      numbers)
  }

  /// Replaces the stored sums of numbers by the sums of their days.
  static func repairIdentifications(numbers: [Int64]) -> Statement<Void> {
    Statement(
      """
      WITH recount AS (\(IdentificationSQL.recount(where: damaged))),
      stray AS (
        DELETE FROM number_identifications s
        WHERE \(damaged) AND NOT EXISTS (SELECT 1 FROM recount r WHERE r.number = s.number)
      )
      UPDATE number_identifications n SET heat = r.heat, named = r.named, unknown = r.unknown, last_day = r.last_day
      FROM recount r WHERE n.number = r.number
      """,
      numbers)
  }
}
