import ArgumentParser

/// `ringfence bench curation`
struct CurationBenchCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "curation",
    abstract: "What the thresholds would have listed, and what it takes to find out.",
    discussion: "selection and batches fill the data folder: give them one of their own.",
    subcommands: [ReplayBenchCommand.self, SelectionBenchCommand.self, BatchBenchCommand.self])
}
