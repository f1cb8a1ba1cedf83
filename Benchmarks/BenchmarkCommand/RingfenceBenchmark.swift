// SPDX-License-Identifier: Apache-2.0

public import ArgumentParser

/// `ringfence-benchmark`: one file for each subcommand.
public struct RingfenceBenchmark: AsyncParsableCommand {
  /// Name, help and subcommands.
  public static let configuration = CommandConfiguration(
    commandName: "ringfence-benchmark", abstract: "Measures Ringfence and PostgreSQL side by side.",
    discussion: "Exit codes: 0 success, 1 the measurement failed, 2 wrong usage, 3 cannot read or write.",
    subcommands: [
      IntakeBenchmarkCommand.self,
      PagesBenchmarkCommand.self,
      MixedBenchmarkCommand.self,
      CurationBenchmarkCommand.self,
      AssembleBenchmarkCommand.self,
      FillCommand.self,
    ])

  /// Creates the command with its defaults.
  public init() {}
}
