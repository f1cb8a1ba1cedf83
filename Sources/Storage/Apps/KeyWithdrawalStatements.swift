// SPDX-License-Identifier: Apache-2.0

import Foundation
import PostgreSQL

/// Stores a request to withdraw a key's reports.
struct InsertKeyWithdrawal: PostgresStatement {
  let keyID: Int32
  let since: Date
  let until: Date
  let reason: String
  let askedBy: String
  let askedAt: Date

  static let sql = """
    INSERT INTO key_withdrawals (key_id, since, until, reason, asked_by, asked_at) VALUES ($1, $2, $3, $4, $5, $6)
    RETURNING \(KeyWithdrawal.columns)
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(keyID)
    parameters.append(since)
    parameters.append(until)
    parameters.append(reason)
    parameters.append(askedBy)
    parameters.append(askedAt)
  }

  static func decode(_ row: PostgresRow) throws -> KeyWithdrawal { try KeyWithdrawal(row) }
}

/// Reads withdrawals, the newest first.
struct ReadKeyWithdrawals: PostgresStatement {
  /// Whether only unfinished withdrawals are read.
  let onlyOpen: Bool

  static let sql = """
    SELECT \(KeyWithdrawal.columns) FROM key_withdrawals WHERE done_at IS NULL OR NOT $1
    ORDER BY withdrawal_id DESC LIMIT 200
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(onlyOpen)
  }

  static func decode(_ row: PostgresRow) throws -> KeyWithdrawal { try KeyWithdrawal(row) }
}

/// Locks a withdrawal until the transaction ends, and reads its progress: two workers take turns.
struct LockKeyWithdrawal: PostgresStatement {
  let id: Int64

  static let sql = """
    UPDATE key_withdrawals SET seen = seen WHERE withdrawal_id = $1 RETURNING \(KeyWithdrawal.columns)
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(id)
  }

  static func decode(_ row: PostgresRow) throws -> KeyWithdrawal { try KeyWithdrawal(row) }
}

/// Stores the progress of a withdrawal.
struct AdvanceKeyWithdrawal: PostgresStatement {
  let id: Int64
  let position: UUID
  let seen: Int
  let withdrawn: Int
  let doneAt: Date?

  static let sql = """
    UPDATE key_withdrawals SET position = $2, seen = seen + $3, withdrawn = withdrawn + $4, done_at = $5
    WHERE withdrawal_id = $1 RETURNING \(KeyWithdrawal.columns)
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(id)
    parameters.append(position)
    parameters.append(Int64(seen))
    parameters.append(Int64(withdrawn))
    parameters.append(doneAt)
  }

  static func decode(_ row: PostgresRow) throws -> KeyWithdrawal { try KeyWithdrawal(row) }
}

/// A page of an app's reports in the order of their ids, each with whether it came by the key and is not withdrawn.
struct ReadReportsOfApp: PostgresStatement {
  /// A report of the page.
  struct Found: Sendable {
    let reportID: UUID
    let isMeant: Bool
    let report: StoredReport
  }

  let key: AppKey
  let withdrawal: KeyWithdrawal
  let limit: Int

  static let sql = """
    SELECT report_id, number, reported_at, withdrawn_at IS NULL AND \(KeyReportCounts.isOfKey) FROM reports
    WHERE app_id = $1 AND report_id >= $5 ORDER BY report_id LIMIT $6
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(key, since: withdrawal.since, until: withdrawal.until)
    parameters.append(withdrawal.position)
    parameters.append(Int64(limit))
  }

  static func decode(_ row: PostgresRow) throws -> Found {
    Found(
      reportID: try row.decode(0), isMeant: try row.decode(3),
      report: StoredReport(number: try row.decode(1), reportedAt: try row.decode(2), withdrawnAt: nil))
  }
}

/// Counts the reports of a key that are not withdrawn.
struct TraceKey: PostgresStatement {
  let key: AppKey
  let since: Date
  let until: Date

  static let sql = """
    SELECT count(*), count(DISTINCT number), count(DISTINCT reporter), min(received_at), max(received_at)
    FROM (
      SELECT number, reporter, received_at FROM reports
      WHERE app_id = $1 AND withdrawn_at IS NULL AND \(KeyReportCounts.isOfKey)
      LIMIT \(KeyReportCounts.mostReports)
    ) found
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(key, since: since, until: until)
  }

  static func decode(_ row: PostgresRow) throws -> KeyReportCounts {
    KeyReportCounts(
      reports: Int(try row.decode(0, as: Int64.self)), numbers: Int(try row.decode(1, as: Int64.self)),
      reporters: Int(try row.decode(2, as: Int64.self)), first: try row.decode(3), last: try row.decode(4))
  }
}

extension KeyReportCounts {
  /// Whether a report came by the key $2 within a period.
  fileprivate static let isOfKey = "key_id IS NOT DISTINCT FROM $2 AND received_at >= $3 AND received_at < $4"
}

extension PostgresParameters {
  /// $1 to $4: the app, the key and the period.
  fileprivate mutating func append(_ key: AppKey, since: Date, until: Date) {
    append(key.appID)
    append(key.id)
    append(since)
    append(until)
  }
}

extension KeyWithdrawal {
  fileprivate static let columns =
    "withdrawal_id, key_id, since, until, reason, asked_by, asked_at, position, seen, withdrawn, done_at"

  fileprivate init(_ row: PostgresRow) throws {
    self.init(
      id: try row.decode(0), keyID: try row.decode(1), since: try row.decode(2), until: try row.decode(3),
      reason: try row.decode(4), askedBy: try row.decode(5), askedAt: try row.decode(6), position: try row.decode(7),
      seen: try row.decode(8), withdrawn: try row.decode(9), doneAt: try row.decode(10))
  }
}
