// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Curation
import Foundation
import PostgreSQL
import RingfenceCommand
import Storage

/// `ringfence-benchmark curation batches`
struct BatchBenchmarkCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "batches",
    abstract: "Store batches of reports with their aggregates, and compare with inserting the same rows only.",
    discussion: "Prints medians. The two take turns on the same tables. The reports stay in the data folder.")

  @OptionGroup var database: DatabaseOptions

  @Option(help: "Batches of each kind and size.")
  var rounds = 40

  func validate() throws {
    guard (1...10_000).contains(rounds) else { throw ValidationError("--rounds is 1 to 10000.") }
  }

  func run() async throws {
    try await database.open(makes: true) { context in
      let now = Date()
      for _ in 0..<20 { _ = try await context.stores.reports.accept(Self.batch(5_000, now), receivedAt: Date()) }
      try await context.stores.reports.refreshStatistics()
      for size in [1_000, 2_000] {
        var complete: [Double] = []
        var alone: [Double] = []
        for _ in 0..<rounds {
          let first = Self.batch(size, now)
          complete.append(
            try await Self.milliseconds { _ = try await context.stores.reports.accept(first, receivedAt: Date()) })
          let second = Self.batch(size, now)
          alone.append(
            try await Self.milliseconds {
              try await context.pool.withConnection { connection in
                _ = try await connection.run(BenchmarkSQL.insertReportsAlone(reports: second, receivedAt: Date()))
              }
            })
        }
        let (a, b) = (Self.median(complete), Self.median(alone))
        print(
          String(format: "%d reports per batch: %.1f ms with aggregates, %.1f ms alone, %.2f times", size, a, b, a / b))
      }
    }
  }

  private static func batch(_ size: Int, _ now: Date) -> [Report] {
    (0..<size).map { _ in
      let reporter = Int.random(in: 0..<BenchmarkNumbers.reporters)
      return Report(
        number: BenchmarkNumbers.number(ofRank: BenchmarkNumbers.rank(of: .random(in: 0..<1))), appID: 1,
        reportID: UUID(), reportedAt: now - .random(in: 0..<86_400),
        category: ReportCategory.allCases.randomElement() ?? .other,
        reporter: (0..<16).map { UInt8(truncatingIfNeeded: reporter >> ($0 % 4 * 8)) },
        network: (0..<8).map { _ in .random(in: 0...255) })
    }
  }

  private static func milliseconds(_ body: () async throws -> Void) async throws -> Double {
    let start = ContinuousClock.now
    try await body()
    return (ContinuousClock.now - start) / .milliseconds(1)
  }

  private static func median(_ values: [Double]) -> Double {
    let sorted = values.sorted()
    return sorted.isEmpty ? 0 : sorted[sorted.count / 2]
  }
}
