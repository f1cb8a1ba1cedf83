import ArgumentParser
import Curation
import Foundation
import PostgreSQL
import Storage

/// `ringfence bench curation batches`
struct BatchBenchCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "batches",
    abstract: "Take batches of reports with all they add up to, and beside it insert the same rows alone.",
    discussion: "Medians. The two take turns, on the same tables. The reports stay in the data folder.")

  @OptionGroup var database: DatabaseOptions

  @Option(help: "Batches of each kind and size.")
  var rounds = 40

  func validate() throws {
    guard (1...10_000).contains(rounds) else { throw ValidationError("--rounds is 1 to 10000.") }
  }

  func run() async throws {
    try await Workplace.open(database, owns: false, makes: true, logger: .quiet) { workplace in
      let now = Date()
      for _ in 0..<20 { _ = try await workplace.reports.accept(Self.batch(5_000, now), receivedAt: Date()) }
      try await workplace.reports.refreshStatistics()
      for size in [1_000, 2_000] {
        var whole: [Double] = []
        var alone: [Double] = []
        for _ in 0..<rounds {
          let first = Self.batch(size, now)
          whole.append(
            try await Self.milliseconds { _ = try await workplace.reports.accept(first, receivedAt: Date()) })
          let second = Self.batch(size, now)
          alone.append(
            try await Self.milliseconds {
              try await workplace.pool.withConnection { connection in
                try await ScoreBenchmark(connection: connection).insertAlone(second, receivedAt: Date())
              }
            })
        }
        let (a, b) = (Self.median(whole), Self.median(alone))
        print(
          String(format: "%d reports a batch: %.1f ms with aggregates, %.1f ms alone, %.2f times", size, a, b, a / b))
      }
    }
  }

  private static func batch(_ size: Int, _ now: Date) -> [Report] {
    (0..<size).map { _ in
      let reporter = Int.random(in: 0..<BenchmarkDraw.reporters)
      return Report(
        number: BenchmarkDraw.number(ofRank: BenchmarkDraw.rank(of: .random(in: 0..<1))), appID: 1, reportID: UUID(),
        reportedAt: now - .random(in: 0..<86_400), category: ReportCategory.allCases.randomElement() ?? .other,
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
