// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// `ringfence-benchmark curation`
struct CurationBenchmarkCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "curation",
    abstract: "Measure what thresholds list.",
    subcommands: [ReplayBenchmarkCommand.self])
}
