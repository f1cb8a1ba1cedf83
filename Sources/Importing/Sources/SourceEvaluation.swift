// SPDX-License-Identifier: Apache-2.0

public import Curation
import Foundation
import PhoneNumbers
import Storage

/// The changes that a source would cause in a publication made now. Nothing is stored.
public struct SourcePreview: Sendable, Equatable, Encodable {
  /// Numbers of the list.
  public var entries = 0
  public var rejected = RejectedRows()
  /// Rules for ranges; the counts of numbers are without them.
  public var ranges = 0
  /// Numbers that would be listed to block, and are not now.
  public var block = 0
  /// Numbers that would be listed to identify, and are not now.
  public var identify = 0
  public var review = 0
  /// Numbers of the list that are listed already, and would stay so.
  public var listed = 0
  /// Numbers that are listed now, and would not be.
  public var lost = 0
  public var protected = 0
  public var decided = 0
  /// Numbers of the list that a rule against brigading holds.
  public var held = 0

  public init() {}

  mutating func take(_ before: SourceCeiling, _ after: SourceCeiling) {
    if before == after {
      if before >= .identify { listed += 1 }
    } else if after == .block {
      block += 1
    } else if after == .identify {
      identify += 1
    } else if before >= .identify {
      lost += 1
    } else if after == .review {
      review += 1
    }
  }
}

/// A change of a number's complaints by a source.
struct SourceFileChange {
  var number: Int64
  var added: [SourceEntry] = []
  var removed: [SourceEntry] = []
  /// Whether the list contains the number.
  var isListed = true
}

/// The changes of stored entries by a list, page by page in ascending order of numbers.
struct SourceChanges {
  private let entries: [SourceEntry]
  private let isList: Bool
  private let isNew: Bool
  private let day: Date
  private var place = 0
  private var stored: ArraySlice<SourceEntry> = []
  /// The number after which stored entries are wanted; nil where there are enough, or no more.
  private(set) var wanted: Int64?
  private var last: Int64?

  /// - Parameters:
  ///   - entries: ascending.
  ///   - isList: whether stored entries that the list does not have are removed.
  ///   - isNew: whether the source has nothing stored.
  init(_ entries: [SourceEntry], isList: Bool, isNew: Bool, at time: Date) {
    self.entries = entries
    self.isList = isList
    self.isNew = isNew
    day = ComplaintDays.beginning(of: time)
    wanted = isList && !isNew ? 0 : nil
  }

  /// Takes the stored entries after ``wanted``; none at the end.
  mutating func take(_ page: [SourceEntry]) {
    stored = page[...]
    last = page.last?.number
    wanted = nil
  }

  /// The next changes, at most so many; none at the end. Takes stored entries only where ``wanted`` is nil.
  mutating func next(atMost most: Int) -> [SourceFileChange] {
    var changes: [SourceFileChange] = []
    while changes.count < most {
      guard let entry = stored.first else {
        guard place < entries.count else { break }
        append(to: &changes)
        continue
      }
      if place < entries.count, entries[place].number < entry.number {
        append(to: &changes)
        continue
      }
      compare(entry, &changes)
      stored = stored.dropFirst()
      if stored.isEmpty, let last {
        wanted = last
        break
      }
    }
    return changes
  }

  private mutating func compare(_ entry: SourceEntry, _ changes: inout [SourceFileChange]) {
    guard place < entries.count, entries[place].number == entry.number else {
      changes.append(SourceFileChange(number: entry.number, removed: [entry], isListed: false))
      return
    }
    var new = entries[place]
    new.reportedAt = day
    changes.append(SourceFileChange(number: entry.number, added: [new], removed: [entry]))
    place += 1
  }

  private mutating func append(to changes: inout [SourceFileChange]) {
    let number = entries[place].number
    var change = SourceFileChange(number: number)
    while place < entries.count, entries[place].number == number {
      var entry = entries[place]
      if isList { entry.reportedAt = day }
      if isList || isNew { change.added.append(entry) }
      place += 1
    }
    changes.append(change)
  }
}

/// Evaluates numbers with and without a source's changes.
struct SourceEvaluation {
  let list: Int32
  let present: ThresholdSet
  let change: ThresholdSet
  let state: CurationState
  let time: Date
  var preview = SourcePreview()

