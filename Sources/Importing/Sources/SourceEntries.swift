// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import Storage

/// Changes of a source's entries and their reports.
extension SourceRefresher {
  /// The stored entries, or complaints of the former file, from which on changes are limited.
  static let minCompared = 100
  /// Numbers whose report is replaced at once. Between the steps they have no report of the source.
  private static let replacements = 50
  /// The most reports of an entry on one day.
  private static let reportsOfDay = 4

  /// Withdraws reports that an interrupted refresh has stored without their entries.
  func withdrawLeft(of id: Int32, at time: Date) async throws {
    try await stores.reports.withdraw(stores.reports.reportsWithoutEntry(of: id).map(\.entry), of: id, at: time)
  }

  /// The same before a list is stored. Reports that its entries have then stay. Numbers without an entry get one first: it is
  /// removed or replaced like others, also where this refresh is interrupted.
  func withdrawLeft(of id: Int32, before content: SourceContent, at time: Date) async throws {
    var left = try await stores.reports.reportsWithoutEntry(of: id)
    guard !left.isEmpty else { return }
    let day = SourceMerge.day(of: time)
    let wanted = Dictionary(uniqueKeysWithValues: content.entries.map { ($0.number, $0.category) })
    left.removeAll {
      !$0.hasOther && SourceMerge.day(of: $0.entry.reportedAt) == day && wanted[$0.entry.number] == $0.entry.category
    }
    let new = Dictionary(left.filter { !$0.hasOther }.map { ($0.entry.number, $0.entry) }) { first, _ in first }
    let entries = new.values.map {
      SourceEntry(number: $0.number, category: $0.category, reportedAt: SourceEntry.withoutReport)
    }
    for start in stride(from: 0, to: entries.count, by: SourceStore.page) {
      try await stores.sources.store(Array(entries[start..<min(start + SourceStore.page, entries.count)]), of: id)
    }
    try await stores.reports.withdraw(left.map(\.entry), of: id, at: time)
  }

  /// Refuses a list that adds or removes too many entries: mostly a file that was cut, or an error of its owner. An entry
  /// with another category is removed and added. The first list is not limited, also where its refresh was interrupted, nor
  /// the rest of a list that another refresh had begun to store.
  /// - Parameters:
  ///   - isComplete: whether entries that the content does not have are removed.
  ///   - limitsRemovals: whether removed entries are limited too.
  ///   - digest: SHA-256 of the file.
  func compare(
    _ content: SourceContent, isComplete: Bool = true, to source: Source, limitsRemovals: Bool = true,
    digest: String? = nil
  ) async throws {
    guard digest == nil || digest != source.state.changingSHA256 else { return }
    let former = try await stores.sources.entryCount(of: source.id)
    guard former >= Self.minCompared, source.state.refreshedAt != nil else { return }
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
    guard max(added, limitsRemovals ? removed : 0) * 100 <= former * most else {
      throw SourceFailure.tooManyChanges(added: added, removed: removed, former: former, mostPercent: most)
    }
  }

  /// Changes a list's entries and their reports.
  /// - Parameters:
  ///   - renews: whether reports are replaced because of their age.
  ///   - check: called before each page of changes; an error that it throws ends the refresh.
  func store(
    _ content: SourceContent, isComplete: Bool, renews: Bool = true, of source: Source, at time: Date,
    check: () async throws -> Void = {}
  ) async throws -> Summary {
    var merge = SourceMerge(content, isComplete: isComplete, renews: renews, at: time)
    let factor = try await weightFactor(of: source)
    var summary = Summary()
    (summary.rejected, summary.patterns) = (content.rejected, content.patterns)
    var number: Int64 = 0
    while true {
      let stored = try await stores.sources.entries(of: source.id, after: number)
      try await check()
      try await apply(merge.next(stored), to: source, factor, at: time, &summary)
      guard stored.count == SourceStore.page, let last = stored.last else { break }
      number = last.number
    }
    while case let changes = merge.rest(atMost: SourceStore.page), !changes.added.isEmpty {
      try await check()
      try await apply(changes, to: source, factor, at: time, &summary)
    }
    if summary.added + summary.removed > SourceStore.page { try await stores.reports.refreshStatistics() }
    return summary
  }

  /// The factor by which the list's present weight is multiplied. Entries of a suspended source keep the weight that they
  /// had when it was suspended, which evaluations subtract.
  func weightFactor(of source: Source) async throws -> Float {
    guard source.isSuspended else { return 1 }
    let set = try await stores.thresholds.current()
    let present = set.rule(forSource: source.id).weight
    return present > 0 ? Float(set.weight(ofSource: source.id) / present) : 1
  }

  func apply(
    _ changes: SourceMerge.Changes, to source: Source, _ factor: Float, at time: Date, _ summary: inout Summary
  ) async throws {
    let replaced = Dictionary(uniqueKeysWithValues: changes.replaced.map { ($0.number, $0) })
    let new = changes.added.filter { replaced[$0.number] == nil }
    for start in stride(from: 0, to: new.count, by: SourceStore.page) {
      let batch = new[start..<min(start + SourceStore.page, new.count)]
      let accepted = try await accept(Array(batch), of: source, factor)
      try await stores.sources.store(accepted, of: source.id)
      summary.added += accepted.count
      summary.entries += accepted.count
      summary.postponed += batch.count - accepted.count
    }
    let renewed = changes.added.filter { replaced[$0.number] != nil }
    for start in stride(from: 0, to: renewed.count, by: Self.replacements) {
      let batch = renewed[start..<min(start + Self.replacements, renewed.count)]
      // Their entries stay until the new report is stored: an interrupted refresh is repeated by them.
      try await stores.reports.withdraw(batch.compactMap { replaced[$0.number] }, of: source.id, at: time)
      let accepted = try await accept(Array(batch), of: source, factor)
      try await stores.sources.store(accepted, of: source.id)
      summary.replaced += accepted.count
      summary.entries += accepted.count
      summary.postponed += batch.count - accepted.count
    }
    try await stores.sources.store(changes.moved, of: source.id)
    try await withdraw(changes.removed, of: source.id, at: time)
    summary.removed += changes.removed.count
    summary.entries += changes.kept
  }

  /// Stores the reports of entries. In place of one that was withdrawn earlier today another one is stored, some seconds
  /// later.
  /// - Returns: the entries that have a report. Those with ``reportsOfDay`` withdrawn reports
  ///   wait until tomorrow: a list that changes all the time must not fill the database.
  private func accept(_ entries: [SourceEntry], of source: Source, _ factor: Float) async throws -> [SourceEntry] {
    var (open, accepted): ([SourceEntry], [SourceEntry]) = (entries, [])
    for _ in 0..<Self.reportsOfDay where !open.isEmpty {
      let reports = open.map { entry in
        Report(
          number: entry.number, appID: source.id, reportID: entry.reportID(of: source.id), reportedAt: entry.reportedAt,
          category: entry.category, reporter: nil, weight: factor)
      }
      let outcomes = zip(open, try await stores.reports.accept(reports, receivedAt: Date()))
      accepted += outcomes.filter { $1 == .created || $1 == .duplicate }.map(\.0)
      open = outcomes.filter { $1 == .withdrawn }.map { entry, _ in
        var next = entry
        next.reportedAt += 1
        return next
      }
    }
    return accepted
  }

  func withdraw(_ entries: [SourceEntry], of id: Int32, at time: Date) async throws {
    try await stores.reports.withdraw(entries, of: id, at: time)
    try await stores.sources.forget(entries.map(\.number), of: id)
  }
}
