// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
package import PostgreSQL

/// SQL that the statements about comments share.
private enum CommentSQL {
  /// The newest comments, or complaints, that a page of a case reads: a flood of reports must not fill the memory.
  static let most = 10_000

  /// Equal for comments that differ only in case, spaces and punctuation.
  static let key = """
    coalesce(nullif(lower(regexp_replace(r.comment, '[[:space:][:punct:]]+', '', 'g')), ''), r.comment)
    """

  /// Leaves out reporters who have restricted the processing of their reports.
  static let isUnrestricted = """
    NOT EXISTS (SELECT 1 FROM reporter_weights x WHERE x.reporter = r.reporter AND x.restricted_at IS NOT NULL)
    """
}

extension SQL {
  /// Comments on a number in groups of one text: the largest groups first, of equal ones the one with the newest comment.
  static func readComments(number: Int64, before: CommentPlace, limit: Int) -> Statement<CaseComment> {
    Statement(
      """
      SELECT texts[1], count, reported_at, category_id, ids[1], full_weight, partial_weight, new_weight, no_weight FROM (
        SELECT array_agg(comment ORDER BY reported_at DESC, report_id DESC) AS texts, count(*) AS count,
               max(reported_at) AS reported_at, mode() WITHIN GROUP (ORDER BY category_id) AS category_id,
               array_agg(report_id ORDER BY reported_at DESC, report_id DESC) AS ids,
               count(DISTINCT reporter) FILTER (WHERE weight >= 1) AS full_weight,
               count(DISTINCT reporter) FILTER (WHERE weight > 0 AND weight < 1) AS partial_weight,
               count(DISTINCT reporter) FILTER (WHERE weight = $6::double precision) AS new_weight,
               count(DISTINCT reporter) FILTER (WHERE weight <= 0) AS no_weight
        FROM (
          SELECT r.comment, r.reported_at, r.report_id, r.category_id, r.reporter, w.weight, \(CommentSQL.key) AS key
          FROM reports r LEFT JOIN number_reporters w ON w.number = r.number AND w.reporter = r.reporter
          WHERE r.number = $1 AND r.comment IS NOT NULL AND r.withdrawn_at IS NULL AND \(CommentSQL.isUnrestricted)
          ORDER BY r.reported_at DESC, r.report_id DESC LIMIT \(CommentSQL.most)
        ) c GROUP BY key
      ) t
      WHERE (count, reported_at, ids[1]) < ($2::bigint, $3::timestamptz, $4::uuid)
      ORDER BY count DESC, reported_at DESC, ids[1] DESC LIMIT $5::bigint
      """,
      number, before.count, before.reportedAt, before.reportID, Int64(limit), ReporterWeight.newcomer
    ) { row in
      CaseComment(
        text: try row.decode(0), count: Int(try row.decode(1, as: Int64.self)), reportedAt: try row.decode(2),
        category: try row.category(3), reportID: try row.decode(4),
        reporters: Explanation.Weights(
          full: Int(try row.decode(5, as: Int64.self)), partial: Int(try row.decode(6, as: Int64.self)),
          new: Int(try row.decode(7, as: Int64.self)), none: Int(try row.decode(8, as: Int64.self))))
    }
  }

  static func readCaseConcentration(number: Int64) -> Statement<CaseConcentration> {
    Statement(
      """
      WITH complaints AS (
        SELECT r.reporter, r.network, r.comment, r.category_id, \(CommentSQL.key) AS key
        FROM reports r JOIN categories c ON c.category_id = r.category_id
        WHERE r.number = $1 AND r.withdrawn_at IS NULL AND r.reporter IS NOT NULL AND c.toxic
          AND \(CommentSQL.isUnrestricted)
        ORDER BY r.reported_at DESC, r.report_id DESC LIMIT \(CommentSQL.most)
      ), networks AS (
        SELECT count(DISTINCT reporter) AS reporters FROM complaints WHERE network IS NOT NULL GROUP BY network
      ), texts AS (
        SELECT count(DISTINCT reporter) AS reporters, min(comment) AS comment,
               mode() WITHIN GROUP (ORDER BY category_id) AS category_id
        FROM complaints WHERE comment IS NOT NULL GROUP BY key
      )
      SELECT (SELECT count(DISTINCT reporter) FROM complaints WHERE network IS NOT NULL),
             (SELECT coalesce(max(reporters), 0) FROM networks),
             (SELECT count(DISTINCT reporter) FROM complaints WHERE comment IS NOT NULL),
             coalesce((SELECT max(reporters) FROM texts), 0),
             coalesce((SELECT comment FROM texts ORDER BY reporters DESC, comment LIMIT 1), ''),
             (SELECT category_id FROM texts ORDER BY reporters DESC, comment LIMIT 1)
      """,
      number
    ) { row in
      CaseConcentration(
        networked: Int(try row.decode(0, as: Int64.self)), sameNetwork: Int(try row.decode(1, as: Int64.self)),
        commenting: Int(try row.decode(2, as: Int64.self)), sameText: Int(try row.decode(3, as: Int64.self)),
        text: try row.decode(4), textCategory: try row.optionalCategory(5))
    }
  }

