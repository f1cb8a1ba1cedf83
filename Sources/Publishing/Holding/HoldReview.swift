import Curation
public import Foundation
public import Storage

/// Looks at the numbers that would be new to a publication, and holds those that look like the work of a brigade.
///
/// Runs before a publication selects. It reads reports of a sample of all hot numbers, to see what is usual just now, and
/// then those of each number that would be new. Safe to repeat: what is held or ruled is not looked at again.
public struct HoldReview: Sendable {
  /// About how many hot numbers say what is usual.
  public static let sampleSize = 5_000

  private let store: HoldStore
  private let thresholds: ThresholdStore

  /// - Parameters:
  ///   - store: where holds are kept.
  ///   - thresholds: what is too cold for all of them is not looked at.
  public init(store: HoldStore, thresholds: ThresholdStore) {
    self.store = store
    self.thresholds = thresholds
  }

  /// Reviews the numbers as they stand at `time`.
  /// - Returns: how many numbers are newly held.
  @discardableResult
  public func review(at time: Date) async throws -> Int {
    let heat = try await thresholds.current().lowestListedHeat
    let established = try await store.establishedReporters(limit: BrigadingBackground.leastEstablished)
    var background = BrigadingBackground(established: established)
    try await store.forEachOfSample(hotterThan: heat, size: Self.sampleSize, at: time) { numbers in
      for item in numbers { background.add(item.voices) }
    }
    var held = 0
    try await store.forEachReviewable(hotterThan: heat, reporters: Brigading.leastSuspects, at: time) { numbers in
      let found = numbers.compactMap { item in
        Brigading.judge(item.voices, background: background).map { (number: item.number, finding: $0) }
      }
      held += try await store.hold(found, at: time)
    }
    return held
  }
}
