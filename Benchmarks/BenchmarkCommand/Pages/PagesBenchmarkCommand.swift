// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Curation
import Foundation
import RingfenceCommand
import Storage

/// `ringfence-benchmark pages`
struct PagesBenchmarkCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pages",
    abstract: "Measure the moderators' pages of a running server beside SELECT 1 on its database.",
    discussion: """
      One request after another over one connection, signed in as an account named Benchmark. Before each of them runs \
      SELECT 1 through a pool, so that other work on the machine affects both. It makes decisions: never run it on a \
      database that is in use. Fill one first: ringfence-benchmark fill --numbers 10000000 --queue 50000
      """)

  @OptionGroup var database: DatabaseOptions

  @Option(help: "Where the server listens: http and a loopback address.")
  var url = "http://127.0.0.1:8080"

  @Option(help: "Requests for each page, 10 to 100000.")
  var rounds = 300

  func validate() throws {
    guard LoadTarget(url: url) != nil else { throw ValidationError("--url is such as http://127.0.0.1:8080.") }
    guard (10...100_000).contains(rounds) else { throw ValidationError("--rounds is 10 to 100000.") }
  }

  func run() async throws {
    guard let target = LoadTarget(url: url) else { return }
    try await database.open { context in
      let time = Date()
      let link = try await context.stores.sessions.makeSignInToken(for: "Benchmark", role: .moderator, at: time)
      guard case .session(let session, _) = try await context.stores.sessions.enter(link: link, at: time) else {
        throw CommandFailure.failed("The account Benchmark has a second factor. Remove it, or use another database.")
      }
      let client = BlockingHTTPClient(target: target, cookie: "ringfence_session=\(session)")
      let benchmark = PagesBenchmark(client: client, rounds: rounds) { try await context.stores.health.check() }
      print(PageTimings.heading)
      for timings in try await benchmark.run() { print(timings.row) }
      try await context.stores.sessions.signOut(session: session, at: Date())
    }
  }
}