  /// Protected numbers among the others of the same block of 100, the nearest first.
  static func readProtectedNeighbour(number: Int64) -> Statement<Protection> {
    Statement(
      """
      SELECT \(protectedNumberColumns) FROM protected_numbers WHERE number = ANY($2::bigint[])
      ORDER BY abs(number - $1::bigint), number, app_id LIMIT 1
      """,
      number, RangePattern(around: number, size: 100).blocks[0].filter { $0 != number }
    ) { try SQL.decodeReadProtectedNumbers($0).protection }
  }

  /// Reporters of a number, those with the greatest weight first.
  static func readCaseReporters(number: Int64, limit: Int) -> Statement<CaseReporter> {
    Statement(
      """
      SELECT w.reporter, w.weight, w.category_id, coalesce(r.judged, 0), coalesce(r.agreed, 0), coalesce(r.brigades, 0),
             r.first_received_at
      FROM number_reporters w LEFT JOIN reporters r ON r.reporter = w.reporter
      WHERE w.number = $1 ORDER BY w.weight DESC, w.reporter LIMIT $2::bigint
      """,
      number, Int64(limit)
    ) { row in
      CaseReporter(
        reporter: Reporter(try row.decode(0)), weight: try row.decode(1), category: try row.category(2),
        judged: Int(try row.decode(3, as: Int32.self)), agreed: Int(try row.decode(4, as: Int32.self)),
        bursts: Int(try row.decode(5, as: Int32.self)), since: try row.decode(6))
    }
  }

  /// The reports of apps by hour of the week, from Monday 00:00 UTC.
  static func readReportHours(number: Int64, time: Date) -> Statement<(hour: Int, reports: Int)> {
    Statement(
      """
      SELECT (extract(isodow FROM reported_at AT TIME ZONE 'UTC') * 24 - 24
               + extract(hour FROM reported_at AT TIME ZONE 'UTC'))::integer, count(*)
      FROM reports
      WHERE number = $1 AND withdrawn_at IS NULL AND reporter IS NOT NULL AND reported_at > $2 GROUP BY 1 ORDER BY 1
      """,
      number, time - Double(CaseStore.days) * 86_400
    ) { (Int(try $0.decode(0, as: Int32.self)), Int(try $0.decode(1, as: Int64.self))) }
  }

  /// The reports by app and list, the most first.
  static func readReportsByApp(number: Int64) -> Statement<(name: String, reports: Int, reporters: Int)> {
    Statement(
      """
      SELECT a.name, count(*), count(DISTINCT r.reporter) FROM reports r JOIN apps a ON a.app_id = r.app_id
      WHERE r.number = $1 AND r.withdrawn_at IS NULL GROUP BY a.app_id, a.name ORDER BY 2 DESC, 1 LIMIT 20
      """,
      number
    ) { (try $0.decode(0), Int(try $0.decode(1, as: Int64.self)), Int(try $0.decode(2, as: Int64.self))) }
  }

  /// Reports of some reporters, and reports with a comment, by number and reporter. There is no index by reporter: all
  /// reports since a time are read.
  static func readReportsOfReporters(
    reporters: [Reporter], comment: String, besides number: Int64, since: Date, limit: Int
  ) -> Statement<ReportsOfReporter> {
    Statement(
      """
      SELECT r.number, r.reporter, array_agg(DISTINCT r.network) FILTER (WHERE r.network IS NOT NULL),
             coalesce(bool_or(r.comment = $2), false)
      FROM reports r
      WHERE (r.reporter = ANY($1::bytea[]) OR r.comment = $2) AND r.reporter IS NOT NULL AND r.withdrawn_at IS NULL
        AND r.reported_at > $3 AND \(CommentSQL.isUnrestricted)
      GROUP BY r.number, r.reporter
      ORDER BY r.number = $5 DESC, r.reporter = ANY($1::bytea[]) DESC, r.number, r.reporter LIMIT $4::bigint
      """,
      reporters.map(\.bytes), comment, since, Int64(limit), number
    ) { row in
      ReportsOfReporter(
        number: try row.decode(0), reporter: Reporter(try row.decode(1)),
        networks: Set(try row.decode(2, as: [[UInt8]]?.self) ?? []), hasComment: try row.decode(3))
    }
  }

