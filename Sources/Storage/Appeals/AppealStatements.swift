// SPDX-License-Identifier: Apache-2.0

package import Curation
package import Foundation
package import PostgreSQL

extension SQL {
  /// Leaves an existing appeal unchanged.
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
  package static func answerAppeal(
    appeal: Appeal, decision: UUID? = nil, case item: QueueCase? = nil
  ) -> Statement<Int64> {
    Statement(
      """
      UPDATE appeals SET state = $3, answered_by = $4, answered_at = $5, answer = $6, decision_id = $7, case_level = $8,
        case_assigned_to = $9
      WHERE number = $1 AND appeal_id = $2 RETURNING number
      """,
      appeal.number, appeal.id, appeal.state.rawValue, appeal.answeredBy, appeal.answeredAt, appeal.answer, decision,
      item?.level, item?.assignedTo)
  }

  /// Opens the appeals again that a decision upheld, and keeps their contacts; returns their ids.
  package static func reopenAppeals(number: Int64, decision: UUID) -> Statement<UUID> {
    Statement(
      """
      WITH reopened AS (
        UPDATE appeals SET state = 'open', answered_by = NULL, answered_at = NULL, answer = NULL, decision_id = NULL
        WHERE number = $1 AND decision_id = $2 RETURNING number, appeal_id
      ), kept AS (
        UPDATE appeal_contacts c SET purge_at = NULL FROM reopened r
        WHERE c.number = $1 AND c.number = r.number AND c.appeal_id = r.appeal_id
      )
      SELECT appeal_id FROM reopened
      """,
      number, decision)
  }

  /// Opens the appeals again that were rejected at a time, and keeps their contacts; returns id, and level and colleague
  /// of the case for each.
  package static func reopenRejected(
    number: Int64, answeredAt: Date
  ) -> Statement<(id: UUID, level: Int16, colleague: String?)> {
    Statement(
      """
      WITH reopened AS (
        UPDATE appeals SET state = 'open', answered_by = NULL, answered_at = NULL, answer = NULL
        WHERE number = $1 AND state = 'rejected' AND answered_at = $2
        RETURNING number, appeal_id, case_level, case_assigned_to
      ), kept AS (
        UPDATE appeal_contacts c SET purge_at = NULL FROM reopened r
        WHERE c.number = $1 AND c.number = r.number AND c.appeal_id = r.appeal_id
      )
      SELECT appeal_id, coalesce(case_level, 0)::smallint, case_assigned_to FROM reopened
      """,
      number, answeredAt
    ) { (try $0.decode(0), try $0.decode(1), try $0.decode(2)) }
  }

  /// A number's appeals, the oldest first.
  package static func readAppealsOf(number: Int64) -> Statement<Appeal> {
    Statement(
      """
      SELECT appeal_id, number, state, statement, filed_at, answered_by, answered_at, answer, is_objection
      FROM appeals
      WHERE number = $1 ORDER BY filed_at, appeal_id
      """,
      number, decode: decodeAppeal)
  }

