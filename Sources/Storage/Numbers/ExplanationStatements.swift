// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import PostgreSQL

/// Number of reporters of a number that count in full, in part, and not at all.
struct ReadNumberWeights: PostgresStatement {
  let number: Int64

  static let sql = """
    SELECT count(*) FILTER (WHERE weight >= 1), count(*) FILTER (WHERE weight > 0 AND weight < 1),
           count(*) FILTER (WHERE weight = $2::double precision), count(*) FILTER (WHERE weight <= 0)
    FROM number_reporters WHERE number = $1
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(number)
    parameters.append(ReporterWeight.newcomer)
  }

  static func decode(_ row: PostgresRow) throws -> Explanation.Weights {
    Explanation.Weights(
      full: Int(try row.decode(0, as: Int64.self)), partial: Int(try row.decode(1, as: Int64.self)),
      new: Int(try row.decode(2, as: Int64.self)), none: Int(try row.decode(3, as: Int64.self)))
  }
}

/// The listing of a number in the newest publication.
struct ReadListing: PostgresStatement {
  let number: Int64

  static let sql = "SELECT category_id, serial, listed_at, treatment = 0 FROM listings WHERE number = $1"

  func bind(into parameters: inout PostgresParameters) { parameters.append(number) }

  static func decode(_ row: PostgresRow) throws -> Explanation.Listing {
    Explanation.Listing(
      category: try row.category(0), serial: try row.decode(1), listedAt: try row.decode(2),
      treatment: try row.decode(3) ? .block : .identify)
  }
}

/// Names of apps, including lists.
struct ReadAppNames: PostgresStatement {
  let apps: [Int32]

  static let sql = "SELECT app_id, name FROM apps WHERE app_id = ANY($1::integer[])"

  func bind(into parameters: inout PostgresParameters) { parameters.append(apps) }

  static func decode(_ row: PostgresRow) throws -> (id: Int32, name: String) { (try row.decode(0), try row.decode(1)) }
}

/// The approved block that a number lies in.
struct ReadRangeOfNumber: PostgresStatement {
  let number: Int64

  static let sql = """
    SELECT number, digits FROM ranges
    WHERE state = 'approved'
      AND ((number = $1::bigint / 10 * 10 AND digits = 1) OR (number = $1::bigint / 100 * 100 AND digits = 2))
    ORDER BY digits DESC LIMIT 1
    """

  func bind(into parameters: inout PostgresParameters) { parameters.append(number) }

  static func decode(_ row: PostgresRow) throws -> NumberRange {
    NumberRange(around: try row.decode(0), digits: try row.decode(1))
  }
}
