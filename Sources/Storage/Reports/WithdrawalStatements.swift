// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import PostgreSQL

/// The columns of a report that a withdrawal needs.
struct StoredReport: Sendable {
  let number: Int64
  let reportedAt: Date
  let withdrawnAt: Date?
}

extension SQL {
  /// Finds an app's reports with an id: usually one; see ``SQL/acceptReports(_:receivedAt:byNumber:)``.
  static func findReports(appID: Int32, reportID: UUID) -> Statement<StoredReport> {
    Statement(
      """
      SELECT number, reported_at, withdrawn_at FROM reports WHERE app_id = $1 AND report_id = $2
      ORDER BY number, reported_at
      """,
      appID, reportID
    ) { row in
      StoredReport(number: try row.decode(0), reportedAt: try row.decode(1), withdrawnAt: try row.decode(2))
    }
  }

  /// Marks a report as withdrawn and returns its content; no row when it was withdrawn before.
  static func markWithdrawn(
    report: StoredReport, appID: Int32, reportID: UUID, time: Date
  ) -> Statement<(word: Word, reporter: [UInt8]?, network: [UInt8]?)> {
    Statement(
      """
      UPDATE reports SET withdrawn_at = $5
      WHERE number = $1 AND app_id = $2 AND report_id = $3 AND reported_at = $4 AND withdrawn_at IS NULL
      RETURNING category_id, reported_at, received_at, weight, reporter, network
      """,
      report.number, appID, reportID, report.reportedAt, time
    ) { (try $0.word(), try $0.decode(4), try $0.decode(5)) }
  }

  /// Locks a reporter's vote on a number until the transaction ends, and reads its present state.
  ///
  /// Every batch with a report of this reporter locks the same row until it commits, so the statement after this one sees
  /// all its reports.
  static func lockVote(number: Int64, reporter: [UInt8]) -> Statement<Word> {
    Statement(
      """
      UPDATE number_reporters SET weight = weight WHERE number = $1 AND reporter = $2
      RETURNING category_id, reported_at, received_at, weight
      """,
      number, reporter
    ) { try $0.word() }
  }

  /// Makes a reporter's newest remaining report the vote, or deletes the vote; returns the new vote. Reads all reports of
  /// the number: there is no index by reporter, and withdrawals are rare.
  static func replaceVote(number: Int64, reporter: [UInt8]) -> Statement<Word> {
    Statement(
      """
      WITH left_over AS (
        SELECT category_id, reported_at, received_at, weight FROM reports
        WHERE number = $1 AND reporter = $2 AND withdrawn_at IS NULL
        ORDER BY \(ReportSQL.newestFirst) LIMIT 1
      ), replaced AS (
        UPDATE number_reporters r
        SET category_id = l.category_id, reported_at = l.reported_at, received_at = l.received_at, weight = l.weight
        FROM left_over l WHERE r.number = $1 AND r.reporter = $2
      ), removed AS (
        DELETE FROM number_reporters
        WHERE number = $1 AND reporter = $2 AND NOT EXISTS (SELECT 1 FROM left_over)
      )
      SELECT category_id, reported_at, received_at, weight FROM left_over
      """,
      number, reporter
    ) { try $0.word() }
  }

  /// Locks a list's counts about a number until the transaction ends.
  static func lockSource(number: Int64, appID: Int32) -> Statement<Void> {
    Statement(
      "UPDATE number_sources SET complaints = complaints WHERE number = $1 AND app_id = $2",
      number, appID)
  }
}

extension SQL {
  /// Counts a number's days and networks again from all its reports; its row must be locked.
  ///
  /// Bits of networks that are deleted cannot be counted again. They stay as long as there are no more of them than reports
  /// that may have set them. Otherwise the bit of the withdrawn report's network is cleared, or, where that network is deleted
  /// too, any bit of a deleted one: only the count is used.
  /// - Parameter network: Of the report that is withdrawn; nil where it is not known.
  static func recountMarks(number: Int64, network: [UInt8]?) -> Statement<Void> {
    let kept = "n.network_bits | m.network_bits"
    let without = "(n.network_bits & ~$2::bigint) | m.network_bits"
    let deleted = "(n.network_bits & ~m.network_bits)"
    // Clears the lowest bit; the least number has no predecessor.
    let fewer = """
      CASE \(deleted) WHEN '-9223372036854775808'::bigint THEN 0 ELSE \(deleted) & (\(deleted) - 1) END | m.network_bits
      """
    func areTooMany(_ bits: String) -> String {
      ReportSQL.areTooManyNetworks(bits, known: "m.network_bits", unknown: "m.unknown")
    }
    var sketch = NetworkSketch()
    sketch.insert(network ?? [])
    return Statement(
      """
      WITH report AS (
        SELECT number, category_id, reported_at, weight, network, reporter
        FROM reports WHERE number = $1 AND withdrawn_at IS NULL
      ), said AS (
        \(ReportSQL.withDays("report"))
      ), mark (last_day, day_bits, network_bits, unknown) AS (
        SELECT \(ReportSQL.marks), CASE WHEN counts AND \(ReportSQL.hadNetwork) THEN 1 ELSE 0 END FROM said
      )
      UPDATE numbers n SET last_day = m.last_day, day_bits = m.day_bits, network_bits =
        CASE WHEN NOT \(RetentionSQL.isWhole("n.number")) OR NOT \(areTooMany(kept)) THEN \(kept)
             WHEN NOT \(areTooMany(without)) THEN \(without)
             ELSE \(fewer) END
      FROM (SELECT \(ReportSQL.gatheredMarks), coalesce(sum(unknown), 0) AS unknown FROM mark) m WHERE n.number = $1
      """,
      number, Int64(bitPattern: sketch.bits))
  }
}

extension SQL {
  /// Recounts a list's counts about a number; its row must be locked.
  static func recountSource(number: Int64, appID: Int32) -> Statement<Void> {
    Statement(
      """
      WITH report AS (
        SELECT number, app_id, reporter, category_id, reported_at, weight, withdrawn_at IS NULL AS stands
        FROM reports WHERE number = $1 AND app_id = $2
      ), said AS (
        \(ReportSQL.withDays("report", countedIf: "stands"))
      )
      UPDATE number_sources s SET complaints = r.complaints, day_bits = r.day_bits, last_day = r.last_day
      FROM (\(ReportSQL.lists(of: "said"))) r WHERE s.number = $1 AND s.app_id = $2
      """,
      number, appID)
  }
}

/// A report's content as a vote, in the order that decides between two of one reporter.
struct Word: Sendable, Equatable {
  let category: ReportCategory
  let reportedAt: Date
  let receivedAt: Date
  let weight: Float
}

extension PostgresRow {
  /// A vote from the columns category_id, reported_at, received_at, weight.
  fileprivate func word() throws -> Word {
    Word(category: try category(0), reportedAt: try decode(1), receivedAt: try decode(2), weight: try decode(3))
  }
}
