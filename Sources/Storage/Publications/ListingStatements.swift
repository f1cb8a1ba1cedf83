// SPDX-License-Identifier: Apache-2.0

import Foundation
import PostgreSQL

/// SQL without parameters: the temporary table into which a publication's numbers are copied.
enum ListingSQL {
  static let table = """
    CREATE TEMPORARY TABLE listed (
      number bigint NOT NULL, category_id smallint NOT NULL, cause smallint NOT NULL, treatment smallint NOT NULL
    ) ON COMMIT DROP
    """
  static let copy = "COPY listed (number, category_id, cause, treatment) FROM STDIN (FORMAT binary)"
  static let statistics = "ANALYZE listed"
  static let newStatistics = "ANALYZE listings"
}

/// Deletes numbers that are no longer listed.
struct RemoveUnlisted: PostgresStatement {
  typealias Row = Void

  static let sql = """
    DELETE FROM listings l WHERE NOT EXISTS (SELECT 1 FROM listed t WHERE t.number = l.number)
    """
}

/// Inserts new listings, and updates those with another category, cause or treatment. Unchanged rows are not written
/// and keep their `listed_at`.
struct AddListed: PostgresStatement {
  typealias Row = Void
  let serial: Int64
  let time: Date

  static let sql = """
    INSERT INTO listings (number, category_id, cause, treatment, serial, listed_at)
    SELECT t.number, t.category_id, t.cause, t.treatment, $1, $2
    FROM listed t LEFT JOIN listings l ON l.number = t.number
    WHERE l.number IS NULL
       OR (l.category_id, l.cause, l.treatment) IS DISTINCT FROM (t.category_id, t.cause, t.treatment)
    ORDER BY t.number
    ON CONFLICT (number) DO UPDATE
      SET category_id = excluded.category_id, cause = excluded.cause, treatment = excluded.treatment
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(serial)
    parameters.append(time)
  }
}

/// Number of listed numbers.
struct CountListings: PostgresStatement {
  static let sql = "SELECT count(*) FROM listings"

  static func decode(_ row: PostgresRow) throws -> Int64 { try row.decode(0) }
}
