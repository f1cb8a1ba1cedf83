// SPDX-License-Identifier: Apache-2.0

public import Curation
public import Foundation
public import PostgreSQL

/// A stored statement of reasons, without its number.
public struct StoredStatement: Sendable, Equatable {
  /// The figures, with the random id.
  public var facts: StatementOfReasons.Facts
  /// The category that phones show.
  public var category: ReportCategory
  /// Whether the number may be blocked; otherwise it is only identified.
  public var isBlocked: Bool
  /// When the publication became visible, and when the listing ended or changed; nil while it lasts.
  public var statedAt: Date, endedAt: Date?
}

/// Statements of reasons, as of their publications.
public struct StatementStore: Sendable {
  private let pool: PostgresPool

  public init(pool: PostgresPool) { self.pool = pool }

  /// Passes the statements of a period to `body`, the oldest first.
  /// - Parameters:
  ///   - since: the earliest time, inclusive.
  ///   - until: the latest time, exclusive.
  public func forEach(
    since: Date, until: Date, _ body: @Sendable ([StoredStatement]) async throws -> Void
  ) async throws {
    try await pool.withConnection { connection in
      for try await batch in connection.stream(SQL.readStatements(since: since, until: until)).batches {
        try await body(batch)
      }
    }
  }
}

extension SQL {
  private static let facts = """
    s.statement_id, s.reports, s.reporters, s.days, s.first_reported_at, s.last_reported_at, s.thresholds, s.cause,
    s.is_by_program, coalesce((SELECT array_agg(a.name ORDER BY a.app_id) FROM apps a WHERE a.app_id = ANY(s.sources)), '{}')
    """

  private static func decodeFacts(_ row: PostgresRow) throws -> StatementOfReasons.Facts {
    let cause: Int16 = try row.decode(7)
    return StatementOfReasons.Facts(
      id: try row.decode(0), ground: cause == 0 ? .reports : cause == 1 ? .decision : .range,
      isByProgram: try row.decode(8), reports: try row.decode(1), reporters: Int(try row.decode(2, as: Int32.self)),
      days: Int(try row.decode(3, as: Int32.self)), sources: try row.decode(9), firstReportedAt: try row.decode(4),
      lastReportedAt: try row.decode(5), thresholds: try row.decode(6))
  }

  /// Ends the statements of listings that have changed or have another decision, and states the reasons of listings without
  /// a statement. Safe to repeat.
  /// - Parameters:
  ///   - numbers: those whose listings may be new or changed.
  ///   - seed: not stored, so that an identifier reveals nothing about its number.
  static func addStatements(numbers: [Int64], serial: Int64, time: Date, seed: UUID = UUID()) -> Statement<Void> {
    let isSame = """
      (s.category_id, s.cause, s.treatment) = (l.category_id, l.cause, l.treatment)
          AND (l.cause <> 1 OR f.decision_id IS NULL OR s.decision_id IS NOT DISTINCT FROM f.decision_id)
      """
    return Statement(
      """
      WITH ended AS (
        UPDATE statements s SET ended_at = $3
        FROM listings l LEFT JOIN number_decisions f ON f.number = l.number
        WHERE l.number = ANY($1::bigint[]) AND s.number = l.number AND s.ended_at IS NULL AND NOT (\(isSame))
      )
      INSERT INTO statements
        (number, statement_id, category_id, cause, treatment, decision_id, is_by_program, reports, reporters, days, sources,
         first_reported_at, last_reported_at, thresholds, serial, stated_at)
      SELECT l.number, md5($4::text || l.number::text)::uuid, l.category_id, l.cause, l.treatment, d.decision_id,
             coalesce(d.decided_by LIKE 'app:%', false), coalesce(n.reports, 0), coalesce(n.reporters, 0),
             bit_count(coalesce(n.day_bits, 0)::bit(64))::integer, coalesce(o.sources, '{}'), n.first_reported_at,
             n.last_reported_at, (SELECT max(version) FROM threshold_versions), $2, $3
      FROM listings l
      LEFT JOIN numbers n ON n.number = l.number
      LEFT JOIN (
        SELECT number, array_agg(app_id ORDER BY app_id) AS sources FROM number_sources
        WHERE number = ANY($1::bigint[]) AND complaints > 0 GROUP BY number
      ) o ON o.number = l.number
      LEFT JOIN number_decisions f ON f.number = l.number AND l.cause = 1
      LEFT JOIN decisions d ON d.number = l.number AND d.decision_id = f.decision_id
      WHERE l.number = ANY($1::bigint[])
        AND NOT EXISTS (SELECT 1 FROM statements s WHERE s.number = l.number AND s.ended_at IS NULL AND \(isSame))
      """,
      numbers, serial, time, seed.uuidString)
  }

  /// Numbers whose listing has its treatment and category by a later decision than the statement: the decision has reasons
  /// of its own.
  static func findRenewedDecisions() -> Statement<Int64> {
    Statement(
      """
      SELECT s.number FROM statements s JOIN number_decisions f ON f.number = s.number
      WHERE s.ended_at IS NULL AND s.cause = 1 AND s.decision_id IS DISTINCT FROM f.decision_id
        AND f.decision = CASE s.treatment WHEN 0 THEN 'block' ELSE 'identify' END
        AND coalesce(f.category_id, s.category_id) = s.category_id
      ORDER BY s.number
      """)
  }

  /// Ends the statements of numbers that are no longer listed.
  static func endStatements(numbers: [Int64], time: Date) -> Statement<Void> {
    Statement(
      "UPDATE statements SET ended_at = $2 WHERE number = ANY($1::bigint[]) AND ended_at IS NULL", numbers, time)
  }

  /// The figures of a number's listing; no row where it is not listed.
  static func readStatement(number: Int64) -> Statement<StatementOfReasons.Facts> {
    Statement(
      "SELECT \(facts) FROM statements s WHERE s.number = $1 AND s.ended_at IS NULL ORDER BY s.stated_at DESC LIMIT 1",
      number, decode: decodeFacts)
  }

  static func readStatements(since: Date, until: Date) -> Statement<StoredStatement> {
    Statement(
      """
      SELECT \(facts), s.category_id, s.treatment = 0, s.stated_at, s.ended_at
      FROM statements s WHERE s.stated_at >= $1 AND s.stated_at < $2 ORDER BY s.stated_at, s.statement_id
      """,
      since, until
    ) { row in
      StoredStatement(
        facts: try decodeFacts(row), category: try row.category(10), isBlocked: try row.decode(11),
        statedAt: try row.decode(12), endedAt: try row.decode(13))
    }
  }

  static func purgeStatements(before: Date, limit: Int) -> Statement<Void> {
    Statement(
      """
      DELETE FROM statements s USING (
        SELECT number, statement_id FROM statements WHERE ended_at < $1 ORDER BY ended_at LIMIT $2::bigint
      ) old
      WHERE s.number = old.number AND s.statement_id = old.statement_id
      """,
      before, Int64(limit))
  }
}