  static func decodeAppeal(_ row: PostgresRow) throws -> Appeal {
    let name: String = try row.decode(2)
    guard let state = Appeal.State(rawValue: name) else { throw StorageError.unknownState(name) }
    var appeal = Appeal(
      id: try row.decode(0), number: try row.decode(1), state: state, statement: try row.decode(3),
      filedAt: try row.decode(4), answeredBy: try row.decode(5), answeredAt: try row.decode(6),
      answer: try row.decode(7))
    appeal.isObjection = try row.decode(8)
    return appeal
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
  /// each of the last 64 days: one row for each number and day with complaints. A rejection that can be undone does not
  /// count.
  /// - Parameters:
  ///   - numbers: Nil: all numbers.
  ///   - receivedBefore: Leaves out reports of reporters that arrived since then; nil for all reports.
  static func readAppealedDays(
    time: Date, numbers: [Int64]? = nil, receivedBefore: Date? = nil
  ) -> Statement<AppealedDay> {
    Statement(
      appealedDays("($3::bigint[] IS NULL OR number = ANY($3))"), spoofingBegins(time), time, numbers,
      receivedBefore, time.addingTimeInterval(-Appeal.undoWindow), decode: decodeAppealedDay)
  }

  /// As ``readAppealedDays(time:numbers:receivedBefore:)`` for one number, by its key: a cached plan for any set of numbers would read
  /// all appeals.
  static func readAppealedDaysOf(number: Int64, time: Date, receivedBefore: Date?) -> Statement<AppealedDay> {
    Statement(
      appealedDays("number = $3::bigint", reports: "r.number = $3::bigint"), spoofingBegins(time),
      time, number, receivedBefore, time.addingTimeInterval(-Appeal.undoWindow), decode: decodeAppealedDay)
  }

  private static func spoofingBegins(_ time: Date) -> Date { time - Double(Spoofing.days) * 86_400 }

  /// - Parameters:
  ///   - condition: SQL that selects appeals.
  ///   - reports: SQL that selects reports, where one shard of a cluster has all.
  private static func appealedDays(_ condition: String, reports: String = "true") -> String {
    """
    WITH appealed AS (
      SELECT number, array_agg((filed_at AT TIME ZONE 'UTC')::date - DATE '1970-01-01') AS days
      FROM appeals
      WHERE (state <> 'rejected' OR answered_at > $5::timestamptz) AND filed_at <= $2::timestamptz AND \(condition)
      GROUP BY number
    )
    SELECT a.number, (r.reported_at AT TIME ZONE 'UTC')::date - DATE '1970-01-01', count(*), a.days
    FROM appealed a
    JOIN reports r ON r.number = a.number
    JOIN categories c ON c.category_id = r.category_id
    WHERE c.toxic AND r.withdrawn_at IS NULL AND r.reported_at > $1::timestamptz AND r.reported_at <= $2::timestamptz
      AND ($4::timestamptz IS NULL OR r.reporter IS NULL OR r.received_at < $4) AND \(reports)
    GROUP BY a.number, 2, a.days ORDER BY a.number
    """
  }

  private static func decodeAppealedDay(_ row: PostgresRow) throws -> AppealedDay {
    AppealedDay(
      number: try row.decode(0), day: try row.decode(1), complaints: Int(try row.decode(2, as: Int64.self)),
      appealDays: try row.decode(3))
  }

  /// Consumes a form; returns a row unless it was used before.
  package static func spendStamp(stamp: [UInt8], expiresAt: Date) -> Statement<[UInt8]> {
    Statement(
      """
      INSERT INTO used_form_stamps (stamp, expires_at) VALUES ($1, $2) ON CONFLICT (stamp) DO NOTHING RETURNING stamp
      """,
      stamp, expiresAt)
  }

  package static func markObjection(number: Int64, appealID: UUID) -> Statement<Void> {
    Statement("UPDATE appeals SET is_objection = true WHERE number = $1 AND appeal_id = $2", number, appealID)
  }

  /// Prevents two people who appeal at once about a number from opening two appeals. A hint only: where it fails there
  /// are two appeals, and both are answered.
  package static func lockAppeals(number: Int64) -> Statement<Void> {
    Statement("SELECT pg_advisory_xact_lock($1)", number)
  }

  /// Stores one person's statement under the hash of the ticket.
  package static func addFiling(
    filing: AppealFiling, appealID: UUID, ticketHash: [UInt8], origin: FilingOrigin
  ) -> Statement<Void> {
    Statement(
      """
      INSERT INTO appeal_filings (number, ticket_hash, appeal_id, statement, filed_at, network, area, language)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
      ON CONFLICT (number, ticket_hash) DO NOTHING
      """,
      filing.number, ticketHash, appealID, filing.statement, filing.filedAt, origin.network, origin.area,
      filing.language)
  }

  /// - Parameter stamp: of the form, where a server can make the ticket of it.
  package static func addContact(
    _ filing: AppealFiling, contact: String, ticketHash: [UInt8], appealID: UUID, stamp: [UInt8]?
  ) -> Statement<Void> {
    Statement(
      """
      INSERT INTO appeal_contacts (number, ticket_hash, appeal_id, contact, language, stamp)
      VALUES ($1, $2, $3, $4, $5, $6)
      ON CONFLICT (number, ticket_hash) DO NOTHING
      """,
      filing.number, ticketHash, appealID, contact, filing.language, stamp)
  }

  package static func readContacts(
    number: Int64, appealID: UUID
  ) -> Statement<(contact: String, language: String, stamp: [UInt8]?)> {
    Statement(
      "SELECT contact, language, stamp FROM appeal_contacts WHERE number = $1 AND appeal_id = $2 ORDER BY ticket_hash",
      number, appealID
    ) { (try $0.decode(0), try $0.decode(1), try $0.decode(2)) }
  }

  /// Filings that hold the places of an appeal, the oldest first.
  package static func readFilingPlaces(
    number: Int64, appealID: UUID
  ) -> Statement<(ticketHash: [UInt8], origin: FilingOrigin)> {
    Statement(
      """
      SELECT ticket_hash, network, area FROM appeal_filings
      WHERE number = $1 AND appeal_id = $2 AND NOT displaced ORDER BY filed_at, ticket_hash
      """,
      number, appealID
    ) { (try $0.decode(0), FilingOrigin(network: try $0.decode(1), area: try $0.decode(2))) }
  }

  /// Takes a filing's place away; its ticket stays valid.
  package static func displaceFiling(number: Int64, ticketHash: [UInt8]) -> Statement<Void> {
    Statement("UPDATE appeal_filings SET displaced = true WHERE number = $1 AND ticket_hash = $2", number, ticketHash)
  }

  package static func dropContact(number: Int64, ticketHash: [UInt8]) -> Statement<Void> {
    Statement("DELETE FROM appeal_contacts WHERE number = $1 AND ticket_hash = $2", number, ticketHash)
  }

  package static func findFiling(
    ticketHash: [UInt8]
  ) -> Statement<(number: Int64, appealID: UUID, statement: String, filedAt: Date)> {
    Statement(
      "SELECT number, appeal_id, statement, filed_at FROM appeal_filings WHERE ticket_hash = $1",
      ticketHash
    ) { (try $0.decode(0), try $0.decode(1), try $0.decode(2), try $0.decode(3)) }
  }

  /// The statements in appeals about a number, the oldest first, with contacts; at most 500.
  static func readFilings(number: Int64) -> Statement<FiledStatement> {
    Statement(
      """
      SELECT f.appeal_id, f.statement, f.filed_at, c.contact, coalesce(f.language, c.language)
      FROM appeal_filings f
      LEFT JOIN appeal_contacts c ON c.number = f.number AND c.ticket_hash = f.ticket_hash
      WHERE f.number = $1 AND NOT f.displaced ORDER BY f.filed_at, f.ticket_hash LIMIT 500
      """,
      number
    ) { row in
      FiledStatement(
        appealID: try row.decode(0), statement: try row.decode(1), filedAt: try row.decode(2),
        contact: try row.decode(3), language: try row.decode(4))
    }
  }

  /// The text of the rejection that was undone last, from the audit log; null where another answer followed.
  static func readUndoneAnswer(number: Int64) -> Statement<String?> {
    Statement(
      """
      SELECT CASE WHEN e.action = 'appeal.undo' THEN (
        SELECT r.reason FROM audit_events r WHERE r.subject = $1 AND r.action = 'appeal.reject'
        ORDER BY r.happened_at DESC, r.event_id DESC LIMIT 1) END
      FROM audit_events e WHERE e.subject = $1 AND e.action IN ('appeal.undo', 'appeal.reject', 'appeal.uphold')
      ORDER BY e.happened_at DESC, e.event_id DESC LIMIT 1
      """,
      "+\(number)")
  }

  /// Schedules the deletion of contacts.
  package static func schedulePurge(number: Int64, time: Date) -> Statement<Void> {
    Statement("UPDATE appeal_contacts SET purge_at = $2 WHERE number = $1 AND purge_at IS NULL", number, time)
  }

  static func purgeContacts(time: Date) -> Statement<Void> {
    Statement("DELETE FROM appeal_contacts WHERE purge_at <= $1", time)
  }

  /// Deletes used forms that have expired.
  static func purgeStamps(time: Date) -> Statement<Void> {
    Statement("DELETE FROM used_form_stamps WHERE expires_at <= $1", time)
  }

  static func purgeFilingOrigins(before: Date) -> Statement<Void> {
    Statement(
      """
      UPDATE appeal_filings SET network = NULL, area = NULL WHERE network IS NOT NULL AND filed_at < $1
      """,
      before)
  }
}
