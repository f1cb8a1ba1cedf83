import Curation
public import Foundation
import PhoneNumbers
public import PostgreSQL
public import Storage

/// Looks at the numbers that would be new to a publication, and holds those that look like the work of a brigade.
///
/// Runs before a publication selects, in the same snapshot: what comes meanwhile is in neither. It reads reports of a sample of all hot numbers, to see what is usual just now, and
/// then those of each hot number that is not listed; of those that look suspect it holds the candidates, which would
/// otherwise be published. A number that is no candidate yet is left alone: what is a burst on its first day may have
/// been borne out by the next. Safe to repeat: what is held or ruled is not looked at again.
public struct HoldReview: Sendable {
  /// About how many hot numbers say what is usual.
  public static let sampleSize = 5_000

  let store: HoldStore

  /// - Parameter store: where holds are kept.
  public init(store: HoldStore) {
    self.store = store
  }

  /// Reviews the numbers as they stand at `time`.
  /// - Returns: how many numbers are newly held.
  @discardableResult
  public func review(at time: Date) async throws -> Int {
    try await store.withSnapshot { try await review(at: time, on: $0).held }
  }

  /// Reviews the numbers of a snapshot, which does not see the holds itself.
  /// - Parameter connection: within a transaction that reads one snapshot.
  /// - Returns: the numbers to hold back, and how many of them are newly held.
  public func review(
    at time: Date, on connection: PostgresConnection
  ) async throws -> (numbers: Set<Int64>, held: Int) {
    let thresholds = try await ThresholdStore.current(on: connection).set
    let heat = thresholds.lowestListedHeat
    let established = try await store.establishedReporters(
      limit: BrigadingBackground.leastEstablished, on: connection)
    var background = BrigadingBackground(established: established)
    try await store.forEachOfSample(hotterThan: heat, size: Self.sampleSize, at: time, on: connection) { numbers in
      for item in numbers { background.add(item.voices) }
    }
    var all = Set<Int64>()
    var held = 0
    try await store.forEachReviewable(
      hotterThan: heat, reporters: Brigading.leastSuspects, at: time, on: connection
    ) { numbers in
      var found: [(number: Int64, finding: Brigading.Finding)] = []
      for item in numbers {
        guard let finding = Brigading.judge(item.voices, background: background),
          try await isCandidate(item.number, at: time, by: thresholds, on: connection)
        else { continue }
        found.append((item.number, finding))
        all.insert(item.number)
      }
      held += try await store.hold(found, at: time)
    }
    return (all, held)
  }

  private func isCandidate(
    _ number: Int64, at time: Date, by thresholds: ThresholdSet, on connection: PostgresConnection
  ) async throws -> Bool {
    guard let record = try await RecordStore.record(of: number, on: connection) else { return false }
    let country = { RegionMap.countries.region(of: number) }
    return Score(record, at: time).judge(by: thresholds, in: Circumstances(), country: country).verdict == .candidate
  }
}
