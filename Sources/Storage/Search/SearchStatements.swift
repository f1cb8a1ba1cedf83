// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import PostgreSQL

extension SQL {
  /// Reported numbers of an interval, ascending.
  static func findReportedNumbers(range: SearchRange, after: Int64, limit: Int) -> Statement<Int64> {
    Statement(
      """
      SELECT number FROM numbers WHERE number BETWEEN $1 AND $2 AND number > $3 ORDER BY number LIMIT $4::bigint
      """,
      range.least, range.greatest, after, Int64(limit))
  }

  /// Decided numbers of an interval, ascending: a moderator may decide a number without reports.
  static func findDecidedNumbers(range: SearchRange, after: Int64, limit: Int) -> Statement<Int64> {
    Statement(
      """
      SELECT number FROM number_decisions WHERE number BETWEEN $1 AND $2 AND number > $3 ORDER BY number LIMIT $4::bigint
      """,
      range.least, range.greatest, after, Int64(limit))
  }

  /// Listed, decided, waiting and reported numbers that end with these digits, ascending. Indexes find the numbers with the last
  /// six digits; further digits are compared. For fewer digits all sixes that end with them are looked up.
  /// - Parameters:
  ///   - ending: the digits.
  ///   - count: the count of digits, ``SearchStore/minEnding`` to 15.
  static func findNumbersEndingWith(ending: Int64, count: Int, after: Int64, limit: Int) -> Statement<Int64> {
    let size = (0..<count).reduce(Int64(1)) { size, _ in size * 10 }
    let sixes = size >= 1_000_000 ? [ending % 1_000_000] : Array(stride(from: ending, to: 1_000_000, by: Int(size)))
    return Statement(
      """
      SELECT number FROM (
        SELECT number FROM listings WHERE number % 1000000 = ANY($1::bigint[]) AND number % $3 = $2 AND number > $4
        UNION
        SELECT number FROM number_decisions
        WHERE number % 1000000 = ANY($1::bigint[]) AND number % $3 = $2 AND number > $4
        UNION
        SELECT number FROM queue WHERE number % 1000000 = ANY($1::bigint[]) AND number % $3 = $2 AND number > $4
        UNION
        SELECT number FROM numbers WHERE number % 1000000 = ANY($1::bigint[]) AND number % $3 = $2 AND number > $4
      ) AS found ORDER BY number LIMIT $5::bigint
      """,
      sixes, ending, size, after, Int64(limit))
  }

  /// Listed, decided, waiting and reported numbers with these digits anywhere, ascending. It reads the keys of these tables
  /// up to the last number of the page.
  /// - Parameter pattern: digits with `%` at both ends.
  static func findNumbersContaining(pattern: String, after: Int64, limit: Int) -> Statement<Int64> {
    let tables = ["listings", "number_decisions", "queue", "numbers"].map { table in
      """
      (SELECT number FROM \(table) WHERE number::text LIKE $1 AND number > $2 ORDER BY number LIMIT $3::bigint)
      """
    }
    return Statement(
      "SELECT number FROM (\(tables.joined(separator: " UNION "))) AS found ORDER BY number LIMIT $3::bigint",
      pattern, after, Int64(limit))
  }

  /// Numbers with a name of these words in a directory, ascending. The names are found first: a plan by number would read
  /// all names before a rare one.
  /// - Parameters:
  ///   - words: a text search query.
  ///   - generations: those with an index of words.
  static func findDirectoryNames(
    words: String, generations: [Int32], after: Int64, limit: Int
  ) -> Statement<Int64> {
    Statement(
      """
      WITH named AS MATERIALIZED (
        SELECT number FROM directory_entries
        WHERE to_tsvector('simple', name) @@ to_tsquery('simple', $1) AND number > $2
          AND generation = ANY($4::integer[])
      )
      SELECT DISTINCT number FROM named ORDER BY number LIMIT $3::bigint
      """,
      words, after, Int64(limit), generations)
  }

  /// The names of some numbers in directories, those with precedence first.
  static func readNamesOfNumbers(numbers: [Int64]) -> Statement<(number: Int64, name: String)> {
    Statement(
      """
      SELECT e.number, e.name FROM directory_entries e JOIN directory_sources s ON s.generation = e.generation
      WHERE e.number = ANY($1::bigint[]) ORDER BY e.number, s.priority, e.mentions DESC, s.source_id
      """,
      numbers
    ) { (try $0.decode(0), try $0.decode(1)) }
  }

  /// Decided numbers whose label has a prefix, ignoring case.
  /// - Parameter pattern: In lowercase, escaped for LIKE, with `%` at the end.
  static func findLabels(pattern: String, after: Int64, limit: Int) -> Statement<Int64> {
    Statement(
      """
      SELECT number FROM number_decisions
      WHERE label IS NOT NULL AND lower(label) LIKE $1 AND number > $2 ORDER BY number LIMIT $3::bigint
      """,
      pattern, after, Int64(limit))
  }

  /// The data of numbers in a list; no row for a number without any.
  static func readNumberLines(numbers: [Int64]) -> Statement<SearchHit> {
    Statement(
      """
      SELECT number, max(reports), max(last_reported_at), max(category_id), bool_or(is_blocked), max(decision),
             max(label), bool_or(is_held), bool_or(has_appeal)
      FROM (
        SELECT number, reports, last_reported_at, NULL::smallint AS category_id, false AS is_blocked,
               NULL::text AS decision, NULL::text AS label, false AS is_held, false AS has_appeal
        FROM numbers WHERE number = ANY($1::bigint[])
        UNION ALL
        SELECT number, NULL, NULL, category_id, treatment = 0, NULL, NULL, false, false FROM listings
        WHERE number = ANY($1::bigint[])
        UNION ALL
        SELECT number, NULL, NULL, NULL, false, decision, label, false, false FROM number_decisions
        WHERE number = ANY($1::bigint[])
        UNION ALL
        SELECT number, NULL, NULL, NULL, false, NULL, NULL, true, false FROM holds
        WHERE number = ANY($1::bigint[]) AND NOT settled
        UNION ALL
        SELECT number, NULL, NULL, NULL, false, NULL, NULL, false, true FROM appeals
        WHERE number = ANY($1::bigint[]) AND state = 'open'
      ) known GROUP BY number
      """,
      numbers
    ) { row in
      let decision: String? = try row.decode(5)
      return SearchHit(
        number: try row.decode(0), reports: try row.decode(1) ?? 0, lastReportedAt: try row.decode(2),
        listedAs: try row.optionalCategory(3), isBlocked: try row.decode(4),
        decision: try decision.map { name in
          guard let treatment = Decision.Treatment(rawValue: name) else { throw StorageError.unknownTreatment(name) }
          return treatment
        }, label: try row.decode(6), isHeld: try row.decode(7), hasAppeal: try row.decode(8))
    }
  }
}
