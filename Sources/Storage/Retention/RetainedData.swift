// SPDX-License-Identifier: Apache-2.0

public import Foundation
import PostgreSQL

/// A kind of data that is deleted after a time. Documentation/privacy.md has the same kinds as a table.
public enum RetainedData: String, Sendable, CaseIterable {
  /// Keyed hashes of the networks of reports, and of appeals.
  case networks, appealNetworks = "appeal_networks"
  /// Comments of reports, where the operator sets a time.
  case comments
  /// Complete months of reports, where the operator sets a number.
  case reportMonths = "report_months"
  case identificationBatches = "identification_batches"
  /// Keyed hashes of installations that sent counts of calls, by day.
  case remediationMarks = "remediation_marks"
  /// Sums of these counts.
  case remediationSums = "remediation_sums"
  /// Tokens of installed apps, after their last report.
  case installations
  /// Levels and counters of attested phones, after their last token.
  case attestations
  /// Personal numbers of keys that have ended.
  case personalNumbers = "personal_numbers"
  /// Contacts of people who appealed, after the answer.
  case contacts
  /// Codes and passes of owners.
  case ownerProofs = "owner_proofs"
  /// Statements of reasons, after their end.
  case statements
  /// Numbers that are in no numbering plan, with their reports.
  case unassigned
  /// Proofs of deletion.
  case deletions

  /// How long it is kept, in days, where no setting changes it; nil for data with an end of its own.
  public var days: Int? {
    switch self {
    case .networks, .appealNetworks: 30
    case .identificationBatches: 35
    case .remediationMarks: 6
    // The transparency report has the year before.
    case .remediationSums: 750
    case .installations: 400
    case .ownerProofs: 1
    case .statements: 750
    case .unassigned, .attestations: 90
    case .deletions: 1_100
    case .contacts, .comments, .reportMonths, .personalNumbers: nil
    }
  }

  /// How long after an answer a contact is kept, in seconds: 30 days. The answer stores the end.
  public static let contactsKept: TimeInterval = 30 * 86_400
  /// Seconds of the ids of erased reports; later, their age refuses them.
  static let erasuresKept: TimeInterval = 400 * 86_400
  /// Seconds of the requests of clients by hour.
  static let fetchesKept: TimeInterval = 90 * 86_400
  /// Seconds of failed sign-ins, and of the outcomes of background jobs.
  static let attemptsKept: TimeInterval = 86_400
  public static let outcomesKept: TimeInterval = 86_400

  /// The time before which data of the kind is deleted; for data with an end of its own, the time itself.
  public func limit(at time: Date) -> Date { time - Double(days ?? 0) * 86_400 }

  /// Days after the limit until which a job may be late.
  static let grace = 2.0
}

/// The proof of a deletion.
public struct Deletion: Sendable, Equatable {
  /// A raw value of ``RetainedData``, when it was deleted, and how many rows, or months.
  public let kind: String, deletedAt: Date, rows: Int64
}

extension RetentionStore {
  /// Records a deletion; nothing for none.
  public func record(_ kind: RetainedData, _ rows: Int, at time: Date) async throws {
    guard rows > 0 else { return }
    _ = try await pool.run(SQL.recordDeletion(kind: kind.rawValue, time: time, rows: Int64(rows)))
  }

  /// The deletions since a time, the newest first; at most 1,000.
  public func deletions(since: Date) async throws -> [Deletion] {
    try await pool.run(
      """
      SELECT kind, deleted_at, rows FROM deletions WHERE deleted_at >= $1
      ORDER BY deleted_at DESC, kind LIMIT 1000
      """,
      since
    ) { Deletion(kind: try $0.decode(0), deletedAt: try $0.decode(1), rows: try $0.decode(2)) }
  }

  public func purgeDeletions(before: Date) async throws -> Int {
    try await pool.retrying { try await $0.runReportingCount(SQL.purgeDeletions(before: before)) }
  }

  /// Deletes codes of owners, passes and messages with codes that expired before a time.
  public func purgeOwnerProofs(before time: Date) async throws -> Int {
    try await pool.run(SQL.purgeOwnerProofs(before: time)).first ?? 0
  }

  public func purgeStatements(before: Date) async throws -> Int {
    try await repeatedly { SQL.purgeStatements(before: before, limit: $0) }
  }

  /// The kinds with data past its limit, although a job deletes it each hour.
  /// - Parameter commentDays: the setting; nil for comments that are kept.
  public func overdue(commentDays: Int?, at time: Date) async throws -> [RetainedData] {
    var overdue: [RetainedData] = []
    for kind in RetainedData.allCases {
      let days = kind == .comments ? commentDays : kind == .contacts ? 0 : kind.days
      guard let days else { continue }
      let limit = time - (Double(days) + RetainedData.grace) * 86_400
      if try await pool.run(SQL.findOverdue(kind, before: limit)).first == true { overdue.append(kind) }
    }
    return overdue
  }
}

extension SQL {
  static func recordDeletion(kind: String, time: Date, rows: Int64) -> Statement<Void> {
    Statement(
      """
      INSERT INTO deletions (kind, deleted_at, rows) VALUES ($1, $2, $3)
      ON CONFLICT (kind, deleted_at) DO UPDATE SET rows = deletions.rows + excluded.rows
      """,
      kind, time, rows)
  }

  static func purgeDeletions(before: Date) -> Statement<Void> {
    Statement("DELETE FROM deletions WHERE deleted_at < $1", before)
  }

  /// Whether there is data of a kind from before a time; see ``RetentionStore/overdue(commentDays:at:)``.
  static func findOverdue(_ kind: RetainedData, before: Date) -> Statement<Bool> {
    let day = "($1::timestamptz AT TIME ZONE 'UTC')::date - DATE '1970-01-01'"
    let rows: String
    switch kind {
    case .networks: rows = "reports WHERE network IS NOT NULL AND received_at < $1"
    case .comments: rows = "reports WHERE comment IS NOT NULL AND received_at < $1"
    case .appealNetworks: rows = "appeal_filings WHERE network IS NOT NULL AND filed_at < $1"
    case .identificationBatches: rows = "identification_batches WHERE received_at < $1"
    case .remediationMarks: rows = "remediation_marks WHERE day < \(day)"
    case .remediationSums: rows = "remediation_sums WHERE day < \(day)"
    case .installations: rows = "installations WHERE last_day < \(day)"
    case .attestations: rows = "attested_reporters WHERE renewed_on < \(day)"
    case .contacts: rows = "appeal_contacts WHERE purge_at < $1"
    case .ownerProofs: rows = "owner_codes WHERE expires_at < $1"
    case .unassigned: rows = "holds WHERE NOT settled AND \(HoldSQL.isUnassigned) AND held_at < $1"
    case .statements: rows = "statements WHERE ended_at < $1"
    // Two kinds have an end of their own, and are not asked about.
    case .deletions, .personalNumbers, .reportMonths: rows = "deletions WHERE deleted_at < $1"
    }
    return Statement("SELECT EXISTS (SELECT 1 FROM \(rows))", before)
  }
}
