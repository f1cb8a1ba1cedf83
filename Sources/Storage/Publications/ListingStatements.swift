// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import PostgreSQL

/// SQL without parameters.
enum ListingSQL {
  static let newStatistics = "ANALYZE listings"
}

/// Some listings after a number, in ascending order.
struct ReadListings: PostgresStatement {
  let after: Int64
  let limit: Int

  static let sql = """
    SELECT number, category_id, cause, treatment, sha1 IS NOT NULL FROM listings
    WHERE number > $1 ORDER BY number LIMIT $2::bigint
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(after)
    parameters.append(Int64(limit))
  }

  /// - Returns: the listing, and whether its row has the SHA-1; those of an earlier program do not.
  static func decode(_ row: PostgresRow) throws -> (listing: Listing, hasSHA1: Bool) {
    let listing = Listing(
      number: try row.decode(0), category: try row.category(1),
      cause: ListedNumber.Cause(rawValue: UInt8(try row.decode(2, as: Int16.self))) ?? .reports,
      treatment: try row.decode(3, as: Int16.self) == 0 ? .block : .identify)
    return (listing, try row.decode(4))
  }
}

/// Inserts new listings, and updates those with another category, cause or treatment, which keep their `listed_at`.
struct AddListed: PostgresStatement {
  typealias Row = Void
  let listings: [Listing]
  let serial: Int64
  let time: Date

  static let sql = """
    INSERT INTO listings (number, category_id, cause, treatment, serial, listed_at, sha1)
    SELECT t.number, t.category_id, t.cause, t.treatment, $5, $6, t.sha1
    FROM unnest($1::bigint[], $2::smallint[], $3::smallint[], $4::smallint[], $7::bigint[])
      t (number, category_id, cause, treatment, sha1)
    ORDER BY t.number
    ON CONFLICT (number) DO UPDATE
      SET category_id = excluded.category_id, cause = excluded.cause, treatment = excluded.treatment,
          sha1 = excluded.sha1
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(listings.map(\.number))
    parameters.append(listings.map(\.category.rawValue))
    parameters.append(listings.map { Int16($0.cause.rawValue) })
    parameters.append(listings.map { Int16($0.treatment.rawValue) })
    parameters.append(serial)
    parameters.append(time)
    parameters.append(listings.map { NumberSHA1.stored($0.number) })
  }
}

/// Some listings of an earlier program, which have no SHA-1.
struct FindListingsWithoutSHA1: PostgresStatement {
  let limit: Int

  static let sql = "SELECT number FROM listings WHERE sha1 IS NULL ORDER BY number LIMIT $1::bigint"

  func bind(into parameters: inout PostgresParameters) { parameters.append(Int64(limit)) }

  static func decode(_ row: PostgresRow) throws -> Int64 { try row.decode(0) }
}

/// Adds the SHA-1 of some listings.
struct AddListingSHA1: PostgresStatement {
  typealias Row = Void

  let numbers: [Int64]

  static let sql = """
    UPDATE listings l SET sha1 = t.sha1 FROM unnest($1::bigint[], $2::bigint[]) AS t (number, sha1)
    WHERE l.number = t.number
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(numbers)
    parameters.append(numbers.map(NumberSHA1.stored(_:)))
  }
}

/// Number of listed numbers.
struct CountListings: PostgresStatement {
  static let sql = "SELECT count(*) FROM listings"

  static func decode(_ row: PostgresRow) throws -> Int64 { try row.decode(0) }
}
