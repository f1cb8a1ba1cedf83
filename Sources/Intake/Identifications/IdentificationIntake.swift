// SPDX-License-Identifier: Apache-2.0

import Foundation
public import Metrics
public import Storage

/// Accepts counts of identified and unknown calls from apps, and answers when they are on disk.
public struct IdentificationIntake: Sendable {
  private let commits: GroupCommit<IdentificationBatch, IdentificationOutcome>

  /// - Parameters:
  ///   - store: the store of the counts.
  ///   - capacity: the most submissions waiting for a commit; at 32 KB for each of 1,000 items the default takes 8 MB
  ///     at most.
  ///   - batchSize: the most submissions in one transaction.
  ///   - patience: the longest expected wait; see ``GroupCommit``.
  ///   - stallLimit: how long a transaction may take; see ``GroupCommit``.
  ///   - metrics: creates the metrics.
  public init(
    store: IdentificationStore, capacity: Int = 256, batchSize: Int = 16,
    patience: Duration = .seconds(5), stallLimit: Duration = .seconds(10),
    metrics factory: any MetricsFactory = NOOPMetricsHandler.instance
  ) {
    let metrics = IntakeMetrics(factory, kind: "identifications")
    commits = GroupCommit(
      capacity: capacity, batchSize: batchSize, patience: patience, stallLimit: stallLimit,
      isolates: { StoreFailure($0) == .perhapsOneItem },
      commit: { batches in
        try await metrics.measuring(batches.count) { try await store.accept(batches, receivedAt: Date()) }
      })
  }

  /// Checks a submission, counts it, and answers when it is committed.
  /// - Throws: ``InvalidSubmission``; ``IntakeError``, with nothing accepted; or the database's error.
  public func take(_ submission: IdentificationSubmission, from app: App) async throws -> IdentificationOutcome {
    try await commits.submit([try submission.batch(appID: app.id, at: Date())])[0]
  }

  /// Number of submissions whose commit has not started.
  public var depth: Int { commits.depth }

  /// The most waiting submissions.
  public var capacity: Int { commits.capacity }

  /// Commits until ``close()``; run it in one task for the lifetime of the server.
  public func run() async { await commits.run() }

  /// Refuses new submissions; accepted ones are committed and answered, and then ``run()`` returns.
  public func close() { commits.close() }
}
