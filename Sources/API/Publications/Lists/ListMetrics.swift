// SPDX-License-Identifier: Apache-2.0

import Metrics
import PackFormats

/// Counts the requests of lists by format.
struct ListMetrics: Sendable {
  private let requests: [ListFormat: Counter]

  init(_ factory: any MetricsFactory) {
    requests = Dictionary(
      uniqueKeysWithValues: ListFormat.allCases.map { format in
        let labels = [("format", format.rawValue)]
        return (format, Counter(label: "ringfence_lists_requests_total", dimensions: labels, factory: factory))
      })
  }

  func note(_ format: ListFormat) { requests[format]?.increment() }
}
