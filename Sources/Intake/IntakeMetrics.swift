import Storage
public import Telemetry

/// What is measured of an intake.
public struct IntakeMetrics: Sendable {
  private let registry: MetricsRegistry
  private let batch: Histogram
  private let commit: Histogram
  private let failures: Counter
  private let outcomes: [(outcome: ReportOutcome, counter: Counter)]

  /// - Parameters:
  ///   - kind: `reports` or `identifications`.
  public init(_ registry: MetricsRegistry, kind: String) {
    self.registry = registry
    let label = Label("kind", kind)
    batch = registry.histogram(
      "ringfence_intake_batch_items", "What was committed at once.", Histogram.items, label)
    commit = registry.histogram(
      "ringfence_intake_commit_duration_seconds", "How long a batch took until it was on disk.", Histogram.seconds,
      label)
    failures = registry.counter(
      "ringfence_intake_commit_failures_total", "Batches that were not committed after all tries.", label)
    let names: [(ReportOutcome, String)] = [
      (.created, "created"), (.duplicate, "duplicate"), (.conflict, "conflict"), (.withdrawn, "withdrawn"),
    ]
    outcomes =
      kind != "reports"
      ? []
      : names.map { outcome, name in
        (
          outcome,
          registry.counter(
            "ringfence_intake_reports_total", "Reports that were answered, by what became of them.",
            Label("outcome", name))
        )
      }
  }

  /// Measures the commit of a batch.
  func measuring<Outcome>(_ count: Int, _ commit: () async throws -> [Outcome]) async throws -> [Outcome] {
    let began = ContinuousClock.now
    do {
      let answers = try await commit()
      batch.note(Double(count))
      self.commit.note(ContinuousClock.now - began)
      return answers
    } catch {
      failures.add()
      throw error
    }
  }

  func note(_ answers: [ReportOutcome]) {
    for (outcome, counter) in outcomes {
      let count = answers.count { $0 == outcome }
      if count > 0 { counter.add(count) }
    }
  }

  /// A report that breaks rules, counted under the first. Rules' names are ours, so they are few.
  func note(_ rejected: InvalidSubmission) {
    guard let problem = rejected.problems.first else { return }
    registry.counter(
      "ringfence_intake_rejects_total", "Reports that broke a rule, by the first rule they broke.",
      Label("reason", problem.code)
    ).add()
  }
}
