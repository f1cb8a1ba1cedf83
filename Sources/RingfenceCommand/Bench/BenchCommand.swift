import ArgumentParser

/// `ringfence bench`: measures a running server.
struct BenchCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bench", abstract: "Measure what the server does.",
    subcommands: [
      IntakeBenchCommand.self, CurationBenchCommand.self, ProtectionBenchCommand.self, AssembleBenchCommand.self,
      FillCommand.self, PagesBenchCommand.self, MixedBenchCommand.self,
    ])
}