  /// - Parameter records: the records of the numbers, ascending, without those that were never reported.
  mutating func take(_ changes: [SourceFileChange], _ records: [NumberRecord]) {
    var place = 0
    for change in changes {
      while place < records.count, records[place].number < change.number { place += 1 }
      let record = place < records.count && records[place].number == change.number ? records[place] : nil
      take(change, record ?? NumberRecord(number: change.number, standing: NumberAggregate(parts: [])))
    }
  }

  private mutating func take(_ change: SourceFileChange, _ record: NumberRecord) {
    let number = change.number
    let overrides = state.overrides(of: number, country: RegionMap.countries.region(of: number))
    guard !isFixed(number, overrides) else {
      if change.isListed { takeFixed(overrides) }
      return
    }
    var after = record
    for entry in change.removed { after.change(entry, by: -1, of: list) }
    for entry in change.added { after.change(entry, by: 1, of: list) }
    preview.take(outcome(record, present, overrides), outcome(after, self.change, overrides))
  }

  /// Takes a number whose record has the change already.
  mutating func take(_ record: NumberRecord) {
    let overrides = state.overrides(of: record, country: RegionMap.countries.region(of: record.number))
    guard !isFixed(record.number, overrides) else { return takeFixed(overrides) }
    let before: SourceCeiling = record.isBlocked ? .block : record.isListed ? .identify : .nothing
    preview.take(before, outcome(record, present, overrides))
  }

  /// Whether reports neither list nor remove a number. A range lists all its numbers.
  private func isFixed(_ number: Int64, _ overrides: OverrideState) -> Bool {
    overrides.isProtected || overrides.isDecided || overrides.isHeld || state.rule(for: number) != nil
  }

  private mutating func takeFixed(_ overrides: OverrideState) {
    switch overrides {
    case let number where number.isProtected: preview.protected += 1
    case let number where number.isDecided: preview.decided += 1
    case let number where number.isHeld: preview.held += 1
    default: preview.listed += 1
    }
  }

  private func outcome(_ record: NumberRecord, _ thresholds: ThresholdSet, _ overrides: OverrideState) -> SourceCeiling
  {
    let outcome = Score(record, at: time).evaluate(by: thresholds, in: overrides).outcome
    return outcome == .block && state.treatment(of: record.number) == .identify ? .identify : outcome
  }
}

extension NumberRecord {
  /// Adds or subtracts the complaints of a list's entry.
  /// - Parameter sign: 1 or -1.
  fileprivate mutating func change(_ entry: SourceEntry, by sign: Int, of list: Int32) {
    guard entry.complaints > 0 else { return }
    let signed = Double(sign * entry.complaints) * Double(entry.weight)
    let place = standing.parts.firstIndex { $0.category == entry.category } ?? standing.parts.endIndex
    if place == standing.parts.endIndex {
      standing.parts.append(.init(category: entry.category, heat: 0, evidence: 0, reports: 0, reporters: 0))
    }
    let heat = Decay.heat.storedSum(of: signed, at: entry.reportedAt)
    let evidence = Decay.evidence.storedSum(of: signed, at: entry.reportedAt)
    standing.parts[place].heat += heat
    standing.parts[place].evidence += evidence
    standing.parts[place].heat = max(0, standing.parts[place].heat)
    standing.parts[place].evidence = max(0, standing.parts[place].evidence)
    standing.parts[place].reports += Int64(sign * entry.complaints)
    guard entry.weight > 0 else { return }
    let tally = sources.firstIndex { $0.appID >= list } ?? sources.endIndex
    if tally == sources.endIndex || sources[tally].appID != list {
      sources.insert(SourceTally(appID: list, complaints: 0, heat: 0, evidence: 0, days: ComplaintDays()), at: tally)
    }
    sources[tally].complaints = max(0, sources[tally].complaints + sign * entry.complaints)
    if sources[tally].complaints == 0 { sources[tally].days = ComplaintDays() }
    sources[tally].heat = max(0, sources[tally].heat + heat)
    sources[tally].evidence = max(0, sources[tally].evidence + evidence)
    guard sign > 0 else { return }
    sources[tally].days.insert(ComplaintDays.day(of: entry.reportedAt))
  }
}
