// SPDX-License-Identifier: Apache-2.0

import Curation
public import Foundation
import PostgreSQL

extension SQL {
  /// The number of a source's entries.
  static func countSourceEntries(appID: Int32) -> Statement<Int64> {
    Statement("SELECT count(*) FROM source_entries WHERE app_id = $1", appID) { try $0.decode(0) }
  }

  /// A row where a list has reports that are not withdrawn. Withdrawn ones stay for as long as others.
  static func findListReport(appID: Int32) -> Statement<Int32> {
    Statement(
      "SELECT app_id FROM reports WHERE app_id = $1 AND withdrawn_at IS NULL LIMIT 1",
      appID
    ) { try $0.decode(0) }
  }

  /// Entries of a source after a number, in ascending order of numbers.
  static func readSourceEntries(appID: Int32, number: Int64, limit: Int) -> Statement<SourceEntry> {
    Statement(
      """
      SELECT number, category_id, reported_at, origins, hops FROM source_entries WHERE app_id = $1 AND number > $2
      ORDER BY number LIMIT $3::bigint
      """,
      appID, number, Int64(limit), decode: decodeSourceEntry)
  }

  static func decodeSourceEntry(_ row: PostgresRow) throws -> SourceEntry {
    SourceEntry(
      number: try row.decode(0), category: try row.category(1), reportedAt: try row.decode(2),
      origins: try row.decode(3), hops: Int(try row.decode(4, as: Int16.self)))
  }

  /// Entries of a source with reports that are not later than a time, in ascending order of numbers.
  static func readOldEntries(appID: Int32, time: Date, limit: Int) -> Statement<SourceEntry> {
    Statement(
      """
      SELECT number, category_id, reported_at, origins, hops FROM source_entries
      WHERE app_id = $1 AND reported_at > $2 AND reported_at <= $3 ORDER BY number LIMIT $4::bigint
      """,
      appID, SourceEntry.withoutReport, time, Int64(limit), decode: decodeSourceEntry)
  }

  /// Stores entries of a source in place of earlier entries of their numbers.
  static func storeSourceEntries(appID: Int32, entries: [SourceEntry]) -> Statement<Void> {
    Statement(
      """
      INSERT INTO source_entries AS e (app_id, number, category_id, reported_at, origins, hops)
      SELECT $1::integer, t.number, t.category_id, t.reported_at, string_to_array(t.origins, ','), t.hops
      FROM unnest($2::bigint[], $3::smallint[], $4::timestamptz[], $5::text[], $6::smallint[])
        AS t (number, category_id, reported_at, origins, hops)
      ORDER BY t.number
      ON CONFLICT (app_id, number) DO UPDATE
        SET category_id = excluded.category_id, reported_at = excluded.reported_at, origins = excluded.origins,
          hops = excluded.hops
      """,
      appID, entries.map(\.number), entries.map(\.category.rawValue), entries.map(\.reportedAt),
      entries.map { $0.origins.joined(separator: ",") }, entries.map { Int16($0.hops) })
  }

  /// Reports of a source that are not those of its entries, after a report in the order of numbers.
  /// - Parameter after: The number and the id of the report before the first one.
  static func readReportsWithoutEntry(
    appID: Int32, after: (number: Int64, reportID: UUID), limit: Int
  ) -> Statement<(report: ReportWithoutEntry, reportID: UUID)> {
    Statement(
      """
      SELECT r.number, r.category_id, r.reported_at, r.report_id, e.number IS NOT NULL
      FROM number_sources s
      JOIN reports r ON r.number = s.number AND r.app_id = s.app_id
      LEFT JOIN source_entries e ON e.number = s.number AND e.app_id = s.app_id
      WHERE s.app_id = $1 AND s.complaints > 0 AND r.withdrawn_at IS NULL AND r.reporter IS NULL
        AND (e.number IS NULL OR e.category_id <> r.category_id OR e.reported_at <> r.reported_at)
        AND (r.number, r.report_id) > ($2::bigint, $3::uuid)
      ORDER BY r.number, r.report_id LIMIT $4::bigint
      """,
      appID, after.number, after.reportID, Int64(limit)
    ) { row in
      (
        ReportWithoutEntry(
          entry: SourceEntry(number: try row.decode(0), category: try row.category(1), reportedAt: try row.decode(2)),
          hasOther: try row.decode(4)),
        try row.decode(3)
      )
    }
  }

