// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Curation
import Foundation
import PostgreSQL
import Publishing
import RingfenceCommand
import Storage
import Synchronization

/// `ringfence-benchmark curation selection`
struct SelectionBenchmarkCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "selection", abstract: "Select the listed numbers out of many generated ones.",
    discussion: """
      Fills an empty data folder first; one with numbers is measured as it is. About a tenth of the numbers are hot \
      enough to be evaluated.
      """)

  @OptionGroup var database: DatabaseOptions

  @Option(help: "Numbers, 1 to 100000000.")
  var numbers = 10_000_000

  @Option(help: "Runs, 1 to 100.")
  var rounds = 3

  func validate() throws {
    guard (1...100_000_000).contains(numbers) else { throw ValidationError("--numbers is 1 to 100000000.") }
    guard (1...100).contains(rounds) else { throw ValidationError("--rounds is 1 to 100.") }
  }

  func run() async throws {
    try await database.open(makes: true) { context in
      let time = Date(timeIntervalSince1970: 1_795_000_000)
      let filled = try await context.pool.withConnection { connection in
        try await ScoreFill(connection: connection).fill(numbers: numbers, at: time)
      }
      for _ in 0..<rounds {
        let count = Atomic(0)
        let start = ContinuousClock.now
        try await context.stores.publications.withSnapshot { connection in
          try await Selection().forEachListed(at: time, on: connection) { batch in
            count.add(batch.count, ordering: .relaxed)
          }
        }
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        let peak = ProcessMemory(pid: getpid()).map { $0.peak / 1_048_576 } ?? 0
        print(
          "\(filled.numbers) numbers, \(filled.evaluated) evaluated, \(count.load(ordering: .relaxed)) listed: "
            + String(format: "%.1f s, peak of the process %d MB", seconds, peak))
      }
    }
  }
}
