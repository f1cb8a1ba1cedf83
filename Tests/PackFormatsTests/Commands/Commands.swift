// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import PackCommands
import Synchronization

@testable import RingfenceCommand

/// The output and the exit code of a command.
struct Said {
  var output: String
  var remarks: String
  var code: Int32
  /// The unit of the last progress.
  var unit: PackConsole.Unit?
}

/// Runs `ringfence pack …` as a function.
func pack(_ arguments: String..., more: some Sequence<String> = []) async -> Said {
  let output = Mutex("")
  let remarks = Mutex("")
  let unit = Mutex<PackConsole.Unit?>(nil)
  let console = PackConsole(
    output: { text in output.withLock { $0 += text } }, remarks: { text in remarks.withLock { $0 += text } },
    progress: { _, _, found in unit.withLock { $0 = found } })
  var code: Int32 = 0
  do {
    var command = try PackCommand.parseAsRoot(arguments + more)
    try await PackConsole.$current.withValue(console) {
      try await VerifyCommand.$measuresItself.withValue(true) {
        if var asynchronous = command as? any AsyncParsableCommand {
          try await asynchronous.run()
        } else {
          try command.run()
        }
      }
    }
  } catch {
    let exitCode = PackCommand.exitCode(for: error)
    // ArgumentParser's own code for wrong usage is 64.
    code = exitCode == .validationFailure ? PackExitCode.usage.rawValue : exitCode.rawValue
  }
  return Said(
    output: output.withLock { $0 }, remarks: remarks.withLock { $0 }, code: code, unit: unit.withLock { $0 })
}
