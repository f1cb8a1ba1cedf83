// SPDX-License-Identifier: Apache-2.0

public import Foundation
import PostgreSQL

/// A report of a list that is not that of an entry: a refresh ended after it had stored the report.
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
