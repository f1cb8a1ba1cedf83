// SPDX-License-Identifier: Apache-2.0

import Metrics

/// Counts the answers of PhoneBlock's lookups by outcome, and its block lists by format.
struct PhoneBlockMetrics: Sendable {
  /// The outcome of a lookup.
  enum Outcome: String, CaseIterable {
    case listed, range, allowed, unlisted
  }

  /// The form of a block list.
  enum List: String, CaseIterable {
    case full, changes, hottest, binary, personal
  }

  private let lookups: [Outcome: Counter]
  private let lists: [List: Counter]

  init(_ factory: any MetricsFactory) {
    lookups = Dictionary(
      uniqueKeysWithValues: Outcome.allCases.map { outcome in
        let labels = [("outcome", outcome.rawValue)]
        return (
          outcome, Counter(label: "ringfence_phoneblock_lookups_total", dimensions: labels, factory: factory)
        )
      })
    lists = Dictionary(
      uniqueKeysWithValues: List.allCases.map { list in
        let labels = [("list", list.rawValue)]
        return (list, Counter(label: "ringfence_phoneblock_lists_total", dimensions: labels, factory: factory))
      })
  }

  func note(_ outcome: Outcome) { lookups[outcome]?.increment() }

  func note(_ list: List) { lists[list]?.increment() }

  func note(_ info: PhoneInfo) {
    note(info.whiteListed ? .allowed : info.votes > 0 ? .listed : info.votesWildcard > 0 ? .range : .unlisted)
  }
}
