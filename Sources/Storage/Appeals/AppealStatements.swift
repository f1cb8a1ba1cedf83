// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import PostgreSQL

extension SQL {
  /// Files an appeal; an existing one is unchanged.
  static func fileAppeal(appeal: Appeal) -> Statement<Void> {
    Statement(
      """
      INSERT INTO appeals (number, appeal_id, state, statement, filed_at) VALUES ($1, $2, 'open', $3, $4)
      ON CONFLICT (number, appeal_id) DO NOTHING
      """,
      appeal.number, appeal.id, appeal.statement, appeal.filedAt)
  }

  /// Answers an appeal, or changes the answer.
  /// - Parameter decision: The decision that upholds the appeal.
  static func answerAppeal(appeal: Appeal, decision: UUID? = nil) -> Statement<Int64> {
    Statement(
      """
      UPDATE appeals SET state = $3, answered_by = $4, answered_at = $5, answer = $6, decision_id = $7
      WHERE number = $1 AND appeal_id = $2 RETURNING number
      """,
      appeal.number, appeal.id, appeal.state.rawValue, appeal.answeredBy, appeal.answeredAt, appeal.answer, decision
    ) { try $0.decode(0) }
  }

  /// Opens the appeals again that a decision upheld, and keeps their contacts.
  static func reopenAppeals(number: Int64, decision: UUID) -> Statement<Void> {
    Statement(
      """
      WITH reopened AS (
        UPDATE appeals SET state = 'open', answered_by = NULL, answered_at = NULL, answer = NULL, decision_id = NULL
        WHERE number = $1 AND decision_id = $2 RETURNING number, appeal_id
      )
      UPDATE appeal_contacts c SET purge_at = NULL FROM reopened r
      WHERE c.number = $1 AND c.number = r.number AND c.appeal_id = r.appeal_id
      """,
      number, decision)
  }

  /// A number's appeals, the oldest first.
  static func readAppealsOf(number: Int64) -> Statement<Appeal> {
    Statement(
      """
      SELECT appeal_id, number, state, statement, filed_at, answered_by, answered_at, answer FROM appeals
      WHERE number = $1 ORDER BY filed_at, appeal_id
      """,
      number, decode: decodeAppeal)
  }

  /// The open appeals of all numbers, the oldest first.
  static func readAllOpenAppeals() -> Statement<Appeal> {
    Statement(
      """
      SELECT appeal_id, number, state, statement, filed_at, answered_by, answered_at, answer FROM appeals
      WHERE state = 'open' ORDER BY filed_at, number, appeal_id
      """, decode: decodeAppeal)
  }

  static func decodeAppeal(_ row: PostgresRow) throws -> Appeal {
    let name: String = try row.decode(2)
    guard let state = Appeal.State(rawValue: name) else { throw StorageError.unknownState(name) }
    return Appeal(
      id: try row.decode(0), number: try row.decode(1), state: state, statement: try row.decode(3),
      filedAt: try row.decode(4), answeredBy: try row.decode(5), answeredAt: try row.decode(6),
      answer: try row.decode(7))
  }
}

/// The complaints on a number that was appealed, on one of the last 64 days.
struct AppealedDay: Sendable {
  let number: Int64
  let day: Int32
  let complaints: Int
  let appealDays: [Int32]
}

extension SQL {
  /// Numbers with an appeal that was not rejected, with the days of the appeals, and with the number of complaints on
  /// each of the last 64 days: one row for each number and day with complaints.
  /// - Parameter numbers: Nil: all numbers.
  static func readAppealedDays(time: Date, numbers: [Int64]? = nil) -> Statement<AppealedDay> {
    Statement(
      appealedDays("($3::bigint[] IS NULL OR number = ANY($3))"), time.addingTimeInterval(-64 * 86_400), time, numbers,
      decode: decodeAppealedDay)
  }

  /// As ``readAppealedDays(time:numbers:)`` for one number, by its key: a cached plan for any set of numbers would read
  /// all appeals.
  static func readAppealedDaysOf(number: Int64, time: Date) -> Statement<AppealedDay> {
    Statement(
      appealedDays("number = $3::bigint"), time.addingTimeInterval(-64 * 86_400), time, number,
      decode: decodeAppealedDay)
  }

  /// - Parameter condition: SQL that selects appeals.
  private static func appealedDays(_ condition: String) -> String {
    """
    WITH appealed AS (
      SELECT number, array_agg((filed_at AT TIME ZONE 'UTC')::date - DATE '1970-01-01') AS days
      FROM appeals WHERE state <> 'rejected' AND filed_at <= $2::timestamptz AND \(condition)
      GROUP BY number
    )
    SELECT a.number, (r.reported_at AT TIME ZONE 'UTC')::date - DATE '1970-01-01', count(*), a.days
    FROM appealed a
    JOIN reports r ON r.number = a.number
    JOIN categories c ON c.category_id = r.category_id
    WHERE c.toxic AND r.withdrawn_at IS NULL AND r.reported_at > $1::timestamptz AND r.reported_at <= $2::timestamptz
    GROUP BY a.number, 2, a.days ORDER BY a.number
    """
  }

  private static func decodeAppealedDay(_ row: PostgresRow) throws -> AppealedDay {
    AppealedDay(
      number: try row.decode(0), day: try row.decode(1), complaints: Int(try row.decode(2, as: Int64.self)),
      appealDays: try row.decode(3))
  }
}
