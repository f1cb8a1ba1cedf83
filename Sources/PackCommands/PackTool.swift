// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The version by semantic versioning: the newest one in CHANGELOG.md.
package let ringfenceVersion = "0.2.0"

/// `ringfence-packs`: the part of `ringfence` that build machines need.
struct PackTool: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "ringfence-packs", abstract: "Fetches, verifies, reads and builds packs of phone numbers.",
    discussion: """
      Exit codes: 0 success, 1 invalid data or failure, 2 invalid usage, 3 cannot read or write. \
      `ringfence-packs help fetch` lists the exit codes of fetch.
      """,
    version: ringfenceVersion,
    subcommands: [
      FetchCommand.self, PackVerifyCommand.self, PackInfoCommand.self, PackLookupCommand.self, PackDumpCommand.self,
      PackDiffCommand.self, PackApplyCommand.self, PackBuildCommand.self,
    ])
}

/// Runs the command line and ends the process with its exit code.
public func runPackTool() async -> Never {
  do {
    var command = try PackTool.parseAsRoot()
    if var command = command as? any AsyncParsableCommand {
      try await command.run()
    } else {
      try command.run()
    }
    exit(0)
  } catch let error as ExitCode {
    // The command has printed its own message.
    exit(error.rawValue)
  } catch let failure as PackFailure {
    PackConsole.current.remarks("Error: \(failure)\n")
    exit(failure.exitCode)
  } catch {
    let (code, message) = (PackTool.exitCode(for: error), PackTool.fullMessage(for: error))
    // Help and version arrive as errors with code 0. ArgumentParser's own code for wrong usage is 64.
    (code == .success ? PackConsole.current.output : PackConsole.current.remarks)("\(message)\n")
    exit(code == .validationFailure ? PackExitCode.usage.rawValue : code.rawValue)
  }
}
