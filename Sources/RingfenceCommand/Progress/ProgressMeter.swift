// SPDX-License-Identifier: Apache-2.0

import Foundation
import Importing
import Synchronization

/// Shows the progress of a long command on a terminal or in a log.
///
/// A terminal shows one line, redrawn at most ten times per second: bar, percent, rate and time left. Other outputs get
/// a plain line every ``plainInterval``. A command of less than a second shows nothing. ``update(done:detail:)`` may be
/// called often and from any task.
final class ProgressMeter: Sendable {
  enum Unit: Sendable, Equatable {
    /// Bytes, shown in decimal units.
    case bytes
    /// Items with this plural name, such as `rows`.
    case items(String)
  }

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
  ///   - title: the current work, such as `Importing`.
  ///   - total: the final count; nil if unknown.
  ///   - output: standard error by default.
  ///   - elapsed: the time since the start; by default of a monotonic clock.
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

  /// `detail` is shown after the count.
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

extension ProgressMeter {
  /// For a meter in ``Unit/bytes``.
  func update(_ progress: ImportProgress) {
    update(bytesRead: progress.bytesRead, rows: progress.rows)
  }

  /// For a meter in ``Unit/bytes``.
  func update(bytesRead: UInt64, rows: Int) {
    update(done: bytesRead, detail: TextFormat.grouped(rows, "row"))
  }

  /// The total is the size of the file; the total of a pipe or `-` is unknown.
  convenience init(importing path: String, title: String = "Importing", output: any ProgressOutput) {
    let target = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
    let attributes = path == "-" ? nil : try? FileManager.default.attributesOfItem(atPath: target)
    let isFile = attributes?[.type] as? FileAttributeType == .typeRegular
    let size = isFile ? (attributes?[.size] as? NSNumber)?.uint64Value : nil
    self.init(title: title, total: size, unit: .bytes, output: output)
  }
}

/// The text of a progress meter at one moment.
struct ProgressView {
  var title: String
  var done: UInt64
  var total: UInt64?
  var unit: ProgressMeter.Unit
  var detail: String
  var seconds: Double
  var isFinished: Bool

  /// The part of the work after which the time left is estimated: its beginning is slower than the rest.
  private static let minFraction = 0.1

  /// From 0 to 1; nil if the total is unknown.
  var fraction: Double? {
    guard let total, total > 0 else { return nil }
    return min(1, Double(done) / Double(total))
  }

  /// The line without a bar: `Importing 42% 4.9 MB, 3.1 MB/s, 1,234 rows, about 2 s left`.
  var plain: String { "\(title) \(([percent].compactMap(\.self) + [facts]).joined(separator: " "))" }

  /// The line with a bar of the available width, cut to the width.
  func line(width: Int) -> String {
    let room = max(1, width - 1)
    guard let fraction, let percent else { return String(plain.prefix(room)) }
    let bar = min(30, room - title.count - percent.count - facts.count - 5)
    guard bar >= 5 else { return String(plain.prefix(room)) }
    let full = Int(fraction * Double(bar))
    let drawn = String(repeating: "=", count: full) + String(repeating: " ", count: bar - full)
    return "\(title) [\(drawn)] \(percent) \(facts)"
  }

  private var percent: String? { fraction.map { "\(Int($0 * 100))%" } }

  private var facts: String {
    var parts = [amount(Double(done))]
    if seconds > 0 { parts.append("\(amount(Double(done) / seconds))/s") }
    if !detail.isEmpty { parts.append(detail) }
    if isFinished {
      parts.append("in \(TextFormat.duration(seconds))")
    } else if let fraction, (Self.minFraction..<1).contains(fraction) {
      parts.append("about \(TextFormat.estimate(seconds * (1 - fraction) / fraction)) left")
    }
    return parts.joined(separator: ", ")
  }

  private func amount(_ value: Double) -> String {
    switch unit {
    case .bytes: TextFormat.bytes(value)
    case .items(let name): "\(TextFormat.grouped(Int(min(value, 1e18)))) \(name)"
    }
  }
}
