// SPDX-License-Identifier: Apache-2.0

public import Foundation
import PostgreSQL

extension SQL {
  static func insertKeyWithdrawal(
    keyID: Int32, since: Date, until: Date, reason: String, askedBy: String, askedAt: Date
  ) -> Statement<KeyWithdrawal> {
    Statement(
      """
      INSERT INTO key_withdrawals (key_id, since, until, reason, asked_by, asked_at) VALUES ($1, $2, $3, $4, $5, $6)
      RETURNING \(KeyWithdrawal.columns)
      """,
      keyID, since, until, reason, askedBy, askedAt
    ) { try KeyWithdrawal($0) }
  }

  /// Locks a withdrawal until the transaction ends, and reads its progress: two workers take turns.
  static func lockKeyWithdrawal(id: Int64) -> Statement<KeyWithdrawal> {
    Statement(
      """
      UPDATE key_withdrawals SET seen = seen WHERE withdrawal_id = $1 RETURNING \(KeyWithdrawal.columns)
      """,
      id
    ) { try KeyWithdrawal($0) }
  }

  static func advanceKeyWithdrawal(
    id: Int64, position: UUID, seen: Int, withdrawn: Int, doneAt: Date?
  ) -> Statement<KeyWithdrawal> {
    Statement(
      """
      UPDATE key_withdrawals SET position = $2, seen = seen + $3, withdrawn = withdrawn + $4, done_at = $5
      WHERE withdrawal_id = $1 RETURNING \(KeyWithdrawal.columns)
      """,
      id, position, Int64(seen), Int64(withdrawn), doneAt
    ) { try KeyWithdrawal($0) }
  }
}

struct ReportOfApp: Sendable {
  let reportID: UUID
  let isMeant: Bool
  let report: StoredReport
}

extension SQL {
  /// A page of an app's reports in the order of their ids, each with whether it came by the key and is not withdrawn.
  static func readReportsOfApp(key: AppKey, withdrawal: KeyWithdrawal, limit: Int) -> Statement<ReportOfApp> {
    Statement(
      """
      SELECT report_id, number, reported_at, withdrawn_at IS NULL AND \(KeyReportCounts.isOfKey) FROM reports
      WHERE app_id = $1 AND report_id >= $5 AND reporter IS NOT NULL ORDER BY report_id LIMIT $6
      """,
      KeyPeriod(key: key, since: withdrawal.since, until: withdrawal.until), withdrawal.position, Int64(limit)
    ) { row in
      ReportOfApp(
        reportID: try row.decode(0), isMeant: try row.decode(3),
        report: StoredReport(number: try row.decode(1), reportedAt: try row.decode(2), withdrawnAt: nil))
    }
  }
}

extension KeyReportCounts {
  /// Whether a report came by the key $2 within a period.
  static let isOfKey = "key_id IS NOT DISTINCT FROM $2 AND received_at >= $3 AND received_at < $4"
}

/// $1 to $4: the app, the key and the period.
struct KeyPeriod: PostgresBindable {
  let key: AppKey
  let since: Date
  let until: Date

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(key.appID)
    parameters.append(key.id)
    parameters.append(since)
    parameters.append(until)
  }
}

extension KeyWithdrawal {
  static let columns =
    "withdrawal_id, key_id, since, until, reason, asked_by, asked_at, position, seen, withdrawn, done_at"

  init(_ row: PostgresRow) throws {
    self.init(
      id: try row.decode(0), keyID: try row.decode(1), since: try row.decode(2), until: try row.decode(3),
      reason: try row.decode(4), askedBy: try row.decode(5), askedAt: try row.decode(6), position: try row.decode(7),
      seen: try row.decode(8), withdrawn: try row.decode(9), doneAt: try row.decode(10))
  }
}

/// Withdrawal of a key's reports, as a resumable job.
public struct KeyWithdrawal: Sendable, Equatable {
  public let id: Int64
  public let keyID: Int32
  /// Reports that arrived at this time or later are withdrawn.
  public let since: Date
  /// Reports that arrived before this time are withdrawn.
  public let until: Date
  public let reason: String
  public let askedBy: String
  public let askedAt: Date
  /// All reports of the app with a smaller id are done.
  let position: UUID
  /// Reports of the app that were checked; some are counted twice.
  public let seen: Int64
  public let withdrawn: Int64
  public let doneAt: Date?
}

/// The reports of a key, before their withdrawal.
public struct KeyReportCounts: Sendable, Equatable {
  /// Reports that are not withdrawn, up to ``maxReports``.
  public let reports: Int
  public let numbers: Int
  public let reporters: Int
  /// When the first report arrived.
  public let first: Date?
  /// When the last report arrived.
  public let last: Date?

  public static let maxReports = 100_000
}
