// SPDX-License-Identifier: Apache-2.0

/// The rate of PostgreSQL without the server.
struct BenchmarkPeer: Encodable {
  let name: String
  /// Rows per second.
  let rate: Double
  let transactions: Int
  let failed: Int
  /// Milliseconds; nil for a single transaction.
  let averageLatency: Double?

  enum CodingKeys: String, CodingKey {
    case name, transactions, failed
    case rate = "rows_per_second"
    case averageLatency = "average_ms"
  }
}

extension BenchmarkPeer {
  init(name: String, result: PgbenchResult) {
    self.init(
      name: name, rate: result.rate, transactions: result.transactions, failed: result.failed,
      averageLatency: result.averageLatency)
  }
}
