// SPDX-License-Identifier: Apache-2.0

import Foundation
import RingfenceCommand

extension IntakeBenchmarkReport {
  /// A table, followed by notes on the server, PostgreSQL and the machine.
  var table: String {
    let name = "ringfence, \(connections) connections, \(batch) a request"
    let width = ([name] + peers.map(\.name)).map(\.count).max() ?? 0
    func row(_ cells: [String]) -> String {
      cells[0].padding(toLength: width, withPad: " ", startingAt: 0)
        + cells.dropFirst().map { String(repeating: " ", count: max(1, 14 - $0.count)) + $0 }.joined()
    }
    func ms(_ value: Double?) -> String { value.map { String(format: "%.2f", $0) } ?? "–" }
    func rate(_ value: Double) -> String { TextFormat.grouped(Int(value.rounded())) }
    var lines = [row(["", "reports/s", "p50 ms", "p95 ms", "p99 ms", "average ms", "ringfence is"])]
    lines.append(row([name, rate(server.rate), ms(server.p50), ms(server.p95), ms(server.p99), "–", "–"]))
    for peer in peers {
      lines.append(
        row([
          peer.name, rate(peer.rate), "–", "–", "–", ms(peer.averageLatency),
          String(format: "%.2f ×", server.rate / peer.rate),
        ]))
    }
    return (lines + [""] + notes).joined(separator: "\n")
  }

  private var notes: [String] {
    let statuses = Self.statuses(
      Dictionary(uniqueKeysWithValues: server.statuses.compactMap { key, value in Int(key).map { ($0, value) } }))
    var lines = [
      "Acknowledged: \(TextFormat.grouped(server.accepted)) reports in \(TextFormat.oneDigit(server.seconds)) s; "
        + "answers: \(statuses); broken connections: \(server.broken)."
    ]
    if let postgres {
      lines.append(
        "PostgreSQL \(postgres.version): fsync \(postgres.fsync), synchronous_commit \(postgres.synchronousCommit), "
          + "full_page_writes \(postgres.fullPageWrites); "
          + (checkpoints ? "a CHECKPOINT before each." : "no CHECKPOINT: the role may not."))
    }
    if let memoryBefore, let memoryAfter {
      lines.append(
        "Server's memory: \(TextFormat.bytes(Double(memoryBefore.resident))) before, "
          + "\(TextFormat.bytes(Double(memoryAfter.resident))) after, "
          + "at most \(TextFormat.bytes(Double(memoryAfter.peak)))."
      )
    }
    let cores = ProcessInfo.processInfo.activeProcessorCount
    lines.append(
      String(format: "Load of the machine, %d cores: %.1f at the start", cores, loadBefore)
        + (loadAfter.map { String(format: ", %.1f at the end", $0) } ?? "") + ".")
    lines.append("Made by: \(command)")
    return lines
  }
}
