// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import PostgreSQL

/// SQL without parameters.
enum ListingSQL {
  static let newStatistics = "ANALYZE listings"
}

extension SQL {
  /// Some listings after a number, in ascending order.
  static func readListings(after: Int64, limit: Int) -> Statement<(listing: Listing, hasSHA1: Bool)> {
    Statement(
      """
      SELECT number, category_id, cause, treatment, sha1 IS NOT NULL FROM listings
      WHERE number > $1 ORDER BY number LIMIT $2::bigint
      """,
      after, Int64(limit)
    ) { row in
      /// - Returns: the listing, and whether its row has the SHA-1; those of an earlier program do not.
      let listing = Listing(
        number: try row.decode(0), category: try row.category(1),
        cause: ListedNumber.Cause(rawValue: UInt8(try row.decode(2, as: Int16.self))) ?? .reports,
        treatment: try row.decode(3, as: Int16.self) == 0 ? .block : .identify)
      return (listing, try row.decode(4))
    }
  }

  /// Inserts new listings, and updates those with another category, cause or treatment, which keep their `listed_at`.
  static func addListed(listings: [Listing], serial: Int64, time: Date) -> Statement<Void> {
    Statement(
      """
      INSERT INTO listings (number, category_id, cause, treatment, serial, listed_at, sha1)
      SELECT t.number, t.category_id, t.cause, t.treatment, $5, $6, t.sha1
      FROM unnest($1::bigint[], $2::smallint[], $3::smallint[], $4::smallint[], $7::bigint[])
        t (number, category_id, cause, treatment, sha1)
      ORDER BY t.number
      ON CONFLICT (number) DO UPDATE
        SET category_id = excluded.category_id, cause = excluded.cause, treatment = excluded.treatment,
            sha1 = excluded.sha1
      """,
      listings.map(\.number), listings.map(\.category.rawValue), listings.map { Int16($0.cause.rawValue) },
      listings.map { Int16($0.treatment.rawValue) }, serial, time, listings.map { NumberSHA1.stored($0.number) })
  }

  /// Some listings of an earlier program, which have no SHA-1.
  static func findListingsWithoutSHA1(limit: Int) -> Statement<Int64> {
    Statement(
      "SELECT number FROM listings WHERE sha1 IS NULL ORDER BY number LIMIT $1::bigint",
      Int64(limit)
    ) { try $0.decode(0) }
  }

  /// Adds the SHA-1 of some listings.
  static func addListingSHA1(numbers: [Int64]) -> Statement<Void> {
    Statement(
      """
      UPDATE listings l SET sha1 = t.sha1 FROM unnest($1::bigint[], $2::bigint[]) AS t (number, sha1)
      WHERE l.number = t.number
      """,
      numbers, numbers.map(NumberSHA1.stored(_:)))
  }

  /// Number of listed numbers.
  static func countListings() -> Statement<Int64> {
    Statement(
      "SELECT count(*) FROM listings"
    ) { try $0.decode(0) }
  }
}
