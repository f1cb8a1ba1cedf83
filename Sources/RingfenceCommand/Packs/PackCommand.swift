// SPDX-License-Identifier: Apache-2.0

public import ArgumentParser

/// `ringfence pack`: creates, reads, checks and converts packs.
public struct PackCommand: AsyncParsableCommand {
  /// The command's name and its help.
  public static let configuration = CommandConfiguration(
    commandName: "pack",
    abstract: "Build, read, verify and convert packs.",
    discussion: """
      Exit codes: 0 success, 1 invalid data (the message names the entry and the rule), 2 invalid usage, 3 cannot read \
      or write a file.
      """,
    subcommands: [
      PackBuildCommand.self, PackInfoCommand.self, PackVerifyCommand.self, PackDumpCommand.self,
      PackExportLiveCallerIDCommand.self, PackDiffCommand.self, PackApplyCommand.self, PackLookupCommand.self,
    ])

  /// Creates the command. Without a subcommand it shows its help.
  public init() {}
}
