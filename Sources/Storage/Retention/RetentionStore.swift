public import Foundation
public import PostgreSQL

/// Forgets what may be kept only for a time, in small transactions.
public struct RetentionStore: Sendable {
  let pool: PostgresPool
  private let batchSize: Int

  /// - Parameter batchSize: the most rows in one transaction.
  public init(pool: PostgresPool, batchSize: Int = 2_000) {
    self.pool = pool
    self.batchSize = max(1, batchSize)
  }

  /// Forgets the networks of reports that came before `time`.
  /// - Returns: how many.
  @discardableResult
  public func purgeNetworks(before time: Date) async throws -> Int {
    try await repeatedly { PurgeNetworks(before: time, limit: $0) }
  }

  /// Forgets the comments of reports that came before `time`.
  /// - Parameter now: noted beside each, so that a retry is still known for the same report.
  /// - Returns: how many.
  @discardableResult
  public func purgeComments(before time: Date, at now: Date) async throws -> Int {
    try await repeatedly { PurgeComments(before: time, now: now, limit: $0) }
  }

  /// Forgets the names of identification batches that came before `time`; what they counted stays.
  /// - Returns: how many.
  @discardableResult
  public func purgeIdentificationBatches(before time: Date) async throws -> Int {
    try await repeatedly { PurgeIdentificationBatches(before: time, limit: $0) }
  }

  private func repeatedly<S: PostgresStatement>(_ statement: @Sendable (Int) -> S) async throws -> Int {
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
