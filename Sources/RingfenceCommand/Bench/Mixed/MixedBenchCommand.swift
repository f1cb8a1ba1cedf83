import ArgumentParser
import Curation
import Foundation
import Storage

/// `ringfence bench mixed`
struct MixedBenchCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "mixed",
    abstract: "Load a server with reports, look-ups, downloads and moderators at once.",
    discussion: """
      First as fast as answers come, which is the capacity. With --overload 2 then at half of that, at twice that for \
      --minutes, and at half again until the 99th percentile is what it was before. Moderators sign in by links that \
      this makes; they rule on what is in the queue.

      What is sent stays in the server's database: measure a server that has been started for it, with --no-limits.
      """)

  @OptionGroup var database: DatabaseOptions

  @Option(help: "The server, on this machine.")
  var url = "http://127.0.0.1:8080"

  @Option(help: "A file with an app's API key; without it RINGFENCE_API_KEY, or the sample app's in the data folder.")
  var keyFile: String?

  @Option(help: "How long the capacity is measured.")
  var seconds = 30

  @Option(help: "Connections that report.")
  var reporters = 32

  @Option(help: "Connections that look numbers up.")
  var lookers = 16

  @Option(help: "Connections that fetch publications.")
  var downloaders = 8

  @Option(help: "Moderators, 0 to 64.")
  var moderators = 4

  @Option(help: "How many times the capacity to ask for afterwards, 1 to 10.")
  var overload: Double?

  @Option(help: "How long the overload lasts.")
  var minutes = 5.0

  @Option(help: "Connections of the overload for each of the capacity's, 1 to 100.")
  var crowding = 48

  @Option(help: "The server's process, for its memory; without it whoever listens on the port.")
  var serverPid: Int32?

  @Option(help: "Where chance starts.")
  var seed: UInt64 = 1

  func validate() throws {
    guard (1...3_600).contains(seconds) else { throw ValidationError("--seconds is 1 to 3600.") }
    guard [reporters, lookers, downloaders].allSatisfy({ (0...1_000).contains($0) }), (0...64).contains(moderators)
    else { throw ValidationError("--reporters, --lookers and --downloaders are 0 to 1000, --moderators 0 to 64.") }
    guard overload.map({ (1...10).contains($0) }) ?? true else { throw ValidationError("--overload is 1 to 10.") }
    guard (1...100).contains(crowding) else { throw ValidationError("--crowding is 1 to 100.") }
    guard minutes > 0, minutes <= 600 else { throw ValidationError("--minutes is more than 0, at most 600.") }
    guard LoadTarget(url: url) != nil else {
      throw ValidationError(
        "--url is http:// with a loopback address, such as http://127.0.0.1:8080: other machines are not loaded.")
    }
  }

  func run() async throws {
    guard let target = LoadTarget(url: url) else { return }
    let plan = LoadPlan(
      target: target, key: try BenchKey.find(file: keyFile, data: database.data), connections: reporters,
      seconds: seconds, batch: 1, seed: seed)
    let tokens = try await makeTokens()
    let benchmark = MixedBenchmark(
      plan: plan, crowd: [.reporter: reporters, .looker: lookers, .downloader: downloaders],
      tokens: tokens, serverPID: serverPid ?? ListeningProcess.find(port: target.port), overload: overload,
      overloadSeconds: minutes * 60, crowding: crowding)
    try await benchmark.run { line in
      print(line)
      fflush(nil)
    }
  }

  private func makeTokens() async throws -> [String] {
    guard moderators > 0 else { return [] }
    return try await Workplace.open(database, owns: false, logger: .quiet) { workplace in
      var tokens: [String] = []
      for index in 1...moderators {
        tokens.append(
          try await workplace.moderators.makeSignInToken(for: "Load \(index)", role: .moderator, at: Date()))
      }
      return tokens
    }
  }
}
