// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import PostgreSQL
import Storage

extension BenchmarkFill {
  /// Cases with reports and comments.
  private static let casesWithReports = 100
  /// Reports of each of these cases.
  private static let reportsOfCase = 200

  /// Puts some of the numbers of the fill into the queue, since up to 40 days, and lists all others.
  func fillQueue(numbers: Int, waiting: Int, at time: Date) async throws {
    let gap = Int64(max(1, numbers / waiting))
    for first in stride(from: 0, to: Int64(numbers), by: 500_000) {
      let last = min(Int64(numbers), first + 500_000) - 1
      try await pool.runReportingCount(BenchmarkSQL.fillListings(first: first, last: last, gap: gap, time: time))
      try await pool.runReportingCount(
        BenchmarkSQL.fillCases(first: first, last: last, gap: gap, most: Int64(waiting), time: time))
    }
    let store = ReportStore(pool: pool)
    for place in 0..<min(Self.casesWithReports, waiting) {
      let number = 12_010_000_000 + Int64(place) * gap * 797 + Int64(place) * gap % 5
      let reports = (0..<Self.reportsOfCase).map { index in
        Report(
          number: number, appID: 1, reportID: UUID(), reportedAt: time - Double(index) * 20_000,
          category: ReportCategory.allCases[index % 13],
          reporter: (0..<16).map { UInt8(truncatingIfNeeded: index &* 31 &+ $0 &* place) },
          comment: "They called again and wanted to sell something, the \(index)th time.")
      }
      _ = try await store.accept(reports, receivedAt: time)
    }
  }
}
