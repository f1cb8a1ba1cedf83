// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import PostgreSQL

/// Files an appeal; an existing one is unchanged.
struct FileAppeal: PostgresStatement {
  typealias Row = Void
  let appeal: Appeal

  static let sql = """
    INSERT INTO appeals (number, appeal_id, state, statement, filed_at) VALUES ($1, $2, 'open', $3, $4)
    ON CONFLICT (number, appeal_id) DO NOTHING
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(appeal.number)
    parameters.append(appeal.id)
    parameters.append(appeal.statement)
    parameters.append(appeal.filedAt)
  }
}

/// Answers an appeal, or changes the answer.
struct AnswerAppeal: PostgresStatement {
  let appeal: Appeal
  /// The decision that upholds the appeal.
  var decision: UUID?

  static let sql = """
    UPDATE appeals SET state = $3, answered_by = $4, answered_at = $5, answer = $6, decision_id = $7
    WHERE number = $1 AND appeal_id = $2 RETURNING number
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(appeal.number)
    parameters.append(appeal.id)
    parameters.append(appeal.state.rawValue)
    parameters.append(appeal.answeredBy)
    parameters.append(appeal.answeredAt)
    parameters.append(appeal.answer)
    parameters.append(decision)
  }

  static func decode(_ row: PostgresRow) throws -> Int64 { try row.decode(0) }
}

/// Opens the appeals again that a decision upheld, and keeps their contacts.
struct ReopenAppeals: PostgresStatement {
  typealias Row = Void
  let number: Int64
  let decision: UUID

  static let sql = """
    WITH reopened AS (
      UPDATE appeals SET state = 'open', answered_by = NULL, answered_at = NULL, answer = NULL, decision_id = NULL
      WHERE number = $1 AND decision_id = $2 RETURNING number, appeal_id
    )
    UPDATE appeal_contacts c SET purge_at = NULL FROM reopened r
    WHERE c.number = $1 AND c.number = r.number AND c.appeal_id = r.appeal_id
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(number)
    parameters.append(decision)
  }
}

/// A number's appeals, the oldest first.
struct ReadAppealsOf: PostgresStatement {
  let number: Int64

  static let sql = """
    SELECT appeal_id, number, state, statement, filed_at, answered_by, answered_at, answer FROM appeals
    WHERE number = $1 ORDER BY filed_at, appeal_id
    """

  func bind(into parameters: inout PostgresParameters) { parameters.append(number) }

  static func decode(_ row: PostgresRow) throws -> Appeal { try ReadAllOpenAppeals.decode(row) }
}

/// The open appeals of all numbers, the oldest first.
struct ReadAllOpenAppeals: PostgresStatement {
  static let sql = """
    SELECT appeal_id, number, state, statement, filed_at, answered_by, answered_at, answer FROM appeals
    WHERE state = 'open' ORDER BY filed_at, number, appeal_id
    """

  static func decode(_ row: PostgresRow) throws -> Appeal {
    let name: String = try row.decode(2)
    guard let state = Appeal.State(rawValue: name) else { throw StorageError.unknownState(name) }
    return Appeal(
      id: try row.decode(0), number: try row.decode(1), state: state, statement: try row.decode(3),
      filedAt: try row.decode(4), answeredBy: try row.decode(5), answeredAt: try row.decode(6),
      answer: try row.decode(7))
  }
}

/// Numbers with an appeal that was not rejected, with the days of the appeals, and with the number of complaints on
/// each of the last 64 days: one row for each number and day with complaints.
struct ReadAppealedDays: PostgresStatement {
  struct Day: Sendable {
    let number: Int64
    let day: Int32
    let complaints: Int
    let appealDays: [Int32]
  }

  let time: Date
  /// Nil: all numbers.
  var numbers: [Int64]?

  static let sql = statement("($3::bigint[] IS NULL OR number = ANY($3))")

  /// - Parameter which: SQL condition that selects appeals.
  static func statement(_ which: String) -> String {
    """
    WITH appealed AS (
      SELECT number, array_agg((filed_at AT TIME ZONE 'UTC')::date - DATE '1970-01-01') AS days
      FROM appeals WHERE state <> 'rejected' AND filed_at <= $2::timestamptz AND \(which)
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

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(time.addingTimeInterval(-64 * 86_400))
    parameters.append(time)
    parameters.append(numbers)
  }

  static func decode(_ row: PostgresRow) throws -> Day {
    Day(
      number: try row.decode(0), day: try row.decode(1), complaints: Int(try row.decode(2, as: Int64.self)),
      appealDays: try row.decode(3))
  }
}

/// The same for one number, by its key: a cached plan for any set of numbers would read all appeals.
struct ReadAppealedDaysOf: PostgresStatement {
  let number: Int64
  let time: Date

  static let sql = ReadAppealedDays.statement("number = $3::bigint")

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(time.addingTimeInterval(-64 * 86_400))
    parameters.append(time)
    parameters.append(number)
  }

  static func decode(_ row: PostgresRow) throws -> ReadAppealedDays.Day { try ReadAppealedDays.decode(row) }
}
