// SPDX-License-Identifier: Apache-2.0

import Foundation
import Histogram
import RingfenceCommand

extension MixedResult {
  /// A table of the kinds of requests, followed by the memory of the server.
  var table: String {
    func row(_ cells: [String]) -> String {
      cells[0].padding(toLength: 24, withPad: " ", startingAt: 0)
        + cells.dropFirst().map { String(repeating: " ", count: max(1, 11 - $0.count)) + $0 }.joined()
    }
    func ms(_ histogram: Histogram<UInt64>, _ percentile: Double) -> String {
      histogram.totalCount == 0
        ? "–" : String(format: "%.1f", Double(histogram.valueAtPercentile(percentile)) / 1_000)
    }
    var lines = [
      "\(name), \(TextFormat.oneDigit(seconds)) s",
      row(["", "answered/s", "p50 ms", "p99 ms", "max ms", "503", "503 p99 ms", "other", "broken", "MB/s"]),
    ]
    for kind in MixedRequestKind.allCases {
      guard let answers = kinds[kind] else { continue }
      let wrong = answers.wrong.sorted { $0.key < $1.key }.map { "\($0.key)×\($0.value)" }.joined(separator: " ")
      lines.append(
        row([
          kind.name, String(format: "%.1f", Double(answers.fine) / max(seconds, 0.001)), ms(answers.latency, 50),
          ms(answers.latency, 99), ms(answers.latency, 100), TextFormat.grouped(answers.refused),
          ms(answers.refusal, 99),
          wrong.isEmpty ? "0" : wrong, "\(answers.broken)",
          String(format: "%.1f", Double(answers.bytes) / max(seconds, 0.001) / 1e6),
        ]))
    }
    let unsent = shed.values.reduce(0, +)
    if unsent > 0 { lines.append("Not sent because no connection was free: \(TextFormat.grouped(unsent)).") }
    if let first = memory.first, let last = memory.last, let most = memory.map(\.bytes).max() {
      let course =
        memory.count <= 13 ? memory : stride(from: 0, to: memory.count, by: memory.count / 12).map { memory[$0] }
      lines.append(
        "Server's memory: \(TextFormat.bytes(Double(first.bytes))) at the start, "
          + "at most \(TextFormat.bytes(Double(most))), "
          + "\(TextFormat.bytes(Double(last.bytes))) at the end; over time: "
          + course.map { String(format: "%.0f s %.0f MB", $0.at, Double($0.bytes) / 1e6) }.joined(separator: ", ") + "."
      )
    }
    return lines.joined(separator: "\n")
  }
}
