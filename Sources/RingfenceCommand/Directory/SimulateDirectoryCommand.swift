import ArgumentParser
import Importing

extension SimulateCommand {
  /// `ringfence simulate directory --rows N`
  struct Directory: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Make up a business directory, as TSV for: import directory --region US.")

    @Option(help: "Where chance starts.")
    var seed: UInt64 = 1

    @Option(help: "How many rows, 1 to 100000000.")
    var rows = 20_000

    @Option(help: "Names of chains: a JSON object of \"kind|name\": branches.")
    var chains: String?

    @Option(help: "Where to write, or - for standard output.")
    var out = "-"

    func validate() throws {
      guard (1...DirectorySimulator.maximumRows).contains(rows) else {
        throw ValidationError("--rows is 1 to \(DirectorySimulator.maximumRows).")
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
