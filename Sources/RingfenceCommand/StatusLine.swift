// SPDX-License-Identifier: Apache-2.0

import Foundation
import Logging
import Synchronization
import Telemetry

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

  /// Changes the text of the step.
  func say(_ text: String) {
    state.withLock { state in
      guard state.text != text else { return }
      state.text = text
      if state.isShown, !state.isOver { Self.write(text) }
    }
  }

  /// Ends the step.
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
