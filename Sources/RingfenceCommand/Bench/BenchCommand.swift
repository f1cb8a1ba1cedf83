import ArgumentParser

/// `ringfence bench`: measures a running server.
struct BenchCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bench", abstract: "Measure a running server.", subcommands: [IntakeBenchCommand.self])
}
