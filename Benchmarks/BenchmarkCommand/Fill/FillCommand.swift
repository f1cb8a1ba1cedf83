// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import RingfenceCommand
import Storage

/// `ringfence-benchmark fill --numbers N`
struct FillCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fill",
    abstract: "Fill an empty database with reported numbers, to measure publications and pages.",
    discussion: """
      Without --reports the numbers have aggregates and no reports, so ringfence recount finds a difference in every one: \
      never fill a database that is in use. For names run ringfence simulate directory, then ringfence import directory.
      """)

  @OptionGroup var database: DatabaseOptions

  @Option(help: "Numbers, 1 to 100000000.")
  var numbers = 10_000_000

  @Option(help: "About so many reports of 13 months, with their sums and votes; at least --numbers.")
  var reports: Int?

  @Option(help: "Percentage of the numbers with identifications, 0 to 100.")
  var identified = 30

  @Option(
    help: "Numbers in the review queue; all others are listed. With 0 no number waits and none is listed.")
  var queue = 0

  func validate() throws {
    guard (0...min(numbers, 1_000_000)).contains(queue) else {
      throw ValidationError("--queue is 0 to 1000000, and at most --numbers.")
    }
    guard (1...100_000_000).contains(numbers) else { throw ValidationError("--numbers is 1 to 100000000.") }
    if let reports {
      guard (numbers...1_000_000_000).contains(reports), queue == 0 else {
        throw ValidationError("--reports is --numbers to 1000000000, without --queue.")
      }
    }
    guard (0...100).contains(identified) else { throw ValidationError("--identified is 0 to 100.") }
  }

  func run() async throws {
    try await database.open(makes: true) { context in
      let fill = BenchmarkFill(pool: context.pool)
      if let reports {
        let app = try await context.stores.apps.create(name: "fill", at: Date()).app.id
        let start = ContinuousClock.now
        guard let stored = try await fill.fillReports(numbers: numbers, reports: reports, of: app, at: Date()) else {
          throw CommandFailure.failed("The database already has numbers. Choose an empty one with --data.")
        }
        let filled = ContinuousClock.now
        print("\(numbers) numbers, \(stored) reports in \((filled - start).components.seconds) s")
        // Else the server would do this first, and make what is measured slower.
        let summary = try await context.stores.reporters.recount(
          protected: try await context.stores.protection.load(), at: Date())
        let seconds = (ContinuousClock.now - filled).components.seconds
        return print("\(summary.reporters) reporters, \(summary.numbers) corrected numbers in \(seconds) s")
      }
      let filled = try await fill.fill(numbers: numbers, identified: identified, waiting: queue, at: Date())
      guard filled else {
        throw CommandFailure.failed("The database already has numbers. Choose an empty one with --data.")
      }
      print("\(numbers) numbers\(queue > 0 ? ", \(queue) of them in the queue" : "")")
    }
  }
}
