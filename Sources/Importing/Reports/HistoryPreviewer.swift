// SPDX-License-Identifier: Apache-2.0

public import Curation
public import Foundation
public import Intake
public import PostgreSQL
public import Storage
import Synchronization

/// Evaluates an app's own reports of earlier days as if they were stored with the scope `history`. Nothing is stored.
public struct HistoryPreviewer: Sendable {
  /// Numbers whose records are read at once.
  private static let page = 2_000

  private let stores: Stores
  private let pseudonymizer: Pseudonymizer
  private let state: @Sendable (Date, PostgresConnection) async throws -> CurationState

  /// - Parameter state: decisions, and the holds that a review of the connection's numbers would find.
  public init(
    stores: Stores, pseudonymizer: Pseudonymizer,
    state: @escaping @Sendable (Date, PostgresConnection) async throws -> CurationState
  ) {
    (self.stores, self.pseudonymizer, self.state) = (stores, pseudonymizer, state)
  }

  /// - Parameter path: a file whose lines are reports of `POST /v1/reports`.
  /// - Returns: the changes of a publication, and the reports: how many are new, and how many are stored already.
  /// - Throws: ``ImportFileError``, ``StorageError/noRehearsal``, the database's error.
  public func preview(
    _ path: String, of app: App, at time: Date
  ) async throws -> (changes: SourcePreview, reports: SinkResult) {
    var options = ImportOptions(path: path, format: .jsonLines, source: app.name)
    options.droppedBefore = try await stores.retention.reportsDroppedBefore()
    options.now = time
    let protection = ProtectionCache(store: stores.protection)
    try await protection.refresh()
    let sink = ComplaintSink(store: stores.reports, source: app, pseudonymizer: pseudonymizer, protection: protection)
    let found = Mutex((numbers: Set<Int64>(), refused: RejectedRows()))
    return try await stores.reports.rehearse { [options] rehearsal in
      try await ImportPipeline(options: options).run { complaints in
        // As the API does.
        let taken = complaints.filter { complaint in
          let isTooOld = complaint.reportedAt < time - ReportSubmission.maxAge
          guard isTooOld || complaint.reporter == nil else { return !complaint.isUnassigned }
          let reason = isTooOld ? "too_old" : "no_reporter"
          found.withLock { $0.refused.add(row: complaint.line, reason: reason, text: "+\(complaint.number)") }
          return false
        }
        var reports = sink.reports(of: taken)
        for index in reports.indices { reports[index].countOnOwnDay(at: time) }
        guard !reports.isEmpty else { return SinkResult(inserted: 0, duplicates: 0) }
        let known = try await rehearsal.accept(reports, receivedAt: time)
        found.withLock { $0.numbers.formUnion(reports.map(\.number)) }
        return SinkResult(inserted: reports.count - known, duplicates: known)
      }
    } reading: { summary, connection in
      let (numbers, refused) = found.withLock { ($0.numbers.sorted(), $0.refused) }
      let thresholds = try await ThresholdStore.current(on: connection).set
      var evaluation = SourceEvaluation(
        list: app.id, present: thresholds, change: thresholds, state: try await state(time, connection), time: time)
      (evaluation.preview.entries, evaluation.preview.rejected) = (numbers.count, summary.rejects)
      evaluation.preview.rejected.add(changes: refused)
      for start in stride(from: 0, to: numbers.count, by: Self.page) {
        let page = Array(numbers[start..<min(start + Self.page, numbers.count)])
        for record in try await NumberRecordStore.records(of: page, on: connection) { evaluation.take(record) }
      }
      return (evaluation.preview, SinkResult(inserted: summary.inserted, duplicates: summary.duplicates))
    }
  }
}
