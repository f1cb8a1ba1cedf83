import Foundation
import PostgreSQL
import Synchronization
import Timestamps

/// Makes the monthly partitions of `reports` before the first report of a month arrives in them.
final class ReportPartitions: Sendable {
  private let pool: PostgresPool
  private let known = Mutex(Set<Month>())

  init(pool: PostgresPool) {
    self.pool = pool
  }

  /// Creates what is missing for these reports. Two servers may do so at once: the second finds it done.
  /// - Throws: ``StorageError/reportsDropped(before:)`` for a month that was dropped: whether its reports have been
  ///   counted before cannot be known any more.
  func prepare(for reports: [Report]) async throws {
    var wanted = Set<Month>()
    for report in reports { wanted.insert(Month(containing: report.reportedAt)) }
    let missing = known.withLock { wanted.subtracting($0) }
    for month in missing.sorted() {
      do {
        try await pool.transaction { connection in
          try await connection.execute(script: CreateReportPartition(month: month).script)
          // Read behind the lock that creating takes: who drops the month at this moment has done so by now.
          let before = try await connection.run(ReadDroppedBefore()).first
          if let before, month.next.start <= before { throw StorageError.reportsDropped(before: before) }
        }
      } catch let error as PostgresError where error.isDuplicateObject {
        // Another server was first; it has looked, but this one does not know what it saw.
      }
      known.withLock { _ = $0.insert(month) }
    }
  }

  /// Looks again at every month: one that was known has been dropped.
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

  /// Its first moment.
  var start: Date {
    let text = "\(year)-\(month < 10 ? "0" : "")\(month)-01T00:00:00Z"
    guard let date = Timestamp.parse(text) else { preconditionFailure("a month of the calendar") }
    return date
  }

  static func < (left: Month, right: Month) -> Bool { (left.year, left.month) < (right.year, right.month) }
}
