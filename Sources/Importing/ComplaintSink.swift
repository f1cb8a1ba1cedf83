import Curation
import Foundation
public import Intake
public import Storage

/// Stores what an import has parsed.
public struct ComplaintSink: Sendable {
  private let store: ReportStore
  private let source: App
  private let pseudonymizer: Pseudonymizer
  private let protection: ProtectionCache

  /// - Parameters:
  ///   - source: the app that the rows are counted under.
  ///   - protection: what rows weigh nothing about; refreshed.
  public init(store: ReportStore, source: App, pseudonymizer: Pseudonymizer, protection: ProtectionCache = .none) {
    self.store = store
    self.source = source
    self.pseudonymizer = pseudonymizer
    self.protection = protection
  }

  /// Stores a batch. Rows without a reporter never pass for distinct ones.
  ///
  /// A file says nothing of networks. Whoever loads one that names its reporters vouches for them, so each of them stands
  /// for a network too; else none of their numbers could reach a threshold that asks for two.
  /// - Throws: what the database said; the batch is then not stored.
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
