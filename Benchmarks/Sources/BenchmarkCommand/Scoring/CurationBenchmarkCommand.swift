// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// `ringfence-benchmark curation`
struct CurationBenchmarkCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "curation",
    abstract: "Measure what thresholds list, and how long scoring takes.",
    discussion: "selection and batches fill the data folder: give each an empty one.",
    subcommands: [ReplayBenchmarkCommand.self, SelectionBenchmarkCommand.self, BatchBenchmarkCommand.self])
}
