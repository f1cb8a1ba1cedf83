// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
public import Intake
public import Storage

/// Stores the complaints of an import.
public struct ComplaintSink: Sendable {
  private let store: ReportStore
  private let source: App
  private let pseudonymizer: Pseudonymizer
  private let protection: ProtectionCache

  /// - Parameters:
  ///   - source: the app under which the rows are stored.
  ///   - protection: protected numbers, whose rows have the weight 0; refreshed.
  public init(store: ReportStore, source: App, pseudonymizer: Pseudonymizer, protection: ProtectionCache = .none) {
    self.store = store
    self.source = source
    self.pseudonymizer = pseudonymizer
    self.protection = protection
  }

  /// Stores a batch. Rows without a reporter do not count as reporters.
  ///
  /// A file contains no networks. The operator who imports a file with reporters vouches for them, so each reporter
  /// counts as one network too; otherwise none of their numbers could reach a threshold that requires two.
  /// - Throws: the database's error; the batch is then not stored.
  public func take(_ complaints: [ParsedComplaint]) async throws -> SinkResult {
    let reports = complaints.map { complaint in
      let reporter = complaint.reporter.map { pseudonymizer.pseudonym(of: $0, appID: source.id) }
      return Report(
        number: complaint.number, appID: source.id, reportID: complaint.reportID, reportedAt: complaint.reportedAt,
        category: complaint.category,
        reporter: reporter, comment: complaint.comment, network: reporter.map { Array($0.prefix(8)) })
    }
    let outcomes = try await store.accept(protection.unweighing(reports), receivedAt: Date())
    let inserted = outcomes.count { $0 == .created }
    return SinkResult(inserted: inserted, duplicates: outcomes.count - inserted)
  }
}
