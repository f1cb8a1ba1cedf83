import Foundation
import PostgreSQL
import Synchronization
import Timestamps

/// Makes the monthly partitions of `reports` before the first report of a month arrives in them.
final class ReportPartitions: Sendable {
  private let pool: PostgresPool
  private let known = Mutex<Set<Month>>([])

  init(pool: PostgresPool) {
    self.pool = pool
  }

  /// Creates what is missing for these reports. Two servers may do so at once: the second finds it done.
  func prepare(for reports: [Report]) async throws {
    var wanted = Set<Month>()
    for report in reports { wanted.insert(Month(containing: report.reportedAt)) }
    let missing = known.withLock { wanted.subtracting($0) }
    for month in missing.sorted() {
      do {
        try await pool.retrying { try await $0.execute(script: CreateReportPartition(month: month).script) }
      } catch let error as PostgresError where error.isDuplicateObject {
        // Another server was first.
      }
      _ = known.withLock { $0.insert(month) }
    }
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
