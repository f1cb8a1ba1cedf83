import Curation
public import Foundation
import PhoneNumbers
public import PostgreSQL
public import Storage

/// Looks at the numbers that would be new to a publication, and holds those that look like the work of a brigade; of those
/// that are listed, it holds those that reporters are strongly split about.
///
/// Runs before a publication selects, in the same snapshot: what comes meanwhile is in neither. Only candidates with new
/// words can be a burst: the database finds them, whatever else is hot, and their reports alone are read. The first one
/// makes it read those of a sample of all hot numbers too, to see what is usual just now. A number that is no candidate yet
/// is left alone: what is a burst on its first day may have been borne out by the next. Safe to repeat: what is held or
/// decided is not looked at again.
public struct BrigadeReview: Sendable {
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
    var background: BrigadeBaseline?
    var all = Set<Int64>()
    var held = 0
    try await store.forEachReviewable(
      hotterThan: heat, reporters: BrigadeDetection.leastSuspects, at: time, on: connection
    ) { numbers in
      let verdicts = try await verdicts(on: numbers, at: time, by: thresholds, on: connection)
      guard !verdicts.isEmpty else { return }
      let usual = try await usual(background, hotterThan: heat, at: time, on: connection)
      background = usual
      var found: [(number: Int64, finding: BrigadeDetection.Finding)] = []
      try await store.forEachVotes(of: verdicts.keys.sorted(), at: time, on: connection) { item in
        let finding =
          verdicts[item.number] == .listed
          ? BrigadeDetection.judgeListed(item.votes) : BrigadeDetection.judge(item.votes, background: usual)
        guard let finding else { return }
        found.append((item.number, finding))
        all.insert(item.number)
      }
      held += try await store.hold(found, at: time)
    }
    return (all, held)
  }

  /// What would be published of these numbers: candidates, and what is listed by its reports.
  func verdicts(
    on numbers: [Int64], at time: Date, by thresholds: ThresholdSet, on connection: PostgresConnection
  ) async throws -> [Int64: Verdict] {
    var verdicts: [Int64: Verdict] = [:]
    for record in try await NumberRecordStore.records(of: numbers, on: connection) {
      let country = { RegionMap.countries.region(of: record.number) }
      let evaluation = Score(record, at: time).judge(by: thresholds, in: OverrideState(), country: country)
      if [.candidate, .listed].contains(evaluation.verdict) { verdicts[record.number] = evaluation.verdict }
    }
    return verdicts
  }

  func usual(
    _ known: BrigadeBaseline?, hotterThan heat: Double, at time: Date, on connection: PostgresConnection
  ) async throws -> BrigadeBaseline {
    if let known { return known }
    let established = try await store.establishedReporters(
      limit: BrigadeBaseline.leastEstablished, on: connection)
    var background = BrigadeBaseline(established: established)
    let sample = try await store.sample(hotterThan: heat, size: Self.sampleSize, at: time, on: connection)
    try await store.forEachVotes(of: sample, at: time, on: connection) { background.add($0.votes) }
    return background
  }
}
