// SPDX-License-Identifier: Apache-2.0

public import ArgumentParser
import CallDirectory
import Foundation
import PackCommands
public import PackDatabases
public import PackFormats

/// `ringfence pack`: creates, reads, checks and converts packs.
struct PackCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pack",
    abstract: "Build, read, verify and convert packs.",
    discussion: """
      Exit codes: 0 success, 1 invalid data (the message names the entry and the rule), 2 invalid usage, 3 cannot read \
      or write a file.
      """,
    subcommands: [
      PackBuildCommand.self, PackInfoCommand.self, VerifyCommand.self, DumpCommand.self,
      PackExportLiveCallerIDCommand.self, PackDiffCommand.self, PackApplyCommand.self, PackLookupCommand.self,
    ])
}

extension ListFormat: ExpressibleByArgument {}
extension LiveCallerIDOptions.Database: ExpressibleByArgument {}
extension LiveCallerIDOptions.Category: ExpressibleByArgument {}
