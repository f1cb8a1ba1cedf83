// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import PostgreSQL

/// Comments on a number, the newest first.
struct ReadComments: PostgresStatement {
  let number: Int64
  let before: CommentPlace
  let limit: Int

  static let sql = """
    SELECT comment, reported_at, category_id, report_id FROM reports
    WHERE number = $1 AND comment IS NOT NULL AND withdrawn_at IS NULL
      AND (reported_at, report_id) < ($2::timestamptz, $3::uuid)
    ORDER BY reported_at DESC, report_id DESC LIMIT $4::bigint
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(number)
    parameters.append(before.reportedAt)
    parameters.append(before.reportID)
    parameters.append(Int64(limit))
  }

  static func decode(_ row: PostgresRow) throws -> CaseComment {
    CaseComment(
      text: try row.decode(0), reportedAt: try row.decode(1), category: try row.category(2), reportID: try row.decode(3)
    )
  }
}

/// Reporters of a number, those with the greatest weight first.
struct ReadCaseReporters: PostgresStatement {
  let number: Int64
  let limit: Int

  static let sql = """
    SELECT substr(encode(w.reporter, 'hex'), 1, 4), w.weight, w.category_id, coalesce(r.judged, 0), coalesce(r.agreed, 0)
    FROM number_reporters w LEFT JOIN reporters r ON r.reporter = w.reporter
    WHERE w.number = $1 ORDER BY w.weight DESC, w.reporter LIMIT $2::bigint
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(number)
    parameters.append(Int64(limit))
  }

  static func decode(_ row: PostgresRow) throws -> CaseReporter {
    CaseReporter(
      pseudonym: try row.decode(0), weight: try row.decode(1), category: try row.category(2),
      judged: Int(try row.decode(3, as: Int32.self)), agreed: Int(try row.decode(4, as: Int32.self)))
  }
}

/// Reported numbers of the same block of 100, the hottest first.
struct ReadNeighbours: PostgresStatement {
  let number: Int64
  let limit: Int

  static let sql = """
    SELECT n.number, n.heat, n.reports, l.number IS NOT NULL, r.decision
    FROM numbers n
    LEFT JOIN listings l ON l.number = n.number
    LEFT JOIN number_decisions r ON r.number = n.number
    WHERE n.number = ANY($1::bigint[])
    ORDER BY n.heat DESC, n.number LIMIT $2::bigint
    """

  func bind(into parameters: inout PostgresParameters) {
    // A list and not an interval: the plan of an interval depends on its length, so each case would need a new plan.
    parameters.append(NumberRange(around: number, digits: 2).numbers.filter { $0 != number })
    parameters.append(Int64(limit))
  }

  static func decode(_ row: PostgresRow) throws -> Neighbour {
    let decision: String? = try row.decode(4)
    return Neighbour(
      number: try row.decode(0), heat: try row.decode(1), reports: try row.decode(2), isPublished: try row.decode(3),
      decision: decision.flatMap { Decision.Treatment(rawValue: $0) })
  }
}

/// Reports and calls by day, without days that had none.
struct ReadCaseDays: PostgresStatement {
  let number: Int64
  let time: Date

  static let sql = """
    SELECT day, sum(complaints)::bigint, sum(votes)::bigint, sum(calls)::bigint FROM (
      SELECT (r.reported_at AT TIME ZONE 'UTC')::date - DATE '1970-01-01' AS day,
             count(*) FILTER (WHERE c.toxic) AS complaints, count(*) FILTER (WHERE NOT c.toxic) AS votes, 0 AS calls
      FROM reports r JOIN categories c ON c.category_id = r.category_id
      WHERE r.number = $1 AND r.withdrawn_at IS NULL AND r.reported_at >= $2 GROUP BY 1
      UNION ALL
      SELECT d.day - DATE '1970-01-01', 0, 0, d.named + d.unknown FROM identification_days d
      WHERE d.number = $1 AND d.day - DATE '1970-01-01' >= $3::integer
    ) t GROUP BY day ORDER BY day
    """

  func bind(into parameters: inout PostgresParameters) {
    let first = ComplaintDays.day(of: time) - Int32(CaseStore.days) + 1
    parameters.append(number)
    parameters.append(Date(timeIntervalSince1970: Double(first) * 86_400))
    parameters.append(first)
  }

  static func decode(_ row: PostgresRow) throws -> CaseDay {
    CaseDay(
      day: try row.decode(0), complaints: Int(try row.decode(1, as: Int64.self)),
      votes: Int(try row.decode(2, as: Int64.self)), calls: try row.decode(3))
  }
}

/// The range of 10 or 100 numbers that contains a number, where one is stored; the narrower one first.
struct ReadRangeAround: PostgresStatement {
  let number: Int64

  static let sql = """
    SELECT number, digits, state, category_id, members, heat, proposed_at, decided_by, reason FROM ranges
    WHERE (number = $1::bigint / 10 * 10 AND digits = 1) OR (number = $1::bigint / 100 * 100 AND digits = 2)
    ORDER BY digits LIMIT 1
    """

  func bind(into parameters: inout PostgresParameters) { parameters.append(number) }

  static func decode(_ row: PostgresRow) throws -> ProposedRange { try ReadRanges.decode(row) }
}

/// Notes of moderators about a number, the newest first.
struct ReadNotes: PostgresStatement {
  let number: Int64

  static let sql = """
    SELECT account, note, written_at FROM number_notes WHERE number = $1 ORDER BY written_at DESC, note_id LIMIT 100
    """

  func bind(into parameters: inout PostgresParameters) { parameters.append(number) }

  static func decode(_ row: PostgresRow) throws -> CaseNote {
    CaseNote(account: try row.decode(0), text: try row.decode(1), writtenAt: try row.decode(2))
  }
}

/// Adds a note about a number, once; returns a row when it is new.
struct AddNote: PostgresStatement {
  let number: Int64
  let id: UUID
  let account: String
  let note: String
  let time: Date

  static let sql = """
    INSERT INTO number_notes (number, note_id, account, note, written_at) VALUES ($1, $2, $3, $4, $5)
    ON CONFLICT (number, note_id) DO NOTHING
    RETURNING number
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(number)
    parameters.append(id)
    parameters.append(account)
    parameters.append(note)
    parameters.append(time)
  }

  static func decode(_ row: PostgresRow) throws -> Int64 { try row.decode(0) }
}
