// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import Intake
import Storage
import Synchronization

extension SourceRefresher {
  /// Imports a file of complaints after it was read once without storing anything.
  ///
  /// Names of reporters in a file of another owner are no support: they would pass every ceiling. Comments would be shown
  /// as those of users.
  func importComplaints(
    _ path: String, _ format: ComplaintFormat, of feed: Source, at time: Date, force: Bool = false
  ) async throws -> Summary {
    var options = ImportOptions(path: path, format: format, source: feed.name, subjects: subjects)
    options.droppedBefore = try await stores.retention.reportsDroppedBefore()
    options.now = time
    let most = limits.entries
    let count = Mutex(0)
    do {
      let trial = try await ImportPipeline(options: options).run { complaints in
        let rows = count.withLock { count in
          count += complaints.count
          return count
        }
        guard rows <= most else { throw SourceFailure.tooManyEntries(maximum: most) }
        return SinkResult(inserted: 0, duplicates: complaints.count)
      }
      let rejected = trial.rejectedRows - trial.rejected[.dateBeforeRetention, default: 0]
      guard rejected * 2 <= trial.rows else {
        throw SourceFailure.tooManyRejects(rejected: rejected, rows: trial.rows)
      }
      if !force { try compare(trial.accepted, to: feed) }
      let protection = ProtectionCache(store: stores.protection)
      try await protection.refresh()
      let sink = ComplaintSink(
        store: stores.reports, source: try await stores.apps.source(named: feed.name, at: time),
        pseudonymizer: pseudonymizer, protection: protection)
      let filter = SourceFilter(feed.settings.options)
      let result = try await ImportPipeline(options: options).run { complaints in
        let taken = complaints.filter(filter.takes).map { complaint in
          var complaint = complaint
          (complaint.reporter, complaint.comment) = (nil, nil)
          return complaint
        }
        return try await sink.take(taken)
      }
      if result.inserted > SourceStore.page { try await stores.reports.refreshStatistics() }
      var summary = Summary()
      (summary.entries, summary.added, summary.rejected) = (result.accepted, result.inserted, result.rejectedRows)
      return summary
    } catch let error as ImportFileError {
      throw SourceFailure(error)
    }
  }

  /// Refuses a file of complaints that has many more rows than the one before. Older complaints may be left out of it.
  private func compare(_ rows: Int, to feed: Source) throws {
    let (former, most) = (feed.state.entries, feed.settings.mostChange)
    guard former >= Self.leastCompared, feed.state.refreshedAt != nil else { return }
    guard (rows - former) * 100 <= former * most else {
      throw SourceFailure.tooManyChanges(added: rows - former, removed: 0, former: former, mostPercent: most)
    }
  }
}

extension SourceFormat {
  /// The format of a file of complaints; nil for lists.
  var complaints: ComplaintFormat? {
    switch self {
    case .ftcCSV: .ftcCSV
    case .ftcTSV: .ftcTSV
    case .jsonLines: .jsonLines
    case .ftcRolling, .csv, .spamBlockerCSV, .spamBlockerXML, .phoneBlock, .ringfence, .saracroche: nil
    }
  }
}
