// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import PostgreSQL

/// The weight that a reporter's report should have.
private enum ReweighSQL {
  /// - Parameters:
  ///   - unweighed: placeholder of the protected numbers, whose reports have the weight 0.
  ///   - newcomer: placeholder of a newcomer's weight.
  static func due(unweighed: String, newcomer: String) -> String {
    """
    CASE WHEN r.number = ANY(\(unweighed)::bigint[]) THEN 0
         ELSE coalesce((SELECT w.weight FROM reporter_weights w WHERE w.reporter = r.reporter), \(newcomer)::real) END
    """
  }
}

/// The numbers of an interval that have a row, in ascending order.
struct ReadNumbersOfRange: PostgresStatement {
  let after: Int64
  let upTo: Int64

  static let sql = "SELECT number FROM numbers WHERE number > $1 AND number <= $2 ORDER BY number"

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(after)
    parameters.append(upTo)
  }

  static func decode(_ row: PostgresRow) throws -> Int64 { try row.decode(0) }
}

/// The numbers of an interval with a report whose weight differs from the one it should have, in ascending order;
/// without numbers whose reports were partly dropped, because reweighting would damage their aggregates.
struct FindMisweighed: PostgresStatement {
  let after: Int64
  let upTo: Int64
  let unweighed: [Int64]

  static let sql = """
    SELECT DISTINCT r.number FROM reports r
    WHERE r.number > $1 AND r.number <= $2 AND r.reporter IS NOT NULL
      AND r.weight <> \(ReweighSQL.due(unweighed: "$3", newcomer: "$4"))
      AND \(RetentionSQL.isWhole("r.number"))
    ORDER BY r.number
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(after)
    parameters.append(upTo)
    parameters.append(unweighed)
    parameters.append(Float(ReporterWeight.newcomer))
  }

  static func decode(_ row: PostgresRow) throws -> Int64 { try row.decode(0) }
}

/// Sets the weights of the reports of numbers to those that they should have.
struct Reweigh: PostgresStatement {
  typealias Row = Void
  let numbers: [Int64]
  let unweighed: [Int64]

  static let sql = """
    UPDATE reports r SET weight = \(ReweighSQL.due(unweighed: "$2", newcomer: "$3"))
    WHERE r.number = ANY($1::bigint[]) AND r.reporter IS NOT NULL
      AND r.weight <> \(ReweighSQL.due(unweighed: "$2", newcomer: "$3"))
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(numbers)
    parameters.append(unweighed)
    parameters.append(Float(ReporterWeight.newcomer))
  }
}
