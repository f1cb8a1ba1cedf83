import Foundation
public import Metrics
public import Storage

/// Takes counts of identified and unknown calls from apps, and answers when they are on disk.
public struct IdentificationIntake: Sendable {
  private let commits: GroupCommit<IdentificationBatch, IdentificationOutcome>

  /// - Parameters:
  ///   - store: where the counts go.
  ///   - capacity: the most submissions that wait for a commit; at 32 KB for each of 1,000 items the default takes
  ///     8 MB at most.
  ///   - batchSize: the most submissions in one transaction.
  ///   - metrics: makes what it is measured with.
  public init(
    store: IdentificationStore, capacity: Int = 256, batchSize: Int = 16,
    metrics factory: any MetricsFactory = NOOPMetricsHandler.instance
  ) {
    let metrics = IntakeMetrics(factory, kind: "identifications")
    commits = GroupCommit(
      capacity: capacity, batchSize: batchSize,
      isolates: { StoreFailure($0) == .perhapsOneItem },
      commit: { batches in
        try await metrics.measuring(batches.count) { try await store.accept(batches, receivedAt: Date()) }
      })
  }

  /// Checks a submission, counts it, and answers when it is committed.
  /// - Throws: ``InvalidSubmission``; ``IntakeError``, with nothing taken; or what the database said.
  public func take(_ submission: IdentificationSubmission, from app: App) async throws -> IdentificationOutcome {
    try await commits.submit([try submission.batch(appID: app.id, at: Date())])[0]
  }

  /// Submissions that wait for their commit to begin.
  public var depth: Int { commits.depth }

  /// The most submissions that wait.
  public var capacity: Int { commits.capacity }

  /// Commits until ``close()``; run it in one task for as long as the server lives.
  public func run() async { await commits.run() }

  /// Refuses new submissions; what was taken is committed and answered, and then ``run()`` returns.
  public func close() { commits.close() }
}
