// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import PostgreSQL

extension SQL {
  /// Number of reporters of a number that count in full, in part, and not at all.
  static func readNumberWeights(number: Int64) -> Statement<Explanation.Weights> {
    Statement(
      """
      SELECT count(*) FILTER (WHERE weight >= 1), count(*) FILTER (WHERE weight > 0 AND weight < 1),
             count(*) FILTER (WHERE weight = $2::double precision), count(*) FILTER (WHERE weight <= 0)
      FROM number_reporters WHERE number = $1
      """,
      number, ReporterWeight.newcomer
    ) { row in
      Explanation.Weights(
        full: Int(try row.decode(0, as: Int64.self)), partial: Int(try row.decode(1, as: Int64.self)),
        new: Int(try row.decode(2, as: Int64.self)), none: Int(try row.decode(3, as: Int64.self)))
    }
  }

  /// The listing of a number in the newest publication.
  static func readListing(number: Int64) -> Statement<Explanation.Listing> {
    Statement(
      "SELECT category_id, serial, listed_at, treatment = 0 FROM listings WHERE number = $1",
      number
    ) { row in
      Explanation.Listing(
        category: try row.category(0), serial: try row.decode(1), listedAt: try row.decode(2),
        treatment: try row.decode(3) ? .block : .identify)
    }
  }

  /// Names of apps, including lists.
  static func readAppNames(apps: [Int32]) -> Statement<(id: Int32, name: String)> {
    Statement(
      "SELECT app_id, name FROM apps WHERE app_id = ANY($1::integer[])",
      apps
    ) { (try $0.decode(0), try $0.decode(1)) }
  }

  /// The approved block that a number lies in.
  static func readRangeOfNumber(number: Int64) -> Statement<NumberRange> {
    Statement(
      """
      SELECT number, digits FROM ranges
      WHERE state = 'approved'
        AND ((number = $1::bigint / 10 * 10 AND digits = 1) OR (number = $1::bigint / 100 * 100 AND digits = 2))
      ORDER BY digits DESC LIMIT 1
      """,
      number
    ) { NumberRange(around: try $0.decode(0), digits: try $0.decode(1)) }
  }
}
