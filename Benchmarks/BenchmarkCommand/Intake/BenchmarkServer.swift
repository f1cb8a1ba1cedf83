// SPDX-License-Identifier: Apache-2.0

import Histogram

/// The rate and latency of the server under load.
struct BenchmarkServer: Encodable {
  let accepted: Int
  let requests: Int
  let statuses: [String: Int]
  let broken: Int
  let seconds: Double
  /// Reports acknowledged per second.
  let rate: Double
  /// Milliseconds.
  let p50: Double
  let p95: Double
  let p99: Double
  let slowest: Double

  enum CodingKeys: String, CodingKey {
    case accepted, requests, statuses, broken, seconds
    case rate = "reports_per_second"
    case p50 = "p50_ms"
    case p95 = "p95_ms"
    case p99 = "p99_ms"
    case slowest = "max_ms"
  }

  init(_ result: LoadResult) {
    func milliseconds(_ percentile: Double) -> Double {
      Double(result.latency.valueAtPercentile(percentile)) / 1_000
    }
    accepted = result.accepted
    requests = result.requests
    statuses = Dictionary(uniqueKeysWithValues: result.statuses.map { (String($0), $1) })
    broken = result.broken
    seconds = result.seconds
    rate = Double(result.accepted) / result.seconds
    p50 = milliseconds(50)
    p95 = milliseconds(95)
    p99 = milliseconds(99)
    slowest = milliseconds(100)
  }
}
