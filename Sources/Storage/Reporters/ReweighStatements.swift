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

extension SQL {
  /// The numbers of an interval that have a row, in ascending order.
  static func readNumbersOfRange(after: Int64, upTo: Int64) -> Statement<Int64> {
    Statement(
      "SELECT number FROM numbers WHERE number > $1 AND number <= $2 ORDER BY number",
      after, upTo
    ) { try $0.decode(0) }
  }

  /// The numbers of an interval with a report whose weight differs from the one it should have, in ascending order;
  /// without numbers whose reports were partly dropped, because reweighting would damage their aggregates.
  static func findMisweighed(after: Int64, upTo: Int64, unweighed: [Int64]) -> Statement<Int64> {
    Statement(
      """
      SELECT DISTINCT r.number FROM reports r
      WHERE r.number > $1 AND r.number <= $2 AND r.reporter IS NOT NULL
        AND r.weight <> \(ReweighSQL.due(unweighed: "$3", newcomer: "$4"))
        AND \(RetentionSQL.isWhole("r.number"))
      ORDER BY r.number
      """,
      after, upTo, unweighed, Float(ReporterWeight.newcomer)
    ) { try $0.decode(0) }
  }

  /// Sets the weights of the reports of numbers to those that they should have.
  static func reweigh(numbers: [Int64], unweighed: [Int64]) -> Statement<Void> {
    Statement(
      """
      UPDATE reports r SET weight = \(ReweighSQL.due(unweighed: "$2", newcomer: "$3"))
      WHERE r.number = ANY($1::bigint[]) AND r.reporter IS NOT NULL
        AND r.weight <> \(ReweighSQL.due(unweighed: "$2", newcomer: "$3"))
      """,
      numbers, unweighed, Float(ReporterWeight.newcomer))
  }
}
