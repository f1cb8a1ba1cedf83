import ArgumentParser
import Foundation
import Storage

/// `ringfence bench fill --numbers N`
struct FillCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fill",
    abstract: "Fill an empty database with numbers that were complained about, to measure publications with.",
    discussion: """
      The numbers have aggregates and no reports, so an audit finds fault with every one: never do this to a database \
      that is in use. For names: simulate directory, then import directory.
      """)

  @OptionGroup var database: DatabaseOptions

  @Option(help: "How many numbers, 1 to 100000000.")
  var numbers = 10_000_000

  @Option(help: "How many of a hundred have calls that phones told of.")
  var identified = 30

  @Option(
    help: "How many of them wait for a moderator; all others are listed. Without it none waits and none is listed.")
  var queue = 0

  func validate() throws {
    guard (0...min(numbers, 1_000_000)).contains(queue) else {
      throw ValidationError("--queue is 0 to 1000000, and at most --numbers.")
    }
    guard (1...100_000_000).contains(numbers) else { throw ValidationError("--numbers is 1 to 100000000.") }
    guard (0...100).contains(identified) else { throw ValidationError("--identified is 0 to 100.") }
  }

  func run() async throws {
    try await Workplace.open(database, owns: false, makes: true, logger: .quiet) { workplace in
      let filled = try await BenchmarkFill(pool: workplace.pool).fill(
        numbers: numbers, identified: identified, waiting: queue, at: Date())
      guard filled else {
        throw CommandFailure.failed("The database has numbers already. Fill an empty one: choose another --data.")
      }
      print("\(numbers) numbers\(queue > 0 ? ", \(queue) of them wait" : "")")
    }
  }
}
