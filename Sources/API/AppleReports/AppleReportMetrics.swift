// SPDX-License-Identifier: Apache-2.0

import Intake
import Metrics

/// Counts the requests of Apple's extensions by outcome.
struct AppleReportMetrics: Sendable {
  /// The treatment of a report.
  enum Outcome: String, CaseIterable {
    case created, duplicate, limited, invalid
    case notANumber = "not_a_number"
    case noCategory = "no_category"
    case unknownMembers = "unknown_members"
    case refused
  }

  private let reports: [Outcome: Counter]
  private let messages: Counter

  init(_ factory: any MetricsFactory) {
    reports = Dictionary(
      uniqueKeysWithValues: Outcome.allCases.map { outcome in
        let labels = [("outcome", outcome.rawValue)]
        return (outcome, Counter(label: "ringfence_apple_reports_total", dimensions: labels, factory: factory))
      })
    messages = Counter(label: "ringfence_apple_messages_total", factory: factory)
  }

  func note(_ outcome: Outcome) { reports[outcome]?.increment() }
  func noteMessage() { messages.increment() }
}

extension AppleReportMetrics.Outcome {
  init(_ drop: AppleReport.Drop) {
    switch drop {
    case .notANumber: self = .notANumber
    case .noCategory: self = .noCategory
    }
  }
}
