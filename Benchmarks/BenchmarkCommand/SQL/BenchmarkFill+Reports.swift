// SPDX-License-Identifier: Apache-2.0

import Foundation
import PostgreSQL
import Storage

extension BenchmarkFill {
  private static let filled = ["reports", "number_reporters", "number_categories", "numbers"]
  private static let numbersOfBatch: Int64 = 40_000
  /// Batches that are drawn and copied at once.
  private static let copies = 3

  /// Adds numbers of the United States and their reports of the last 13 months, with the sums that the reports give. Keys and
  /// indexes are dropped before and built last, so an interrupted fill leaves a database without them: delete it.
  /// - Parameters:
  ///   - reports: about so many, at least as many as numbers.
  ///   - appID: the app of the reports.
  /// - Returns: the number of stored reports; nil, without a change, when there are numbers already.
  func fillReports(numbers: Int, reports: Int, of appID: Int32, at time: Date) async throws -> Int? {
    guard try await pool.run(BenchmarkSQL.hasNumbers())[0] == false else { return nil }
    for days in stride(from: 0, through: 420, by: 28) {
      for script in ReportStore.partitionScripts(at: time - Double(days) * 86_400) {
        try await pool.withConnection { try await $0.execute(script: script) }
      }
    }
    var indexes: [[IndexDefinition]] = []
    for table in Self.filled {
      indexes.append(try await pool.run(ReportStore.readIndexes(of: table)))
      for index in indexes[indexes.count - 1] {
        try await pool.withConnection { try await $0.execute(script: index.drop) }
      }
    }
    let stored = try await copy(DrawnReports(of: appID, numbers: numbers, reports: reports, at: time), numbers: numbers)
    try await withThrowingTaskGroup { group in
      for (table, indexes) in zip(Self.filled, indexes) {
        group.addTask { try await build(indexes, of: table) }
      }
      try await group.waitForAll()
    }
    return stored
  }

  private func copy(_ empty: DrawnReports, numbers: Int) async throws -> Int {
    try await withThrowingTaskGroup(of: Int.self) { group in
      var (running, stored) = (0, 0)
      for first in stride(from: 0, to: Int64(numbers), by: Int64.Stride(Self.numbersOfBatch)) {
        if running == Self.copies, let count = try await group.next() {
          (running, stored) = (running - 1, stored + count)
        }
        running += 1
        group.addTask {
          var drawn = empty
          for index in first..<min(Int64(numbers), first + Self.numbersOfBatch) { try drawn.add(index: index) }
          return try await copy(drawn)
        }
      }
      return try await group.reduce(stored, +)
    }
  }

  private func copy(_ drawn: DrawnReports) async throws -> Int {
    try await pool.withConnection { connection in
      let stored = try await connection.copyIn(
        """
        COPY reports (number, app_id, report_id, reported_at, received_at, category_id, reporter, weight, comment, network)
        FROM STDIN (FORMAT binary)
        """, drawn.reports)
      try await connection.copyIn(
        "COPY number_reporters (number, reporter, category_id, reported_at, weight, received_at) FROM STDIN (FORMAT binary)",
        drawn.votes)
      try await connection.copyIn(
        "COPY number_categories (number, category_id, heat, evidence, reports, reporters) FROM STDIN (FORMAT binary)",
        drawn.categories)
      try await connection.copyIn(
        """
        COPY numbers (number, heat, evidence, legitimate, reports, reporters, first_reported_at, last_reported_at, day_bits,
                      last_day, network_bits, last_received_at) FROM STDIN (FORMAT binary)
        """, drawn.numbers)
      return stored
    }
  }

  private func build(_ indexes: [IndexDefinition], of table: String) async throws {
    try await pool.withConnection { connection in
      try await connection.execute(script: "SET maintenance_work_mem = '512MB'")
      for index in indexes { try await connection.execute(script: index.create) }
      try await connection.execute(script: "VACUUM (ANALYZE) \(table)")
    }
  }
}
