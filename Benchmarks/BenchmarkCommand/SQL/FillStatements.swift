// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import PostgreSQL

extension BenchmarkSQL {
  /// Checks whether the database has any number.
  static func hasNumbers() -> Statement<Bool> {
    Statement(
      "SELECT EXISTS (SELECT 1 FROM numbers)"
    ) { try $0.decode(0) }
  }

  /// Inserts the numbers first to last of the fill, with one category each. Their values come from a hash, so that they
  /// are the same in every fill.
  static func fillNumbers(first: Int64, last: Int64, identified: Int32, time: Date) -> Statement<Void> {
    Statement(
      """
      WITH drawn AS (
        SELECT 12010000000 + i * 797 + i % 5 AS number, (hashint8(i)::bigint + 2147483648) / 4294967296.0::float8 AS chance,
               1 + (i % 12)::smallint AS category_id, (hashint8(i + 7)::bigint + 2147483648) % 100 AS lot
        FROM generate_series($1::bigint, $2::bigint) i
      ), known AS (
        SELECT number, category_id::smallint, lot, 6 * power(1000, chance) AS heat FROM drawn
      ), filled AS (
        INSERT INTO numbers (number, heat, evidence, legitimate, reports, reporters, first_reported_at, last_reported_at,
                             day_bits, last_day, network_bits)
        SELECT number, heat * $3::float8, heat * $4::float8, 0, ceil(heat), ceil(heat), $5::timestamptz, $5::timestamptz,
               1023, ($5::timestamptz AT TIME ZONE 'UTC')::date, 4095
        FROM known
      ), named AS (
        INSERT INTO number_identifications (number, heat, named, unknown, last_day)
        SELECT number, heat * 20 * $3::float8, ceil(heat), 0, ($5::timestamptz AT TIME ZONE 'UTC')::date
        FROM known WHERE lot < $6::integer
      )
      INSERT INTO number_categories (number, category_id, heat, evidence, reports, reporters)
      SELECT number, category_id, heat * $3::float8, heat * $4::float8, ceil(heat), ceil(heat) FROM known
      """,
      first, last, Decay.heat.scale(at: time), Decay.evidence.scale(at: time), time, identified)
  }

  /// Lists the numbers first to last of the fill, except numbers in the queue.
  static func fillListings(first: Int64, last: Int64, gap: Int64, time: Date) -> Statement<Void> {
    Statement(
      """
      INSERT INTO listings (number, category_id, serial, listed_at)
      SELECT 12010000000 + i * 797 + i % 5, 1 + (i % 12)::smallint, 1, $4::timestamptz
      FROM generate_series($1::bigint, $2::bigint) i WHERE i % $3::bigint <> 0
      """,
      first, last, gap, time)
  }

  /// Inserts the cases of the queue: all because of a threshold, one in 20 also held, one in 50 with an appeal. A sweep
  /// of the queue changes none of them.
  static func fillCases(first: Int64, last: Int64, gap: Int64, most: Int64, time: Date) -> Statement<Void> {
    Statement(
      """
      WITH drawn AS (
        SELECT 12010000000 + i * 797 + i % 5 AS number, i / $3::bigint AS place, 1 + (i % 12)::smallint AS category_id,
               $5::timestamptz - make_interval(mins => ((hashint8(i)::bigint + 2147483648) % 57600)::integer) AS since
        FROM generate_series($1::bigint, $2::bigint) i WHERE i % $3::bigint = 0 AND i / $3::bigint < $4::bigint
      ), held AS (
        INSERT INTO holds (number, reason, held_at)
        SELECT number, jsonb_build_object('code', 'one_day', 'peak', 12, 'reporters', 13, 'others', 1), since
        FROM drawn WHERE place % 20 = 7
      ), appealed AS (
        INSERT INTO appeals (number, appeal_id, state, statement, filed_at)
        SELECT number, md5(number::text)::uuid, 'open', 'This is the number of my shop.', since FROM drawn WHERE place % 50 = 3
      )
      INSERT INTO queue (number, causes, urgency, country, category_id, since, version, heat, reports)
      SELECT drawn.number,
             (CASE WHEN place % 20 = 7 THEN 2 ELSE 1 END + CASE WHEN place % 50 = 3 THEN 4 ELSE 0 END)::smallint,
             date_part('epoch', since)::bigint, 'US', category_id::smallint, since, 0, coalesce(n.heat, 0),
             coalesce(n.reports, 0)
      FROM drawn LEFT JOIN numbers n ON n.number = drawn.number
      """,
      first, last, gap, most, time)
  }
}
