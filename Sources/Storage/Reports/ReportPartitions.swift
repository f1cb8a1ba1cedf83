// SPDX-License-Identifier: Apache-2.0

import Foundation
import PostgreSQL
import Synchronization
import Support

/// Creates the monthly partitions of `reports` before the first report of a month is stored.
final class ReportPartitions: Sendable {
  private let pool: PostgresPool
  private let known = Mutex(Set<Month>())

  init(pool: PostgresPool) {
    self.pool = pool
  }

  /// Creates the missing partitions for reports of these times. Two servers may do so at once: the second finds them created.
  /// - Throws: ``StorageError/reportsDropped(before:)`` for a dropped month, because it is unknown whether its reports
  ///   have been counted before.
  func prepare(for times: some Sequence<Date>) async throws {
    var wanted = Set<Month>()
    for time in times { wanted.insert(Month(containing: time)) }
    let missing = known.withLock { wanted.subtracting($0) }
    guard !missing.isEmpty else { return }
    // The definition of a table needs every node of a cluster, even where the table exists.
    let present = try await pool.run(SQL.readReportMonths())
    known.withLock { $0.formUnion(present) }
    for month in missing.subtracting(present).sorted() {
      do {
        try await pool.transaction { connection in
          _ = try await connection.run(SQL.writeShardsInOrder())
          try await connection.execute(script: CreateReportPartition(month: month).script)
          // Read after creating has taken its lock: a concurrent drop of the month is committed by now.
          let before = try await connection.run(SQL.readDroppedBefore()).first
          // A clock that was ahead may have dropped months of the future: the present one is still accepted.
          if let before, month.next.start <= min(before, Date()) { throw StorageError.reportsDropped(before: before) }
        }
      } catch let error as PostgresError where error.isDuplicateObject {
        // Another server was first and has checked the dropped months.
      }
      known.withLock { _ = $0.insert(month) }
    }
  }

  /// Discards the cache, because a cached month has been dropped.
  func forget() {
    known.withLock { $0 = [] }
  }
}

/// A calendar month in UTC.
struct Month: Hashable, Comparable {
  let year: Int
  let month: Int

  init(containing date: Date) {
    (year, month) = Timestamp.month(of: date)
  }

  init(year: Int, month: Int) {
    self.year = year
    self.month = month
  }

  var next: Month { month == 12 ? Month(year: year + 1, month: 1) : Month(year: year, month: month + 1) }

  var start: Date { Timestamp.startOfMonth(year: year, month: month) }

  static func < (left: Month, right: Month) -> Bool { (left.year, left.month) < (right.year, right.month) }
}

/// Creates one month's partition of `reports`. DDL takes no parameters; the text contains only two integers.
struct CreateReportPartition {
  let month: Month

  var script: String {
    let next = month.next
    let start = String(format: "%04d-%02d-01 00:00:00+00", month.year, month.month)
    let end = String(format: "%04d-%02d-01 00:00:00+00", next.year, next.month)
    let name = String(format: "reports_%04d_%02d", month.year, month.month)
    return "CREATE TABLE IF NOT EXISTS \(name) PARTITION OF reports FOR VALUES FROM ('\(start)') TO ('\(end)')"
  }
}
