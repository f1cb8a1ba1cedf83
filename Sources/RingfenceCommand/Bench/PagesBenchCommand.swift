import ArgumentParser
import Curation
import Foundation
import Storage

/// `ringfence bench pages`
struct PagesBenchCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pages",
    abstract: "Measure the moderators' pages of a running server against the least question to its database.",
    discussion: """
      One request after another over one connection, signed in as an account named Benchmark, and before each of them SELECT \
      1 through a pool, so that what else the machine does falls on both. It makes rulings: never do this to a database that \
      is in use. Fill one first: ringfence bench fill --numbers 10000000 --queue 50000
      """)

  @OptionGroup var database: DatabaseOptions

  @Option(help: "Where the server listens: http and a loopback address.")
  var url = "http://127.0.0.1:8080"

  @Option(help: "How often each page is asked for, 10 to 100000.")
  var rounds = 300

  func validate() throws {
    guard LoadTarget(url: url) != nil else { throw ValidationError("--url is such as http://127.0.0.1:8080.") }
    guard (10...100_000).contains(rounds) else { throw ValidationError("--rounds is 10 to 100000.") }
  }

  func run() async throws {
    guard let target = LoadTarget(url: url) else { return }
    try await Workplace.open(database, owns: false, logger: .quiet) { workplace in
      let time = Date()
      let link = try await workplace.moderators.makeSignInToken(for: "Benchmark", role: .moderator, at: time)
      guard case .session(let session, _) = try await workplace.moderators.enter(link: link, at: time) else {
        throw CommandFailure.failed("The account Benchmark has a second factor. Take it away, or use another database.")
      }
      let client = PageClient(target: target, session: session)
      let measure = PageRounds(client: client, rounds: rounds) { try await workplace.health.check() }
      print(PageFigures.heading)
      for figures in try await measure.all() { print(figures.row) }
      try await workplace.moderators.signOut(session: session, at: Date())
    }
  }

}

/// How long one kind of page takes.
struct PageFigures {
  let name: String
  /// In milliseconds, in any order.
  let times: [Double]
  /// Of SELECT 1 before each of them.
  let least: [Double]
  /// Of the answers, median.
  let bytes: Int

  static let heading = "what                              p50 ms    p99 ms   SELECT 1: p50, p99     bytes"

  var row: String {
    let figures = [times, least].flatMap { times in [0.5, 0.99].map { Self.percentile($0, times) } }
    return name.padding(toLength: 30, withPad: " ", startingAt: 0)
      + String(format: "%10.2f%10.2f%12.3f%9.3f%10d", figures[0], figures[1], figures[2], figures[3], bytes)
  }

  private static func percentile(_ part: Double, _ times: [Double]) -> Double {
    let sorted = times.sorted()
    guard !sorted.isEmpty else { return .nan }
    return sorted[min(sorted.count - 1, Int(part * Double(sorted.count)))]
  }
}
