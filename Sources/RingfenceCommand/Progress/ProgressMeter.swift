// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Shows the progress of a long command on a terminal or in a log.
///
/// A terminal shows one line, redrawn at most ten times per second: bar, percent, rate and time left. Other outputs get
/// a plain line every ``plainInterval``. A command of less than a second shows nothing. ``update(done:detail:)`` may be
/// called often and from any task.
final class ProgressMeter: Sendable {
  /// The unit of the count.
  enum Unit: Sendable, Equatable {
    /// Bytes, shown in decimal units.
    case bytes
    /// Items with this plural name, such as `rows`.
    case items(String)
  }

  /// Time between plain lines.
  static let plainInterval = Duration.seconds(5)

  private struct State {
    var done: UInt64 = 0
    var detail = ""
    var lastShown: Duration?
    var isFinished = false
  }

  private let title: String
  private let total: UInt64?
  private let unit: Unit
  private let output: any ProgressOutput
  private let elapsed: @Sendable () -> Duration
  private let state = Mutex(State())

  /// Creates a meter that starts now.
  /// - Parameters:
  /// - title: the current work, such as `Importing`.
  /// - total: the final count; nil if unknown.
  /// - output: standard error by default.
  /// - elapsed: the time since the start; by default of a monotonic clock.
  init(
    title: String, total: UInt64?, unit: Unit, output: any ProgressOutput = StandardErrorOutput(),
    elapsed: (@Sendable () -> Duration)? = nil
  ) {
    self.title = title
    self.total = total
    self.unit = unit
    self.output = output
    let start = ContinuousClock.now
    self.elapsed = elapsed ?? { ContinuousClock.now - start }
  }

  /// Updates the count; `detail` is shown after it.
  func update(done: UInt64, detail: String = "") {
    state.withLock { state in
      guard !state.isFinished else { return }
      state.done = done
      state.detail = detail
      let now = elapsed()
      guard now >= .seconds(1) else { return }
      let interval: Duration = output.isTerminal ? .milliseconds(100) : Self.plainInterval
      if let last = state.lastShown, now - last < interval { return }
      if state.lastShown == nil, !output.isTerminal, now < Self.plainInterval { return }
      show(&state, now)
    }
  }

  /// Shows the last state and ends its line, unless nothing was shown.
  func finish() {
    state.withLock { state in
      guard !state.isFinished else { return }
      state.isFinished = true
      guard state.lastShown != nil else { return }
      show(&state, elapsed())
      if output.isTerminal { output.write("\n") }
    }
  }

  private func show(_ state: inout State, _ now: Duration) {
    state.lastShown = now
    let view = ProgressView(
      title: title, done: state.done, total: total, unit: unit, detail: state.detail, seconds: now / .seconds(1),
      isFinished: state.isFinished)
    // Returns to the line's start and clears the rest of the line.
    output.write(output.isTerminal ? "\r\(view.line(width: output.width))\u{1B}[K" : view.plain + "\n")
  }
}
