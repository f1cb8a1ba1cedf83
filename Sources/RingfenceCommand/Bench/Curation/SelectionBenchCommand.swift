import ArgumentParser
import Curation
import Foundation
import PostgreSQL
import Publishing
import Storage
import Synchronization

/// `ringfence bench curation selection`
struct SelectionBenchCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "selection", abstract: "Select what is listed out of many made-up numbers.",
    discussion: """
      Fills an empty data folder first; one that is filled already is measured as it is. About a tenth of the numbers \
      are hot enough to be judged.
      """)

  @OptionGroup var database: DatabaseOptions

  @Option(help: "How many numbers.")
  var numbers = 10_000_000

  @Option(help: "How often.")
  var rounds = 3

  func validate() throws {
    guard (1...100_000_000).contains(numbers) else { throw ValidationError("--numbers is 1 to 100000000.") }
    guard (1...100).contains(rounds) else { throw ValidationError("--rounds is 1 to 100.") }
  }

  func run() async throws {
    try await Workplace.open(database, owns: false, makes: true, logger: .quiet) { workplace in
      let time = Date(timeIntervalSince1970: 1_795_000_000)
      let there = try await workplace.pool.withConnection { connection in
        try await ScoreBenchmark(connection: connection).fill(numbers: numbers, at: time)
      }
      for _ in 0..<rounds {
        let count = Atomic(0)
        let start = ContinuousClock.now
        try await workplace.publications.withSnapshot { connection in
          try await Selection().forEachListed(at: time, on: connection) { batch in
            count.add(batch.count, ordering: .relaxed)
          }
        }
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        let peak = ServerMemory(pid: getpid()).map { $0.peak / 1_048_576 } ?? 0
        print(
          "\(there.numbers) numbers, \(there.judged) judged, \(count.load(ordering: .relaxed)) listed: "
            + String(format: "%.1f s, peak of the process %d MB", seconds, peak))
      }
    }
  }
}
