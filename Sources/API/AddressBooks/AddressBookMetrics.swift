// SPDX-License-Identifier: Apache-2.0

import Metrics

/// Counts the requests of address books by kind.
struct AddressBookMetrics: Sendable {
  /// The kind of a request.
  enum Kind: String, CaseIterable {
    /// PROPFIND.
    case properties
    /// A report with cards.
    case cards
    /// A report with the changes since a state.
    case changes
    /// GET of one card.
    case card
  }

  private let requests: [Kind: Counter]

  init(_ factory: any MetricsFactory) {
    requests = Dictionary(
      uniqueKeysWithValues: Kind.allCases.map { kind in
        let labels = [("request", kind.rawValue)]
        return (kind, Counter(label: "ringfence_address_book_requests_total", dimensions: labels, factory: factory))
      })
  }

  func note(_ kind: Kind) { requests[kind]?.increment() }
}
