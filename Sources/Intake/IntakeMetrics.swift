// SPDX-License-Identifier: Apache-2.0

import Metrics
import Storage

/// Counts and times the commits of an intake.
struct IntakeMetrics: Sendable {
  private let batch: Recorder
  private let commit: Timer
  private let failures: Counter
  private let outcomes: [(outcome: ReportOutcome, counter: Counter)]

  /// - Parameter kind: `reports` or `identifications`.
  public init(_ factory: any MetricsFactory, kind: String) {
    let labels = [("kind", kind)]
    batch = Recorder(label: "ringfence_intake_batch_items", dimensions: labels, factory: factory)
    commit = Timer(label: "ringfence_intake_commit_duration_seconds", dimensions: labels, factory: factory)
    failures = Counter(label: "ringfence_intake_commit_failures_total", dimensions: labels, factory: factory)
    let names: [(ReportOutcome, String)] = [
      (.created, "created"), (.duplicate, "duplicate"), (.conflict, "conflict"), (.withdrawn, "withdrawn"),
    ]
    outcomes =
      kind != "reports"
      ? []
      : names.map { outcome, name in
        (outcome, Counter(label: "ringfence_intake_reports_total", dimensions: [("outcome", name)], factory: factory))
      }
  }

  func measuring<Outcome>(_ count: Int, _ commit: () async throws -> [Outcome]) async throws -> [Outcome] {
    let began = ContinuousClock.now
    do {
      let answers = try await commit()
      batch.record(count)
      self.commit.record(duration: ContinuousClock.now - began)
      return answers
    } catch {
      failures.increment()
      throw error
    }
  }

  func noteStall() { failures.increment() }

  func note(_ answers: [ReportOutcome]) {
    for (outcome, counter) in outcomes {
      let count = answers.count { $0 == outcome }
      if count > 0 { counter.increment(by: count) }
    }
  }
}