  /// Stores that the reports of entries are withdrawn; entries of the same numbers with other reports stay.
  static func noteWithdrawnEntries(appID: Int32, entries: [SourceEntry]) -> Statement<Void> {
    Statement(
      """
      UPDATE source_entries e SET reported_at = $5
      FROM unnest($2::bigint[], $3::smallint[], $4::timestamptz[]) AS t (number, category_id, reported_at)
      WHERE e.app_id = $1 AND e.number = t.number AND e.category_id = t.category_id AND e.reported_at = t.reported_at
      """,
      appID, entries.map(\.number), entries.map(\.category.rawValue), entries.map(\.reportedAt),
      SourceEntry.withoutReport)
  }

  /// Deletes entries of a source.
  static func deleteSourceEntries(appID: Int32, numbers: [Int64]) -> Statement<Void> {
    Statement("DELETE FROM source_entries WHERE app_id = $1 AND number = ANY($2::bigint[])", appID, numbers)
  }
}

/// A report of a list without its entry: a refresh ended after it had stored the report.
public struct ReportWithoutEntry: Sendable, Equatable {
  /// The entry that it would have.
  public let entry: SourceEntry
  /// Whether the number has an entry, whose report is another one or withdrawn.
  public let hasOther: Bool
}

extension ReportStore {
  /// Reports of a list that are not those of its entries.
  ///
  /// Reads all counts of lists, and is for the refresh after an interrupted one.
  /// - Returns: those that a refresh has stored, in ascending order of numbers.
  public func reportsWithoutEntry(of appID: Int32) async throws -> [ReportWithoutEntry] {
    var found: [ReportWithoutEntry] = []
    var after = (number: Int64(0), reportID: UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)))
    while case let page = try await pool.run(
      SQL.readReportsWithoutEntry(appID: appID, after: after, limit: SourceStore.page)), let last = page.last
    {
      // Rows of a file that was imported under the name of the source have other ids.
      found += page.filter { $0.report.entry.reportID(of: appID) == $0.reportID }.map(\.report)
      after = (last.report.entry.number, last.reportID)
    }
    return found
  }

  /// The most reports that a transaction withdraws: locks on numbers are held for a fraction of a second.
  private static let withdrawals = 50

  /// Withdraws the reports of a source's entries. Reports that are withdrawn or dropped are left out; safe to repeat.
  ///
  /// In the same transaction the entries get the time ``SourceEntry/withoutReport``: where the refresh ends before it
  /// deletes or replaces them, the next one does.
  ///
  /// A transaction withdraws some reports, and one on a cluster: Citus refuses to change many numbers by single
  /// statements in a transaction.
  /// - Parameter time: stored with the reports.
  /// - Throws: `PostgresError`; earlier transactions stay committed.
  public func withdraw(_ entries: [SourceEntry], of appID: Int32, at time: Date) async throws {
    let most = try await isCluster ? 1 : Self.withdrawals
    // In the order in which batches of reports lock numbers.
    let sorted = entries.sorted { $0.number < $1.number }
    for start in stride(from: 0, to: sorted.count, by: most) {
      let some = sorted[start..<min(start + most, sorted.count)]
      try await pool.transaction { connection in
        for entry in some {
          try await connection.withdraw(
            StoredReport(number: entry.number, reportedAt: entry.reportedAt, withdrawnAt: nil),
            reportID: entry.reportID(of: appID), appID: appID, at: time)
        }
        _ = try await connection.run(SQL.noteWithdrawnEntries(appID: appID, entries: Array(some)))
      }
    }
  }
}
