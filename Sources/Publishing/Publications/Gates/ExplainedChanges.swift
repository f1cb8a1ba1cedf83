// SPDX-License-Identifier: Apache-2.0

import Curation
import PostgreSQL
import Storage
import Synchronization

/// The changes of a publication that have a reason, from the snapshot of the publication. Gates do not count them.
///
/// A number leaves for a reason if it is protected or revoked, if a decision allows or only identifies it, if its reports are
/// held and list nothing, if a source that was removed since the last publication complained about it, or if it would be listed in another way without the
/// suspension of sources. An addition is expected if only the first refresh, a change of the ceiling or the end of the
/// suspension of a source since the last publication lists the number.
///
/// Numbers of rules are counted by themselves: moderators approved the rules with the count of their numbers.
///
/// Memory: 8 bytes for each such number; only numbers of the last and of this publication are among them.
struct ExplainedChanges: Sendable {
  private var withdrawn: [Int64] = []
  private var expected: [Int64] = []
  private let state: CurationState
  private let revoked: Set<Int64>
  private let protection: ProtectionLookup
  /// The ranges that rules list now, and the ranges of the last publication.
  let ruled: (now: [ClosedRange<Int64>], before: [ClosedRange<Int64>])
  /// The numbers of both. Gates do not compare them, even those that are listed by themselves.
  let either: [ClosedRange<Int64>]

  /// - Parameters:
  /// - found: the numbers whose listing depends on sources.
  /// - sources: the changes of sources since the last publication.
  init(
    _ found: SourceDependence, sources: PublicationSources, state: CurationState, revoked: Set<Int64>,
    protection: ProtectionLookup, on connection: PostgresConnection
  ) async throws {
    (self.state, self.revoked, self.protection) = (state, revoked, protection)
    ruled = (state.ruledRanges().map(\.numbers), try await ListedRangeStore.numbers(on: connection))
    either = RangeMerge.joined((ruled.now + ruled.before).sorted { $0.lowerBound < $1.lowerBound })
    (withdrawn, expected) = found.numbers
    guard !sources.removed.isEmpty else { return }
    withdrawn += try await PublicationStore.listed(because: sources.removed, on: connection)
    withdrawn.sort()
  }

  func explainsRemoval(of number: Int64) -> Bool {
    if protection(number) != nil || revoked.contains(number) || withdrawn.hasSorted(number) { return true }
    if state.reportCeilings[number] == .nothing { return true }
    return state.decisions.decision(of: number).map { $0.treatment != .block } ?? false
  }

  /// The numbers that no pack may have.
  var gone: Set<Int64> { revoked }

  func expectsAddition(of number: Int64) -> Bool { expected.hasSorted(number) }
}

/// Finds, while a publication selects its numbers, those whose listing depends on the state of sources.
final class SourceDependence: Sendable {
  private let found = Mutex<(withdrawn: [Int64], expected: [Int64])>(([], []))
  let thresholds: ThresholdSet
  private let unsuspended: ThresholdSet?
  private let unfinished: ThresholdSet?
  private let withoutNew: ThresholdSet?

  /// - Parameter sources: the changes of sources since the last publication.
  init(_ thresholds: ThresholdSet, _ sources: PublicationSources) {
    self.thresholds = thresholds
    unsuspended = thresholds.suspended.isEmpty ? nil : thresholds.withoutSuspensions
    unfinished = sources.unfinished.isEmpty ? nil : thresholds.suspending(sources.unfinished)
    withoutNew = sources.new.isEmpty ? nil : thresholds.suspending(sources.new)
  }

  /// The numbers that suspensions withdraw, and those that are listed only because of new sources; ascending.
  var numbers: (withdrawn: [Int64], expected: [Int64]) { found.withLock { $0 } }

  /// Evaluates a record and remembers its number if the listing depends on a source. A source whose refresh is not
  /// finished lists no number that is not listed.
  /// - Parameter listed: evaluates the record by a set of thresholds.
  func evaluate(_ record: NumberRecord, _ listed: (ThresholdSet) -> ListedNumber?) -> ListedNumber? {
    let item = listed(record.isListed ? thresholds : unfinished ?? thresholds)
    guard !record.sources.isEmpty else { return item }
    if record.isListed, let unsuspended, let before = listed(unsuspended),
      before.treatment != item?.treatment || before.category != item?.category
    {
      found.withLock { $0.withdrawn.append(record.number) }
    }
    if item != nil, !record.isListed, let withoutNew, listed(withoutNew) == nil {
      found.withLock { $0.expected.append(record.number) }
    }
    return item
  }
}

extension [Int64] {
  /// Whether these ascending numbers have a number.
  func hasSorted(_ number: Int64) -> Bool {
    let place = firstPlace(atLeast: number)
    return place < count && self[place] == number
  }
}