  /// Reported numbers of the same block of 100, highest heat first.
  static func readNeighbours(number: Int64, limit: Int) -> Statement<Neighbour> {
    // A list and not an interval: the plan of an interval depends on its length, so each case would need a new plan.
    return Statement(
      """
      SELECT n.number, n.heat, n.reports, l.number IS NOT NULL, r.decision, h.number IS NOT NULL, q.number IS NOT NULL
      FROM numbers n
      LEFT JOIN listings l ON l.number = n.number
      LEFT JOIN number_decisions r ON r.number = n.number
      LEFT JOIN holds h ON h.number = n.number AND NOT h.settled
      LEFT JOIN queue q ON q.number = n.number
      WHERE n.number = ANY($1::bigint[])
      ORDER BY n.heat DESC, n.number LIMIT $2::bigint
      """,
      RangePattern(around: number, size: 100).blocks[0].filter { $0 != number }, Int64(limit)
    ) { row in
      let decision: String? = try row.decode(4)
      return Neighbour(
        number: try row.decode(0), heat: try row.decode(1), reports: try row.decode(2), isPublished: try row.decode(3),
        decision: decision.flatMap { Decision.Treatment(rawValue: $0) }, isHeld: try row.decode(5),
        isWaiting: try row.decode(6))
    }
  }

  /// Reports and calls by day, without days that had none.
  /// - Parameter days: the days up to `time`.
  static func readCaseDays(number: Int64, time: Date, days: Int = CaseStore.days) -> Statement<CaseDay> {
    let first = ComplaintDays.day(of: time) - Int32(days) + 1
    return Statement(
      """
      SELECT day, sum(complaints)::bigint, sum(votes)::bigint, sum(calls)::bigint FROM (
        SELECT (r.reported_at AT TIME ZONE 'UTC')::date - DATE '1970-01-01' AS day,
               count(*) FILTER (WHERE c.toxic) AS complaints, count(*) FILTER (WHERE NOT c.toxic) AS votes, 0 AS calls
        FROM reports r JOIN categories c ON c.category_id = r.category_id
        WHERE r.number = $1 AND r.withdrawn_at IS NULL AND r.reported_at >= $2 GROUP BY 1
        UNION ALL
        SELECT d.day - DATE '1970-01-01', 0, 0, d.named + d.unknown FROM identification_days d
        WHERE d.number = $1 AND d.day - DATE '1970-01-01' >= $3::integer
      ) t GROUP BY day ORDER BY day
      """,
      number, Date(timeIntervalSince1970: Double(first) * 86_400), first
    ) { row in
      CaseDay(
        day: try row.decode(0), complaints: Int(try row.decode(1, as: Int64.self)),
        votes: Int(try row.decode(2, as: Int64.self)), calls: try row.decode(3))
    }
  }

  /// The last skip or escalation of a number's case, or the last time that one was taken back.
  package static func readHandover(number: Int64) -> Statement<CaseHandover> {
    Statement(
      """
      SELECT event_id, action, actor, happened_at, before::text, after::text, reason FROM audit_events
      WHERE subject = $1 AND action = ANY($2::text[]) ORDER BY happened_at DESC, event_id DESC LIMIT 1
      """,
      "+\(number)", ["case.pass", "case.escalate", "case.take_back"]
    ) { row in
      CaseHandover(
        id: try row.decode(0), kind: CaseHandover.Kind(rawValue: try row.decode(1)) ?? .takeBack,
        account: try row.decode(2), time: try row.decode(3), before: AuditFields.decode(try row.decode(4)) ?? [:],
        after: AuditFields.decode(try row.decode(5)) ?? [:], reason: try row.decode(6))
    }
  }

  /// Notes of moderators about a number, the newest first.
  static func readNotes(number: Int64) -> Statement<CaseNote> {
    Statement(
      """
      SELECT account, note, written_at FROM number_notes WHERE number = $1 ORDER BY written_at DESC, note_id LIMIT 100
      """,
      number
    ) { CaseNote(account: try $0.decode(0), text: try $0.decode(1), writtenAt: try $0.decode(2)) }
  }

  /// Adds a note about a number, once; returns a row when it is new.
  static func addNote(number: Int64, id: UUID, account: String, note: String, time: Date) -> Statement<Int64> {
    Statement(
      """
      INSERT INTO number_notes (number, note_id, account, note, written_at) VALUES ($1, $2, $3, $4, $5)
      ON CONFLICT (number, note_id) DO NOTHING
      RETURNING number
      """,
      number, id, account, note, time)
  }
}
