// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import PostgreSQL

/// Reported numbers of an interval, ascending.
struct FindReportedNumbers: PostgresStatement {
  let range: SearchRange
  let after: Int64
  let limit: Int

  static let sql = """
    SELECT number FROM numbers WHERE number BETWEEN $1 AND $2 AND number > $3 ORDER BY number LIMIT $4::bigint
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(range.least)
    parameters.append(range.greatest)
    parameters.append(after)
    parameters.append(Int64(limit))
  }

  static func decode(_ row: PostgresRow) throws -> Int64 { try row.decode(0) }
}

/// Decided numbers of an interval, ascending: a moderator may decide a number without reports.
struct FindDecidedNumbers: PostgresStatement {
  let range: SearchRange
  let after: Int64
  let limit: Int

  static let sql = """
    SELECT number FROM number_decisions WHERE number BETWEEN $1 AND $2 AND number > $3 ORDER BY number LIMIT $4::bigint
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(range.least)
    parameters.append(range.greatest)
    parameters.append(after)
    parameters.append(Int64(limit))
  }

  static func decode(_ row: PostgresRow) throws -> Int64 { try row.decode(0) }
}

/// Listed and decided numbers that end with these digits, ascending. An index finds the few numbers with the last six
/// digits; the other digits are compared.
struct FindNumbersEndingWith: PostgresStatement {
  /// The last six digits.
  let six: Int64
  /// All of them.
  let ending: Int64
  /// 10 to the power of their count.
  let size: Int64
  let after: Int64
  let limit: Int

  static let sql = """
    SELECT number FROM (
      SELECT number FROM listings WHERE number % 1000000 = $1 AND number % $3 = $2 AND number > $4
      UNION
      SELECT number FROM number_decisions WHERE number % 1000000 = $1 AND number % $3 = $2 AND number > $4
    ) AS found ORDER BY number LIMIT $5::bigint
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(six)
    parameters.append(ending)
    parameters.append(size)
    parameters.append(after)
    parameters.append(Int64(limit))
  }

  static func decode(_ row: PostgresRow) throws -> Int64 { try row.decode(0) }
}

/// Decided numbers whose label has a prefix, ignoring case.
struct FindLabels: PostgresStatement {
  /// In lowercase, escaped for LIKE, with `%` at the end.
  let pattern: String
  let after: Int64
  let limit: Int

  static let sql = """
    SELECT number FROM number_decisions
    WHERE label IS NOT NULL AND lower(label) LIKE $1 AND number > $2 ORDER BY number LIMIT $3::bigint
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(pattern)
    parameters.append(after)
    parameters.append(Int64(limit))
  }

  static func decode(_ row: PostgresRow) throws -> Int64 { try row.decode(0) }
}

/// The data of numbers in a list.
struct ReadNumberLines: PostgresStatement {
  let numbers: [Int64]

  static let sql = """
    SELECT t.number, n.reports, n.last_reported_at, l.category_id, l.treatment = 0, r.decision, r.label,
           EXISTS (SELECT 1 FROM holds h WHERE h.number = t.number AND NOT h.settled),
           EXISTS (SELECT 1 FROM appeals a WHERE a.number = t.number AND a.state = 'open')
    FROM unnest($1::bigint[]) AS t (number)
    LEFT JOIN numbers n ON n.number = t.number
    LEFT JOIN listings l ON l.number = t.number
    LEFT JOIN number_decisions r ON r.number = t.number
    ORDER BY t.number
    """

  func bind(into parameters: inout PostgresParameters) { parameters.append(numbers) }

  static func decode(_ row: PostgresRow) throws -> NumberLine {
    let decision: String? = try row.decode(5)
    return NumberLine(
      number: try row.decode(0), reports: try row.decode(1) ?? 0, lastReportedAt: try row.decode(2),
      listedAs: try row.optionalCategory(3), isBlocked: try row.decode(4) ?? false,
      decision: try decision.map { name in
        guard let treatment = Decision.Treatment(rawValue: name) else { throw StorageError.unknownTreatment(name) }
        return treatment
      }, label: try row.decode(6), isHeld: try row.decode(7), hasAppeal: try row.decode(8))
  }
}
