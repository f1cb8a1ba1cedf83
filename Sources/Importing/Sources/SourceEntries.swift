// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import Storage

/// Changes of a source's entries and their reports.
extension SourceRefresher {
  /// Refuses a list that adds or removes too many entries. An entry with another category is removed and added. The first
  /// list is not limited, even if its refresh was interrupted, nor the rest of a list that another refresh had begun to
  /// store.
  /// - Parameters:
  ///   - isComplete: whether entries that the content does not have are removed.
  ///   - digest: SHA-256 of the file.
  func compare(
    _ content: SourceContent, isComplete: Bool = true, to source: Source, digest: String? = nil
  ) async throws {
    guard digest == nil || digest != source.state.changingSHA256 else { return }
    if isComplete, source.state.refreshedAt != nil {
      let before = Set(try await stores.ranges.rules(of: source.id).map(\.range.text))
      let kept = content.ranges.count { before.contains($0.range.text) }
      let (added, removed) = (content.ranges.count - kept, before.count - kept)
      guard ChangeLimit.allows(max(added, removed), of: before.count, percent: source.settings.maxChange) else {
        throw SourceFailure.tooManyChanges(
          added: added, removed: removed, former: before.count, mostPercent: source.settings.maxChange)
      }
    }
    let former = try await stores.sources.entryCount(of: source.id)
    guard ChangeLimit.isLimited(former: former), source.state.refreshedAt != nil else { return }
    var (kept, changed, withdrawn, number) = (0, 0, 0, Int64(0))
    var (place, removal) = (content.entries.startIndex, content.removals.startIndex)
    while case let stored = try await stores.sources.entries(of: source.id, after: number), let last = stored.last {
      for entry in stored {
        while place < content.entries.endIndex, content.entries[place].number < entry.number { place += 1 }
        while removal < content.removals.endIndex, content.removals[removal] < entry.number { removal += 1 }
        if place < content.entries.endIndex, content.entries[place].number == entry.number {
          if content.entries[place].category == entry.category { kept += 1 } else { changed += 1 }
        } else if removal < content.removals.endIndex, content.removals[removal] == entry.number {
          withdrawn += 1
        }
      }
      number = last.number
    }
    let (added, most) = (content.entries.count - kept, source.settings.maxChange)
    let removed = isComplete ? former - kept : changed + withdrawn
    guard ChangeLimit.allows(max(added, removed), of: former, percent: most) else {
      throw SourceFailure.tooManyChanges(added: added, removed: removed, former: former, mostPercent: most)
    }
  }

  /// Changes a list's entries and their reports.
  /// - Parameter check: called before each page of changes; an error that it throws ends the refresh.
  func store(
    _ content: SourceContent, isComplete: Bool, of source: Source, at time: Date, check: () async throws -> Void = {}
  ) async throws -> Summary {
    let weight = try await stores.thresholds.current().weight(ofSource: source.id)
    var merge = SourceMerge(content, isComplete: isComplete, weight: Float(weight), at: time)
    var summary = Summary()
    (summary.rejected, summary.isComplete) = (content.rejected, isComplete)
    var number: Int64 = 0
    while true {
      let stored = try await stores.sources.entries(of: source.id, after: number)
      try await check()
      try await apply(merge.next(stored), to: source, at: time, &summary)
      guard stored.count == SourceStore.page, let last = stored.last else { break }
      number = last.number
    }
    while case let changes = merge.rest(atMost: SourceStore.page), !changes.entries.isEmpty {
      try await check()
      try await apply(changes, to: source, at: time, &summary)
    }
    if isComplete {
      let rules = try await stores.ranges.replace(
        of: source.id, named: source.name, ceiling: source.settings.ceiling, with: content.ranges, at: time)
      (summary.ranges, summary.proposedRanges) = (rules.count, rules.count { $0.state == .proposed })
    }
    if summary.added + summary.removed > SourceStore.page { try await stores.reports.refreshStatistics() }
    return summary
  }

  private func apply(
    _ changes: SourceMerge.Changes, to source: Source, at time: Date, _ summary: inout Summary
  ) async throws {
    try await stores.reports.change(changes.entries, of: source.id, at: time)
    let changed = changes.entries.filter(\.changesReports)
    let removed = changed.count { $0.new == nil }
    let added = changed.count { $0.old == nil }
    summary.added += added
    summary.removed += removed
    summary.replaced += changed.count - added - removed
    summary.entries += changes.kept + changed.count - removed
    try await stores.sources.note(progress: summary.entries, of: source)
  }

  /// Deletes entries with their reports, in ascending order of numbers.
  func withdraw(_ entries: [SourceEntry], of id: Int32, at time: Date) async throws {
    try await stores.reports.change(entries.map { SourceEntryChange(old: $0, new: nil) }, of: id, at: time)
  }
}
