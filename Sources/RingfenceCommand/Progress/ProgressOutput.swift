// SPDX-License-Identifier: Apache-2.0

import Foundation
package import Logging
import Synchronization
import ServerSupport

protocol ProgressOutput: Sendable {
  /// Whether a line can be redrawn.
  var isTerminal: Bool { get }
  /// Columns of the terminal, 1 or more.
  var width: Int { get }
  /// Writes the text at once; failures are ignored.
  func write(_ text: String)
}

struct StandardErrorOutput: ProgressOutput {
  /// Whether it is a terminal that understands escapes.
  let isTerminal: Bool

  init() {
    let isDumb = getenv("TERM").map { String(cString: $0) == "dumb" } ?? true
    isTerminal = isatty(2) == 1 && !isDumb
  }

  /// The window's columns; 80 if unknown.
  var width: Int {
    var size = winsize()
    guard ioctl(2, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
    return Int(size.ws_col)
  }

  func write(_ text: String) { try? FileHandle.standardError.write(contentsOf: Data(text.utf8)) }
}

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

/// Shows a step of unknown length after one second, and its duration at the end.
package final class StatusLine: Sendable {
  private struct State {
    var text: String
    var isShown = false
    var isOver = false
  }

  private let state: Mutex<State>
  private let start = ContinuousClock.now

  package init(_ text: String) {
    state = Mutex(State(text: text))
    Task { [weak self] in
      try await Task.sleep(for: .seconds(1))
      self?.show()
    }
  }

  func say(_ text: String) {
    state.withLock { state in
      guard state.text != text else { return }
      state.text = text
      if state.isShown, !state.isOver { Self.write(text) }
    }
  }

  package func finish() {
    state.withLock { state in
      guard !state.isOver else { return }
      state.isOver = true
      guard state.isShown else { return }
      let seconds = (ContinuousClock.now - start) / .seconds(1)
      Self.write(String(format: "  done in %.1f s", seconds))
    }
  }

  private func show() {
    state.withLock { state in
      guard !state.isOver else { return }
      state.isShown = true
      Self.write(state.text)
    }
  }

  private static func write(_ line: String) {
    // A log for programs has only log records.
    if LogFormat.current == .json {
      return Logger.server.info("\(line.trimmingCharacters(in: .whitespaces))")
    }
    FileHandle.standardError.write(Data("\(line)\n".utf8))
  }
}

extension Logger {
  /// Logs warnings and errors to standard error, for commands that print their own results.
  package static let quiet = {
    var logger = Logger(label: "ringfence") { StreamLogHandler.standardError(label: $0) }
    logger.logLevel = .warning
    return logger
  }()

  /// Logs for the server in the format of ``LogFormat/current``.
  static let server = {
    var logger = Logger(label: "ringfence") { ServerLogHandler(label: $0) }
    logger.logLevel = .info
    return logger
  }()
}
