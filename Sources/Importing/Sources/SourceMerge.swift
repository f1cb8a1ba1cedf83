// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import Intake
import Storage
import Synchronization

/// The changes of a source's stored entries by a list, page by page in ascending order of numbers.
///
/// An entry that the list contains has the day of the refresh: its evidence decays only after the list no longer contains it
/// or can no longer be read.
struct SourceMerge {
  struct Changes: Equatable {
    /// In ascending order of numbers.
    var entries: [SourceEntryChange] = []
    /// Stored entries whose reports stay as they are.
    var kept = 0
  }

  private let content: SourceContent
  private let isComplete: Bool
  private let weight: Float
  private let day: Date
  private var position = 0
  private var removal = 0

  /// - Parameters:
  ///   - isComplete: whether numbers that the content does not have are removed.
  ///   - weight: the weight of a report.
  ///   - time: the time of the download.
  init(_ content: SourceContent, isComplete: Bool, weight: Float, at time: Date) {
    self.content = content
    self.isComplete = isComplete
    self.weight = weight
    day = ComplaintDays.beginning(of: time)
  }

  /// The changes up to the last of these entries.
  /// - Parameter stored: the next stored entries.
  mutating func next(_ stored: [SourceEntry]) -> Changes {
    var changes = Changes()
    for entry in stored {
      while position < content.entries.count, content.entries[position].number < entry.number { add(&changes) }
      compare(entry, &changes)
    }
    return changes
  }

  /// Further numbers of the list, after all stored entries.
  /// - Parameter most: the most entries of the result; none at the end.
  mutating func rest(atMost most: Int) -> Changes {
    var changes = Changes()
    while changes.entries.count < most, position < content.entries.count { add(&changes) }
    return changes
  }

  private mutating func add(_ changes: inout Changes) {
    changes.entries.append(SourceEntryChange(old: nil, new: entry(content.entries[position])))
    position += 1
  }

  private func entry(_ found: SourceContent.Entry) -> SourceEntry {
    SourceEntry(
      number: found.number, category: found.category, reportedAt: day, weight: weight, complaints: found.complaints,
      origins: found.origins, hops: found.hops)
  }

  private mutating func compare(_ entry: SourceEntry, _ changes: inout Changes) {
    while removal < content.removals.count, content.removals[removal] < entry.number { removal += 1 }
    var new: SourceEntry?
    if position < content.entries.count, content.entries[position].number == entry.number {
      new = self.entry(content.entries[position])
      position += 1
    } else if !isComplete, entry.complaints > 0,
      removal == content.removals.count || content.removals[removal] != entry.number
    {
      var same = entry
      (same.reportedAt, same.weight) = (day, weight)
      new = same
    }
    guard new != entry else {
      changes.kept += 1
      return
    }
    changes.entries.append(SourceEntryChange(old: entry, new: new))
    if changes.entries.last?.changesReports == false { changes.kept += 1 }
  }
}

extension SourceRefresher {
  /// Imports a file of complaints after it was read once without storing anything.
  ///
  /// Names of reporters in a file of another owner are no support: they would pass every ceiling. Comments would be shown
  /// as users' reports.
  func importComplaints(
    _ path: String, _ format: ComplaintFormat, of feed: Source, at time: Date, force: Bool = false
  ) async throws -> Summary {
    var options = ImportOptions(path: path, format: format, source: feed.name, subjects: subjects)
    try await options.readRefusals(of: stores)
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
      try trial.rejects.check(except: trial.rowsBeforeRetention)
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
      (summary.entries, summary.added, summary.rejected) = (result.accepted, result.inserted, result.rejects)
      return summary
    } catch let error as ImportFileError {
      throw SourceFailure(error)
    }
  }

  /// Refuses a file of complaints that has many more rows than the one before. Older complaints may be left out of it.
  private func compare(_ rows: Int, to feed: Source) throws {
    let (former, most) = (feed.state.entries, feed.settings.maxChange)
    guard feed.state.refreshedAt != nil else { return }
    guard ChangeLimit.allows(rows - former, of: former, percent: most) else {
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
    case .ftcRolling, .csv, .spamBlockerCSV, .spamBlockerXML, .phoneBlock, .ringfence, .saracroche, .vCard,
      .protectedList,
      .mispWarningList:
      nil
    }
  }
}
