import Curation
public import Foundation
import PhoneNumbers
public import Storage

/// Looks at the numbers that would be new to a publication, and holds those that look like the work of a brigade.
///
/// Runs before a publication selects. It reads reports of a sample of all hot numbers, to see what is usual just now, and
/// then those of each hot number that is not listed; of those that look suspect it holds the candidates, which would
/// otherwise be published. A number that is no candidate yet is left alone: what is a burst on its first day may have
/// been borne out by the next. Safe to repeat: what is held or ruled is not looked at again.
public struct HoldReview: Sendable {
  /// About how many hot numbers say what is usual.
  public static let sampleSize = 5_000

  private let store: HoldStore
  private let thresholds: ThresholdStore
  private let records: RecordStore

  /// - Parameters:
  ///   - store: where holds are kept.
  ///   - thresholds: they say what is a candidate.
  ///   - records: what reports amount to.
  public init(store: HoldStore, thresholds: ThresholdStore, records: RecordStore) {
    self.store = store
    self.thresholds = thresholds
    self.records = records
  }

  /// Reviews the numbers as they stand at `time`.
  /// - Returns: how many numbers are newly held.
  @discardableResult
  public func review(at time: Date) async throws -> Int {
    let thresholds = try await thresholds.current()
    let heat = thresholds.lowestListedHeat
    let established = try await store.establishedReporters(limit: BrigadingBackground.leastEstablished)
    var background = BrigadingBackground(established: established)
    try await store.forEachOfSample(hotterThan: heat, size: Self.sampleSize, at: time) { numbers in
      for item in numbers { background.add(item.voices) }
    }
    var held = 0
    try await store.forEachReviewable(hotterThan: heat, reporters: Brigading.leastSuspects, at: time) { numbers in
      var found: [(number: Int64, finding: Brigading.Finding)] = []
      for item in numbers {
        guard let finding = Brigading.judge(item.voices, background: background),
          try await isCandidate(item.number, at: time, by: thresholds)
        else { continue }
        found.append((item.number, finding))
      }
      held += try await store.hold(found, at: time)
    }
    return held
  }

  private func isCandidate(_ number: Int64, at time: Date, by thresholds: ThresholdSet) async throws -> Bool {
    guard let record = try await records.record(of: number) else { return false }
    let country = { RegionMap.countries.region(of: number) }
    return Score(record, at: time).judge(by: thresholds, in: Circumstances(), country: country).verdict == .candidate
  }
}
