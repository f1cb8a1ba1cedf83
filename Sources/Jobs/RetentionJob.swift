// SPDX-License-Identifier: Apache-2.0

import Curation
import ServerSupport
package import Foundation
import Intake
package import Logging
import PostgreSQL
package import Storage

/// Deletes data after its retention period, every hour.
package struct RetentionJob: Sendable {
  /// Retention periods that the operator sets; ``RetainedData`` has the others.
  package struct Limits: Sendable, Equatable {
    /// Days of comments; nil keeps them as long as the report.
    package var comments: Int?
    /// Months of reports; nil keeps all. Fewer than ``minReportMonths`` would let a retry count twice.
    package var reportMonths: Int?

    /// The minimum count of months: a report may be a year old when it is sent, and the month in which that year begins
    /// is kept too.
    package static let minReportMonths = RetentionStore.minMonths

    package init(comments: Int? = nil, reportMonths: Int? = nil) {
      precondition((reportMonths ?? Self.minReportMonths) >= Self.minReportMonths && (comments ?? 1) >= 1)
      (self.comments, self.reportMonths) = (comments, reportMonths)
    }
  }

  private let store: RetentionStore
  private let limits: Limits
  private let logger: Logger
  private let now: @Sendable () -> Date
  private let sleep: @Sendable (Duration) async throws -> Void

  /// - Parameters:
  ///   - now: the current time, from which ages are counted.
  ///   - sleep: waits, and throws when the task is canceled.
  package init(
    store: RetentionStore, limits: Limits = Limits(), logger: Logger,
    now: @escaping @Sendable () -> Date = { Date() },
    sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
  ) {
    // Longer than the greatest age of a call, or a retry would count twice.
    precondition(
      RetainedData.identificationBatches.days ?? 0
        > IdentificationSubmission.maxAgeInDays + IdentificationSubmission.leewayInDays + 1)
    precondition(RetainedData.remediationMarks.days ?? 0 > Int(RemediationLimits.maxAgeInDays) + 1)
    self.store = store
    self.limits = limits
    self.logger = logger
    self.now = now
    self.sleep = sleep
  }

  /// Runs rounds until the task is canceled.
  package func run() async {
    await repeatedly(every: .seconds(3_600), "Cannot delete old data", logger: logger, sleep: sleep) {
      try await runOnce()
    }
  }

  /// - Throws: the database's error.
  package func runOnce() async throws {
    let time = now()
    let before = { (days: Int) in time.addingTimeInterval(-Double(days) * 86_400) }
    func limit(_ kind: RetainedData) -> Date { kind.limit(at: time) }
    // A mail with an answer has the contact.
    try await store.purgeMessages(before: time - RetainedData.contactsKept)
    try await store.addListingHashes()
    // A little more than a round, so that no erasure is between two.
    try await store.vacuumErased(since: time.addingTimeInterval(-4_000))
    var comments = 0
    if let days = limits.comments { comments = try await store.purgeComments(before: before(days), at: time) }
    let deleted: KeyValuePairs<RetainedData, Int> = [
      .networks: try await store.purgeNetworks(before: limit(.networks)), .comments: comments,
      .identificationBatches: try await store.purgeIdentificationBatches(before: limit(.identificationBatches)),
      .remediationMarks: try await store.purgeRemediationMarks(before: limit(.remediationMarks)),
      .remediationSums: try await store.purgeRemediationSums(before: limit(.remediationSums)),
      .personalNumbers: try await store.purgePersonalNumbers(endedBefore: time),
      .installations: try await store.purgeInstallations(before: limit(.installations), ended: before(1)),
      .attestations: try await store.purgeAttestations(renewedBefore: limit(.attestations)),
      .ownerProofs: try await store.purgeOwnerProofs(before: limit(.ownerProofs)),
      .statements: try await store.purgeStatements(before: limit(.statements)),
      .unassigned: try await store.purgeUnassigned(before: limit(.unassigned)),
      .deletions: try await store.purgeDeletions(before: limit(.deletions)),
    ]
    for (kind, rows) in deleted { try await store.record(kind, rows, at: time) }
    // Months count as 31 days, so that nothing is dropped too early.
    if let months = limits.reportMonths {
      let dropped = try await dropReports(before: before(months * 31), at: time)
      if dropped > 0 { logger.notice("Deleted old reports", metadata: ["months": .stringConvertible(dropped)]) }
      try await store.record(.reportMonths, dropped, at: time)
    }
    guard deleted.contains(where: { $0.value > 0 }) else { return }
    let rows = deleted.map { ($0.key.rawValue, Logger.MetadataValue.string("\($0.value)")) }
    logger.info("Deleted old data", metadata: Dictionary(uniqueKeysWithValues: rows))
  }

  /// Drops months. While the table is in use (SQLSTATE 55P03), such as at the start of a server, tries again each minute.
  private func dropReports(before cut: Date, at time: Date, attempts: Int = 10) async throws -> Int {
    do {
      return try await store.dropReports(before: cut, at: time)
    } catch let error as PostgresError where error.sqlState == "55P03" && attempts > 1 {
      try await sleep(.seconds(60))
      return try await dropReports(before: cut, at: time, attempts: attempts - 1)
    }
  }
}
