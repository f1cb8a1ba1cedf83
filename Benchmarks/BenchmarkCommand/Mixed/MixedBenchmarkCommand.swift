// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Curation
import Foundation
import RingfenceCommand
import Storage

/// `ringfence-benchmark mixed`
struct MixedBenchmarkCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "mixed",
    abstract: "Load a server with reports, look-ups, downloads and moderators at the same time.",
    discussion: """
      The first phase sends as fast as answers come, which is the capacity. With --overload 2 three more phases \
      follow: half of the capacity, twice the capacity for --minutes, and half again until the 99th percentile is \
      normal. Moderators sign in with links that this command makes, and decide cases of the queue.

      The data stays in the server's database: measure a server that was started for it, with --no-limits.
      """)

  @OptionGroup var database: DatabaseOptions

  @OptionGroup var load: LoadOptions

  @Option(help: "Seconds of the phase that measures the capacity.")
  var seconds = 30

  @Option(help: "Connections that send reports.")
  var reporters = 32

  @Option(help: "Connections that look numbers up.")
  var lookupClients = 16

  @Option(help: "Connections that download publications.")
  var downloaders = 8

  @Option(help: "Moderators, 0 to 64.")
  var moderators = 4

  @Option(help: "The load of the overload phase as a multiple of the capacity, 1 to 10.")
  var overload: Double?

  @Option(help: "Minutes of the overload phase.")
  var minutes = 5.0

  @Option(help: "Connections of the overload phase for each connection of the others, 1 to 100.")
  var connectionFactor = 48

  @Option(help: "The server's process, for its memory; without it the process that listens on the port.")
  var serverPid: Int32?

  @Option(help: "The seed of the random numbers.")
  var seed: UInt64 = 1

  func validate() throws {
    guard (1...3_600).contains(seconds) else { throw ValidationError("--seconds is 1 to 3600.") }
    guard [reporters, lookupClients, downloaders].allSatisfy({ (0...1_000).contains($0) }),
      (0...64).contains(moderators)
    else {
      throw ValidationError("--reporters, --lookup-clients and --downloaders are 0 to 1000, --moderators 0 to 64.")
    }
    guard overload.map({ (1...10).contains($0) }) ?? true else { throw ValidationError("--overload is 1 to 10.") }
    guard (1...100).contains(connectionFactor) else { throw ValidationError("--connection-factor is 1 to 100.") }
    guard minutes > 0, minutes <= 600 else { throw ValidationError("--minutes is more than 0, at most 600.") }
  }

  func run() async throws {
    let target = try load.target()
    let plan = LoadPlan(
      target: target, key: try BenchmarkKey.find(file: load.keyFile, settings: database.settings()),
      connections: reporters,
      seconds: seconds, batch: 1, seed: seed)
    let tokens = try await makeTokens()
    let benchmark = MixedBenchmark(
      plan: plan, connections: [.reporter: reporters, .lookupClient: lookupClients, .downloader: downloaders],
      tokens: tokens, serverPID: serverPid ?? ListeningProcess.find(port: target.port), overload: overload,
      overloadSeconds: minutes * 60, connectionFactor: connectionFactor)
    try await benchmark.run { line in
      print(line)
      fflush(nil)
    }
  }

  private func makeTokens() async throws -> [String] {
    guard moderators > 0 else { return [] }
    return try await database.open { context in
      var tokens: [String] = []
      for index in 1...moderators {
        tokens.append(
          try await context.stores.sessions.makeSignInToken(for: "Load \(index)", role: .moderator, at: Date()))
      }
      return tokens
    }
  }
}
