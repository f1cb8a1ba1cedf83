// SPDX-License-Identifier: Apache-2.0

import Foundation
import Logging
import Telemetry

/// Writes progress as log records, for a log that programs read.
private struct LogOutput: ProgressOutput {
  let isTerminal = false
  let width = 80

  func write(_ text: String) {
    Logger.server.info("\(text.trimmingCharacters(in: .whitespacesAndNewlines))")
  }
}

/// The output for the progress of a command that may be a server: the log, or standard error.
func progressOutput() -> any ProgressOutput {
  LogFormat.current == .json ? LogOutput() : StandardErrorOutput()
}
