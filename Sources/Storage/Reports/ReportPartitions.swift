import Foundation
import PostgreSQL
import Synchronization
import Timestamps

/// Makes the monthly partitions of `reports` before the first report of a month arrives in them.
final class ReportPartitions: Sendable {
  private let pool: PostgresPool
  private let state = Mutex(State())

  private struct State {
    var known: Set<Month> = []
    /// Reports of before are gone, in a month that is known too: where those of after are taken again.
    var floor: Date?
    /// When the floor was last asked for.
    var asked: ContinuousClock.Instant?
  }

  private let believed: Duration

  /// - Parameter believed: how long a floor is believed: another server may have dropped a month, or have taken its reports
  ///   again.
  init(pool: PostgresPool, believed: Duration = .seconds(5)) {
    (self.pool, self.believed) = (pool, believed)
  }

  /// Creates what is missing for these reports. Two servers may do so at once: the second finds it done.
  /// - Throws: ``StorageError/reportsDropped(before:)`` for a month that was dropped: whether its reports have been
  ///   counted before cannot be known any more.
  func prepare(for reports: [Report]) async throws {
    var wanted = Set<Month>()
    for report in reports { wanted.insert(Month(containing: report.reportedAt)) }
    let missing = state.withLock { wanted.subtracting($0.known) }
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
      state.withLock { state in
        state.known.insert(month)
        state.asked = nil
      }
    }
    try await askAgain()
    if let floor = state.withLock(\.floor), reports.contains(where: { $0.reportedAt < floor }) {
      throw StorageError.reportsDropped(before: floor)
    }
  }

  private func askAgain() async throws {
    let now = ContinuousClock.now
    guard state.withLock({ $0.asked.map { now - $0 >= believed } ?? true }) else { return }
    let floor = try await pool.run(ReadDroppedBefore()).first
    state.withLock { ($0.floor, $0.asked) = (floor, now) }
  }

  /// Looks again at every month: one that was known has been dropped.
  func forget() {
    state.withLock { $0 = State() }
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
