// SPDX-License-Identifier: Apache-2.0

import Curation
public import Foundation
public import PostgreSQL

/// Deletes data after its retention period, in small transactions.
public struct RetentionStore: Sendable {
  let pool: PostgresPool
  private let batchSize: Int

  /// - Parameter batchSize: the most rows in one transaction.
  public init(pool: PostgresPool, batchSize: Int = 2_000) {
    self.pool = pool
    self.batchSize = max(1, batchSize)
  }

  /// Deletes the networks of reports that arrived before `time`.
  /// - Returns: the number of deleted rows.
  @discardableResult
  public func purgeNetworks(before time: Date) async throws -> Int {
    try await repeatedly { SQL.purgeNetworks(before: time, limit: $0) }
  }

  /// Deletes messages about events that were queued before `time`, delivered or not.
  public func purgeMessages(before time: Date) async throws {
    _ = try await pool.run(SQL.purgeMessages(before: time))
  }

  /// Deletes the comments of reports that arrived before `time`.
  /// - Parameter now: stored with each report, so that a retry is still recognized.
  /// - Returns: the number of deleted rows.
  @discardableResult
  public func purgeComments(before time: Date, at now: Date) async throws -> Int {
    try await repeatedly { SQL.purgeComments(before: time, now: now, limit: $0) }
  }

  /// Deletes the ids of identification batches that arrived before `time`; their counts stay.
  /// - Returns: the number of deleted rows.
  @discardableResult
  public func purgeIdentificationBatches(before time: Date) async throws -> Int {
    try await repeatedly { SQL.purgeIdentificationBatches(before: time, limit: $0) }
  }

  /// - Returns: the number of deleted rows.
  @discardableResult
  public func purgePersonalNumbers(endedBefore time: Date) async throws -> Int {
    try await pool.retrying { connection in
      let ended = try await connection.run(SQL.readEndedKeys(time: time))
      guard !ended.isEmpty else { return 0 }
      return try await connection.runReportingCount(SQL.purgePersonalNumbers(keyIDs: ended))
    }
  }

  /// Deletes what is stored about numbers that have been in no plan since `time`, and that no decision confirms.
  /// - Returns: the number of numbers.
  @discardableResult
  public func purgeUnassigned(before time: Date) async throws -> Int {
    let numbers = try await pool.run(SQL.readUnassigned(before: time))
    for start in stride(from: 0, to: numbers.count, by: batchSize) {
      try Task.checkCancellation()
      let part = Array(numbers[start..<min(start + batchSize, numbers.count)])
      try await pool.transaction { connection in
        for table in SQL.tablesOfReports { _ = try await connection.run(SQL.deleteRows(of: part, in: table)) }
      }
    }
    return numbers.count
  }

  /// Adds the SHA-1 to listings of an earlier program, so that lookups find them before the next publication.
  public func addListingHashes() async throws {
    while true {
      try Task.checkCancellation()
      let count = try await pool.retrying { connection in
        let numbers = try await connection.run(SQL.findListingsWithoutSHA1(limit: batchSize))
        if !numbers.isEmpty { _ = try await connection.run(SQL.addListingSHA1(numbers: numbers)) }
        return numbers.count
      }
      if count < batchSize { return }
    }
  }

  /// Deletes the tokens of installed apps without a report since `time`, those created before it without any, and those
  /// that ended.
  /// - Parameter ended: when the latest of these ended; its challenge cannot be used again.
  /// - Returns: the number of deleted rows.
  @discardableResult
  public func purgeInstallations(before time: Date, ended: Date = .distantPast) async throws -> Int {
    try await repeatedly {
      SQL.purgeInstallations(before: ComplaintDays.day(of: time), endedBefore: ended, limit: $0)
    }
  }

  /// Deletes what phones have attested that had their last token before `time`.
  /// - Returns: the number of deleted rows.
  @discardableResult
  public func purgeAttestations(renewedBefore time: Date) async throws -> Int {
    try await repeatedly { SQL.purgeAttestations(renewedBefore: ComplaintDays.day(of: time), limit: $0) }
  }

  func repeatedly<Row>(_ statement: @Sendable (Int) -> Statement<Row>) async throws -> Int {
    var total = 0
    while true {
      try Task.checkCancellation()
      let count = try await pool.retrying { connection in
        try await connection.runReportingCount(statement(batchSize))
      }
      total += count
      if count < batchSize { return total }
    }
  }
}

extension SQL {
  /// The tables with rows of a number that only its reports make; the hold goes last, so that an interrupted deletion is
  /// continued.
  fileprivate static let tablesOfReports = [
    "reports", "number_reporters", "number_categories", "number_sources", "numbers", "queue", "queue_passes", "holds",
    "source_entries",
  ]

  fileprivate static func deleteRows(of numbers: [Int64], in table: String) -> Statement<Void> {
    Statement("DELETE FROM \(table) WHERE number = ANY($1::bigint[])", numbers)
  }

  /// Deletes some networks, the oldest first.
  static func purgeNetworks(before: Date, limit: Int) -> Statement<Void> {
    Statement(
      """
      UPDATE reports r SET network = NULL
      FROM (
        SELECT number, app_id, report_id, reported_at FROM reports
        WHERE network IS NOT NULL AND received_at < $1 ORDER BY received_at LIMIT $2::bigint
      ) old
      WHERE r.number = old.number AND r.app_id = old.app_id AND r.report_id = old.report_id
        AND r.reported_at = old.reported_at AND r.network IS NOT NULL
      """,
      before, Int64(limit))
  }

  /// Deletes some comments, the oldest first.
  static func purgeComments(before: Date, now: Date, limit: Int) -> Statement<Void> {
    Statement(
      """
      UPDATE reports r SET comment = NULL, comment_purged_at = $3
      FROM (
        SELECT number, app_id, report_id, reported_at FROM reports
        WHERE comment IS NOT NULL AND received_at < $1 ORDER BY received_at LIMIT $2::bigint
      ) old
      WHERE r.number = old.number AND r.app_id = old.app_id AND r.report_id = old.report_id
        AND r.reported_at = old.reported_at AND r.comment IS NOT NULL
      """,
      before, Int64(limit), now)
  }

  /// Deletes the ids of some batches of identifications, the oldest first.
  static func purgeIdentificationBatches(before: Date, limit: Int) -> Statement<Void> {
    Statement(
      """
      DELETE FROM identification_batches b
      USING (
        SELECT app_id, batch_id FROM identification_batches
        WHERE received_at < $1 ORDER BY received_at LIMIT $2::bigint
      ) old
      WHERE b.app_id = old.app_id AND b.batch_id = old.batch_id
      """,
      before, Int64(limit))
  }
}
