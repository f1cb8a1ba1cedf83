// SPDX-License-Identifier: Apache-2.0

import Metrics

/// Counts the lookups of telephone systems by verdict.
struct TelephoneSystemMetrics: Sendable {
  private let lookups: [CallerVerdict.Verdict: Counter]

  init(_ factory: any MetricsFactory) {
    lookups = Dictionary(
      uniqueKeysWithValues: CallerVerdict.Verdict.allCases.map { verdict in
        let labels = [("verdict", verdict.rawValue)]
        return (verdict, Counter(label: "ringfence_telephone_lookups_total", dimensions: labels, factory: factory))
      })
  }

  func note(_ verdict: CallerVerdict.Verdict) { lookups[verdict]?.increment() }
}
