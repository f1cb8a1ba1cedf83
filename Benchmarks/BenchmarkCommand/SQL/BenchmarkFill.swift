// SPDX-License-Identifier: Apache-2.0

import Foundation
import PostgreSQL

/// Fills a database with numbers that have aggregates and no reports.
struct BenchmarkFill: Sendable {
  let pool: PostgresPool

  /// Maximum numbers of one statement.
  private static let step: Int64 = 500_000

  /// - Parameter pool: of a database without data.
  init(pool: PostgresPool) {
    self.pool = pool
  }

  /// Adds numbers of the United States, from a little hotter than any threshold to a thousand times as hot.
  /// - Parameters:
  ///   - identified: the percentage of numbers with identifications, 0 to 100.
  ///   - waiting: numbers in the review queue, some of them with holds, appeals and comments; all others are listed.
  ///     With 0 no number waits and none is listed.
  /// - Returns: false, without a change, when there are numbers already.
  func fill(numbers: Int, identified: Int, waiting: Int = 0, at time: Date) async throws -> Bool {
    guard try await pool.run(BenchmarkSQL.hasNumbers())[0] == false else { return false }
    for first in stride(from: 0, to: Int64(numbers), by: Int64.Stride(Self.step)) {
      let statement = BenchmarkSQL.fillNumbers(
        first: first, last: min(Int64(numbers), first + Self.step) - 1, identified: Int32(identified), time: time)
      try await pool.runReportingCount(statement)
    }
    if waiting > 0 { try await fillQueue(numbers: numbers, waiting: waiting, at: time) }
    // Without a warning for each system table, which only a superuser may analyze.
    try await pool.withConnection { try await $0.execute(script: "SET LOCAL client_min_messages = error; ANALYZE") }
    return true
  }
}
