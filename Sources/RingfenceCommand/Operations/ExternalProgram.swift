// SPDX-License-Identifier: Apache-2.0

import AsyncSupport
import Foundation

/// Runs another program to its end.
enum ExternalProgram {
  /// - Returns: its exit code, and the text of its standard output and error.
  static func run(
    _ path: String, _ arguments: [String], environment: [String: String] = ProcessInfo.processInfo.environment
  ) async throws -> (status: Int32, output: String) {
    try await runOnThread {
      // The pool's threads block signals, and child processes inherit that.
      var signals = sigset_t()
      sigemptyset(&signals)
      pthread_sigmask(SIG_SETMASK, &signals, nil)
      let process = Process()
      let pipe = Pipe()
      process.executableURL = URL(filePath: path)
      process.arguments = arguments
      process.environment = environment
      process.standardInput = FileHandle.nullDevice
      process.standardOutput = pipe
      process.standardError = pipe
      try process.run()
      let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
      process.waitUntilExit()
      return (process.terminationStatus, String(decoding: output, as: UTF8.self))
    }
  }
}
