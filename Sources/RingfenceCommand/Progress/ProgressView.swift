// SPDX-License-Identifier: Apache-2.0

/// The text of a progress meter at one moment.
struct ProgressView {
  var title: String
  var done: UInt64
  var total: UInt64?
  var unit: ProgressMeter.Unit
  var detail: String
  var seconds: Double
  var isFinished: Bool

  /// From 0 to 1; nil if the total is unknown.
  var fraction: Double? {
    guard let total, total > 0 else { return nil }
    return min(1, Double(done) / Double(total))
  }

  /// The line without a bar: `Importing 42% 4.9 MB, 3.1 MB/s, 1,234 rows, 2.1 s left`.
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
    } else if let fraction, done > 0 {
      parts.append("\(TextFormat.duration(seconds * (1 - fraction) / fraction)) left")
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
