// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import PostgreSQL

/// The end of the next interval of numbers: a count of rows further on in reports or aggregates, whichever is closer,
/// because either may be missing.
struct FindRangeEnd: PostgresStatement {
  let after: Int64
  let upTo: Int64
  let size: Int

  static let sql = """
    SELECT least(
      $2::bigint,
      (SELECT number FROM numbers WHERE number > $1 ORDER BY number OFFSET $3::bigint LIMIT 1),
      (SELECT number FROM number_identifications WHERE number > $1 ORDER BY number OFFSET $3::bigint LIMIT 1),
      (SELECT number FROM reports WHERE number > $1 ORDER BY number OFFSET $4::bigint LIMIT 1),
      (SELECT number FROM identification_days WHERE number > $1 ORDER BY number OFFSET $4::bigint LIMIT 1))
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(after)
    parameters.append(upTo)
    parameters.append(Int64(size - 1))
    // Most numbers have few reports, so more rows of reports than of aggregates fit.
    parameters.append(Int64(size * 4 - 1))
  }

  static func decode(_ row: PostgresRow) throws -> Int64 { try row.decode(0) }
}

/// Counts the numbers of an interval that have an aggregate or a sum of identifications.
struct CountNumbers: PostgresStatement {
  let after: Int64
  let upTo: Int64

  static let sql = """
    SELECT (SELECT count(*) FROM numbers WHERE number > $1 AND number <= $2)
      + (SELECT count(*) FROM number_identifications i WHERE i.number > $1 AND i.number <= $2
         AND NOT EXISTS (SELECT 1 FROM numbers n WHERE n.number = i.number))
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(after)
    parameters.append(upTo)
  }

  static func decode(_ row: PostgresRow) throws -> Int { Int(try row.decode(0, as: Int64.self)) }
}

/// Locks the votes on numbers until the transaction ends, in the order of a batch.
struct LockVotes: PostgresStatement {
  typealias Row = Void
  let numbers: [Int64]

  static let sql = "UPDATE number_reporters SET weight = weight WHERE number = ANY($1::bigint[])"

  func bind(into parameters: inout PostgresParameters) { parameters.append(numbers) }
}

/// Locks the categories of numbers.
struct LockCategories: PostgresStatement {
  typealias Row = Void
  let numbers: [Int64]

  static let sql = "UPDATE number_categories SET reports = reports WHERE number = ANY($1::bigint[])"

  func bind(into parameters: inout PostgresParameters) { parameters.append(numbers) }
}

/// Locks the counts of lists about numbers.
struct LockSources: PostgresStatement {
  typealias Row = Void
  let numbers: [Int64]

  static let sql = "UPDATE number_sources SET complaints = complaints WHERE number = ANY($1::bigint[])"

  func bind(into parameters: inout PostgresParameters) { parameters.append(numbers) }
}

/// Locks numbers, and inserts a row for those without one: every later batch waits.
struct LockNumbers: PostgresStatement {
  typealias Row = Void
  let numbers: [Int64]
  let time: Date

  static let sql = """
    INSERT INTO numbers AS n
      (number, heat, evidence, legitimate, reports, reporters, first_reported_at, last_reported_at)
    SELECT number, 0, 0, 0, 0, 0, $2::timestamptz, $2::timestamptz FROM unnest($1::bigint[]) AS t (number)
    ORDER BY number
    ON CONFLICT (number) DO UPDATE SET reports = n.reports
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(numbers)
    parameters.append(time)
  }
}

/// Replaces the stored aggregates of numbers by the recount.
struct RepairAggregates: PostgresStatement {
  typealias Row = Void
  let numbers: [Int64]

  private static let areTooMany = ReportSQL.areTooManyNetworks(
    "n.network_bits | r.network_bits", known: "r.network_bits", unknown: "r.unknown_networks")

  private static let damaged = "number = ANY($1::bigint[])"

  static let sql = """
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
      INSERT INTO number_sources (number, app_id, complaints, day_bits, last_day)
      SELECT number, app_id, complaints, day_bits, last_day FROM source ORDER BY number, app_id
      ON CONFLICT (number, app_id) DO UPDATE SET
        complaints = excluded.complaints, day_bits = excluded.day_bits, last_day = excluded.last_day
    ), stray_sources AS (
      DELETE FROM number_sources s
      WHERE \(damaged) AND NOT EXISTS (SELECT 1 FROM source r WHERE r.number = s.number AND r.app_id = s.app_id)
    ), stray_numbers AS (
      DELETE FROM numbers s WHERE \(damaged) AND NOT EXISTS (SELECT 1 FROM total r WHERE r.number = s.number)
    )
    UPDATE numbers n SET
      heat = r.heat, evidence = r.evidence, legitimate = r.legitimate, reports = r.reports, reporters = r.reporters,
      first_reported_at = r.first_reported_at, last_reported_at = r.last_reported_at,
      day_bits = r.day_bits, last_day = r.last_day, network_bits = CASE WHEN \(areTooMany) THEN r.network_bits ELSE n.network_bits | r.network_bits END
    FROM total r WHERE n.number = r.number
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(numbers)
    parameters.append(Decay.origin)
    parameters.append(Decay.heat.timeConstant)
    parameters.append(Decay.evidence.timeConstant)
  }
}

/// Locks the sums of identifications of numbers, and inserts a row for those without one.
struct LockIdentifications: PostgresStatement {
  typealias Row = Void
  let numbers: [Int64]

  static let sql = """
    INSERT INTO number_identifications AS n (number, heat, named, unknown, last_day)
    SELECT number, 0, 0, 0, DATE '1970-01-01' FROM unnest($1::bigint[]) AS t (number) ORDER BY number
    ON CONFLICT (number) DO UPDATE SET named = n.named
    """

  func bind(into parameters: inout PostgresParameters) { parameters.append(numbers) }
}

/// Replaces the stored sums of numbers by the sums of their days.
struct RepairIdentifications: PostgresStatement {
  typealias Row = Void
  let numbers: [Int64]

  private static let damaged = "number = ANY($1::bigint[])"

  static let sql = """
    WITH recount AS (\(IdentificationSQL.recount(where: damaged))),
    stray AS (
      DELETE FROM number_identifications s
      WHERE \(damaged) AND NOT EXISTS (SELECT 1 FROM recount r WHERE r.number = s.number)
    )
    UPDATE number_identifications n SET heat = r.heat, named = r.named, unknown = r.unknown, last_day = r.last_day
    FROM recount r WHERE n.number = r.number
    """

  func bind(into parameters: inout PostgresParameters) { parameters.append(numbers) }
}
