import Foundation
import Importing
import Logging
import Telemetry

/// Progress as lines of a log for programs, which has nothing else between its lines.
private struct LogOutput: ProgressOutput {
  let isTerminal = false
  let width = 80

  func write(_ text: String) {
    Logger.server.info("\(text.trimmingCharacters(in: .whitespacesAndNewlines))")
  }
}

/// Where a command that may be a server shows its progress.
func progressOutput() -> any ProgressOutput {
  LogFormat.current == .json ? LogOutput() : StandardErrorOutput()
}
