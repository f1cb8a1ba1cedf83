// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Importing

extension SimulateCommand {
  /// `ringfence simulate directory --rows N`
  struct Directory: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Generate a business directory as TSV, for: ringfence import directory --region US.")

    @Option(help: "Seed of the random numbers; the same seed gives the same data.")
    var seed: UInt64 = 1

    @Option(help: .value("count", "Number of rows, 1 to 100000000."))
    var rows = 20_000

    @Option(help: .value("file", "File with chain names: a JSON object of \"kind|name\": branches."))
    var chains: String?

    @Option(help: .value("file", "File to write, or - for standard output."))
    var out = "-"

    func validate() throws {
      guard (1...DirectorySimulator.maximumRows).contains(rows) else {
        throw ValidationError("--rows is \(rows). Use 1 to \(DirectorySimulator.maximumRows).")
      }
    }

    func run() async throws {
      let simulator = DirectorySimulator(
        seed: seed, rows: rows, chains: try chains.map { try DirectorySimulator.Chain.read(contentsOf: $0) } ?? [],
        regions: try RegionFile.read(contentsOf: "\(try Installation.find(Settings()).resources)/regions-us.tsv"))
      try simulator.writeLines(to: out)
    }
  }
}
