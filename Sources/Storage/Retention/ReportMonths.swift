// SPDX-License-Identifier: Apache-2.0

public import Foundation
import PostgreSQL

extension RetentionStore {
  /// The fewest months of reports that are kept: an app may send reports up to a year old, and the month in which that
  /// year begins is kept too.
  public static let minMonths = 13
  /// How long ago a month must have ended to be dropped, in seconds, counted in months of 31 days.
  static let minAge = TimeInterval(minMonths * 31 * 86_400)

  /// Drops every month of reports that ended at or before `time`; their aggregates stay. One transaction, which stops
  /// after two seconds when it cannot lock the table.
  /// - Parameters:
  ///   - time: at least as old as the oldest report that an app may still send, or a retry would be counted twice.
  ///   - now: the time by this machine's clock, which `time` was counted from.
  /// - Returns: how many months.
  /// - Throws: ``StorageError/monthsTooYoung(until:here:database:)`` with nothing dropped when it is too early by the
  ///   database clock, because reports dropped by a fast clock are lost. `PostgresError`.
  @discardableResult
  public func dropReports(before time: Date, at now: Date = Date()) async throws -> Int {
    let last = Month(containing: time)
    return try await pool.transaction { connection in
      let months = try await connection.run(SQL.readReportMonths()).filter { $0.next <= last }.sorted()
      guard let newest = months.last else { return 0 }
      let database = try await connection.run(SQL.readDatabaseTime())[0]
      guard newest.next.start <= database - Self.minAge else {
        throw StorageError.monthsTooYoung(until: newest.next.start, here: now, database: database)
      }
      _ = try await connection.run(SQL.writeShardsInOrder())
      try await connection.execute(script: "SET LOCAL lock_timeout = '2s'")
      for month in months { try await connection.execute(script: DropReportPartition(month: month).script) }
      _ = try await connection.run(SQL.noteDroppedReports(before: newest.next.start))
      _ = try await connection.run(SQL.purgeVouchedReporters(before: newest.next.start))
      return months.count
    }
  }
}

/// How far back reports were dropped, and whether that is plausible.
public struct ReportRetention: Sendable, Equatable {
  /// Reports made before this time were dropped, and are refused.
  public let droppedBefore: Date
  /// The time by the database clock.
  public let time: Date

  /// Whether months younger than the least age were dropped: a clock was fast, here or at the database.
  public var isTooYoung: Bool { droppedBefore > time - RetentionStore.minAge }
}

extension RetentionStore {
  /// The time before which reports were dropped; nil when none ever were.
  /// - Throws: `PostgresError`.
  public func reportsDroppedBefore() async throws -> Date? {
    try await pool.run(SQL.readDroppedBefore()).first
  }

  /// How far back reports were dropped; nil when none ever were.
  /// - Throws: `PostgresError`.
  public func state() async throws -> ReportRetention? {
    try await pool.withConnection { connection in
      guard let before = try await connection.run(SQL.readDroppedBefore()).first else { return nil }
      return ReportRetention(droppedBefore: before, time: try await connection.run(SQL.readDatabaseTime())[0])
    }
  }
}

extension SQL {
  static func readDatabaseTime() -> Statement<Date> {
    Statement("SELECT statement_timestamp()")
  }

  /// Returns no row when no reports were dropped.
  static func readDroppedBefore() -> Statement<Date> {
    Statement("SELECT dropped_before FROM report_retention")
  }

  /// The months that have a partition.
  static func readReportMonths() -> Statement<Month> {
    Statement(
      """
      SELECT substr(c.relname, 9, 4)::integer, substr(c.relname, 14, 2)::integer
      FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
      WHERE i.inhparent = 'public.reports'::regclass AND c.relname ~ '^reports_[0-9]{4}_[0-9]{2}$'
      """
    ) { Month(year: Int(try $0.decode(0, as: Int32.self)), month: Int(try $0.decode(1, as: Int32.self))) }
  }
}

/// Drops one month's partition. DDL takes no parameters; the text contains only two integers.
struct DropReportPartition {
  let month: Month

  var script: String { String(format: "DROP TABLE IF EXISTS reports_%04d_%02d", month.year, month.month) }
}

extension SQL {
  static func noteDroppedReports(before: Date) -> Statement<Void> {
    Statement(
      """
      INSERT INTO report_retention (only_row, dropped_before) VALUES (true, $1)
      ON CONFLICT (only_row) DO UPDATE
        SET dropped_before = greatest(report_retention.dropped_before, excluded.dropped_before)
      """,
      before)
  }
}

/// Numbers whose reports may be partly dropped: they cannot be recounted.
enum RetentionSQL {
  /// The numbers of a condition on `number` that are there.
  static func incomplete(where condition: String) -> String {
    """
    SELECT number FROM numbers CROSS JOIN report_retention gone
    WHERE \(condition) AND first_reported_at < gone.dropped_before
    """
  }

  /// A condition that holds for all other numbers.
  static func isWhole(_ number: String) -> String {
    """
    NOT EXISTS (
      SELECT 1 FROM numbers old CROSS JOIN report_retention gone
      WHERE old.number = \(number) AND old.first_reported_at < gone.dropped_before)
    """
  }
}

extension SQL {
  /// Number of numbers of an interval that cannot be recounted.
  static func countBeyondRetention(after: Int64, upTo: Int64) -> Statement<Int64> {
    Statement(
      """
      SELECT count(*) FROM numbers n CROSS JOIN report_retention gone
      WHERE n.number > $1 AND n.number <= $2 AND n.first_reported_at < gone.dropped_before
      """,
      after, upTo)
  }
}
