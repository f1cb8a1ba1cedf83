public import Foundation
import PostgreSQL

extension RetentionStore {
  /// The fewest months of reports that are kept: an app may send what is a year old, and the month it began in is kept too.
  public static let leastMonths = 13
  /// How long ago a month must have ended to be dropped, in seconds. Months of 31 days: rather a day too long than too short.
  static let leastAge = TimeInterval(leastMonths * 31 * 86_400)

  /// Drops every month of reports that ended at or before `time`; what they added up to stays. One transaction, which
  /// gives up after two seconds when others use the table without a pause.
  /// - Parameters:
  ///   - time: at least as old as what an app may still send, or a retry would count twice.
  ///   - now: the time by this machine's clock, which `time` was counted from.
  /// - Returns: how many months.
  /// - Throws: ``StorageError/monthsTooYoung(until:here:database:)`` with nothing dropped where the database's clock says
  ///   that it is too early: what a clock that ran ahead drops is gone for good. `PostgresError`.
  @discardableResult
  public func dropReports(before time: Date, at now: Date = Date()) async throws -> Int {
    let last = Month(containing: time)
    return try await pool.transaction { connection in
      let months = try await connection.run(ReadReportMonths()).filter { $0.next <= last }.sorted()
      guard let newest = months.last else { return 0 }
      let database = try await connection.run(ReadDatabaseTime())[0]
      guard newest.next.start <= database - Self.leastAge else {
        throw StorageError.monthsTooYoung(until: newest.next.start, here: now, database: database)
      }
      try await connection.execute(script: "SET LOCAL lock_timeout = '2s'")
      for month in months { try await connection.execute(script: DropReportPartition(month: month).script) }
      _ = try await connection.run(NoteDroppedReports(before: newest.next.start))
      return months.count
    }
  }
}

/// How far back reports were dropped, and whether that can be right.
public struct ReportRetention: Sendable, Equatable {
  /// Reports made before this time were dropped, and are refused.
  public let droppedBefore: Date
  /// The time by the database's clock.
  public let time: Date

  /// Whether months were dropped that are younger than the least age: a clock was ahead, here or at the database.
  public var isTooYoung: Bool { droppedBefore > time - RetentionStore.leastAge }
}

extension RetentionStore {
  /// Reports of before this moment were dropped; nil when none ever were.
  /// - Throws: `PostgresError`.
  public func reportsDroppedBefore() async throws -> Date? {
    try await pool.run(ReadDroppedBefore()).first
  }

  /// How far back reports were dropped; nil when none ever were.
  /// - Throws: `PostgresError`.
  public func state() async throws -> ReportRetention? {
    try await pool.withConnection { connection in
      guard let before = try await connection.run(ReadDroppedBefore()).first else { return nil }
      return ReportRetention(droppedBefore: before, time: try await connection.run(ReadDatabaseTime())[0])
    }
  }
}

/// What the database's clock says.
struct ReadDatabaseTime: PostgresStatement {
  static let sql = "SELECT statement_timestamp()"
  static func decode(_ row: PostgresRow) throws -> Date { try row.decode(0) }
}

/// How far back reports are gone; no row when none were dropped.
struct ReadDroppedBefore: PostgresStatement {
  static let sql = "SELECT dropped_before FROM report_retention"
  static func decode(_ row: PostgresRow) throws -> Date { try row.decode(0) }
}

/// The months that have a partition.
struct ReadReportMonths: PostgresStatement {
  static let sql = """
    SELECT substr(c.relname, 9, 4)::integer, substr(c.relname, 14, 2)::integer
    FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
    WHERE i.inhparent = 'public.reports'::regclass AND c.relname ~ '^reports_[0-9]{4}_[0-9]{2}$'
    """

  static func decode(_ row: PostgresRow) throws -> Month {
    Month(year: Int(try row.decode(0, as: Int32.self)), month: Int(try row.decode(1, as: Int32.self)))
  }
}

/// Drops one month's partition. A definition takes no binds; its text is made of two whole numbers.
struct DropReportPartition {
  let month: Month

  var script: String { String(format: "DROP TABLE IF EXISTS reports_%04d_%02d", month.year, month.month) }
}

/// Remembers how far back reports are gone.
struct NoteDroppedReports: PostgresStatement {
  typealias Row = Void
  let before: Date

  static let sql = """
    INSERT INTO report_retention (only_row, dropped_before) VALUES (true, $1)
    ON CONFLICT (only_row) DO UPDATE
      SET dropped_before = greatest(report_retention.dropped_before, excluded.dropped_before)
    """

  func bind(into parameters: inout PostgresParameters) { parameters.append(before) }
}

/// Numbers whose reports may be gone in part: nothing about them can be recounted from reports.
enum RetentionSQL {
  /// A condition that holds for all other numbers.
  static func isWhole(_ number: String) -> String {
    """
    NOT EXISTS (
      SELECT 1 FROM numbers old CROSS JOIN report_retention gone
      WHERE old.number = \(number) AND old.first_reported_at < gone.dropped_before)
    """
  }
}

/// How many numbers of a range cannot be recounted.
struct CountBeyondRetention: PostgresStatement {
  let after: Int64
  let upTo: Int64

  static let sql = """
    SELECT count(*) FROM numbers n CROSS JOIN report_retention gone
    WHERE n.number > $1 AND n.number <= $2 AND n.first_reported_at < gone.dropped_before
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(after)
    parameters.append(upTo)
  }

  static func decode(_ row: PostgresRow) throws -> Int64 { try row.decode(0) }
}
