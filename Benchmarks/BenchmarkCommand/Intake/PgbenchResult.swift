// SPDX-License-Identifier: Apache-2.0

/// The summary that pgbench prints at its end.
struct PgbenchResult: Equatable, Sendable {
  let transactions: Int
  let failed: Int
  /// Transactions per second, without the time to connect.
  let rate: Double
  /// Milliseconds.
  let averageLatency: Double

  /// Nil when a value is missing from the text, as after a failure of pgbench.
  init?(output: String) {
    func value(behind name: String) -> Substring? {
      output.split(separator: "\n").first { $0.hasPrefix(name) }
        .map { $0.dropFirst(name.count).drop { $0 == " " }.prefix { $0.isNumber || $0 == "." } }
    }
    guard let transactions = value(behind: "number of transactions actually processed:").flatMap({ Int($0) }),
      let rate = value(behind: "tps =").flatMap({ Double($0) }),
      let latency = value(behind: "latency average =").flatMap({ Double($0) })
    else { return nil }
    self.transactions = transactions
    // Versions before 15 do not print it.
    failed = value(behind: "number of failed transactions:").flatMap { Int($0) } ?? 0
    self.rate = rate
    averageLatency = latency
  }
}
