// SPDX-License-Identifier: Apache-2.0

import Curation
public import Foundation
import PhoneNumbers
public import PostgreSQL
public import Storage

/// Checks candidates and listed numbers for signs of a brigade and holds those that have them. A candidate is held for
/// a burst of reports, a listed number if reporters are strongly divided about it.
///
/// Runs before a publication selects, in the same snapshot: later reports are in neither. The database finds the
/// candidates with new votes, and only their reports are read. The first candidate also makes it read a sample of all
/// hot numbers, the baseline of usual votes. Numbers that are not yet candidates are not held, because a burst may be
/// confirmed by the reports of the next day. The review may be repeated: held and decided numbers are skipped.
public struct BrigadeReview: Sendable {
  /// Approximate number of hot numbers in the baseline.
  static let sampleSize = 5_000

  let store: HoldStore

  /// - Parameter store: stores the holds.
  public init(store: HoldStore) {
    self.store = store
  }

  /// Reviews the numbers at `time` in a new snapshot.
  /// - Returns: the count of newly held numbers.
  @discardableResult
  public func review(at time: Date) async throws -> Int {
    try await store.withSnapshot { try await review(at: time, on: $0).held }
  }

  /// Reviews the numbers of a snapshot, which does not see the new holds.
  /// - Parameter connection: within a transaction that reads one snapshot.
  /// - Returns: the numbers to hold back, and the count of those newly held.
  public func review(
    at time: Date, on connection: PostgresConnection
  ) async throws -> (numbers: Set<Int64>, held: Int) {
    let thresholds = try await ThresholdStore.current(on: connection).set
    let heat = thresholds.lowestListedHeat
    var background: BrigadeBaseline?
    var all = Set<Int64>()
    var held = 0
    try await store.forEachReviewable(
      hotterThan: heat, reporters: BrigadeDetection.minSuspects, at: time, on: connection
    ) { numbers in
      let verdicts = try await verdicts(on: numbers, at: time, by: thresholds, on: connection)
      guard !verdicts.isEmpty else { return }
      let usual = try await usual(background, at: time, on: connection)
      background = usual
      var found: [(number: Int64, finding: BrigadeDetection.Finding)] = []
      var bursts: [(number: Int64, burst: UsualBurst)] = []
      try await store.forEachVotes(of: verdicts.keys.sorted(), at: time, on: connection) { item in
        let judgement =
          verdicts[item.number] == .listed
          ? BrigadeDetection.evaluateListed(item.votes) : BrigadeDetection.evaluate(item.votes, background: usual)
        switch judgement {
        case .clear: break
        case .usual(let burst): bursts.append((item.number, burst))
        case .held(let finding):
          found.append((item.number, finding))
          all.insert(item.number)
        }
      }
      held += try await store.hold(found, at: time)
      try await store.addUsual(bursts, at: time)
    }
    return (all, held)
  }

  /// The verdicts on these numbers that are candidates or listed because of reports.
  func verdicts(
    on numbers: [Int64], at time: Date, by thresholds: ThresholdSet, on connection: PostgresConnection
  ) async throws -> [Int64: Verdict] {
    var verdicts: [Int64: Verdict] = [:]
    for record in try await NumberRecordStore.records(of: numbers, on: connection) {
      let country = { RegionMap.countries.region(of: record.number) }
      let evaluation = Score(record, at: time).evaluate(by: thresholds, in: OverrideState(), country: country)
      if [.candidate, .listed].contains(evaluation.verdict) { verdicts[record.number] = evaluation.verdict }
    }
    return verdicts
  }

  func usual(
    _ known: BrigadeBaseline?, at time: Date, on connection: PostgresConnection
  ) async throws -> BrigadeBaseline {
    if let known { return known }
    var background = BrigadeBaseline()
    let ages = try await store.confirmedAges(
      size: Self.sampleSize, within: BrigadeBaseline.maxConfirmedAge, at: time, on: connection)
    try await store.forEachVotes(of: ages.keys.sorted(), at: time, on: connection) { item in
      background.add(item.votes, confirmedAge: ages[item.number] ?? 0)
    }
    return background
  }
}

/// Numbers that a review would hold, divided by the verdict of the thresholds.
struct Suspects: Sendable {
  var candidates = Set<Int64>()
  var listed = Set<Int64>()

  func holds(_ number: Int64, _ verdict: Verdict) -> Bool {
    switch verdict {
    case .candidate: candidates.contains(number)
    case .listed: listed.contains(number)
    default: false
    }
  }
}

extension BrigadeReview {
  /// Finds the numbers that a review would hold if one of these threshold sets were in force. Holds nothing.
  /// - Parameter connection: within a transaction that reads one snapshot.
  func suspects(
    by sets: [ThresholdSet], at time: Date, on connection: PostgresConnection
  ) async throws -> Suspects {
    let heat = sets.reduce(Double.infinity) { min($0, $1.lowestListedHeat) }
    var background: BrigadeBaseline?
    var suspects = Suspects()
    try await store.forEachReviewable(
      hotterThan: heat, reporters: BrigadeDetection.minSuspects, at: time, on: connection
    ) { numbers in
      var listed = Set<Int64>()
      var candidates = Set<Int64>()
      for set in sets {
        for (number, verdict) in try await verdicts(on: numbers, at: time, by: set, on: connection) {
          if verdict == .listed { listed.insert(number) } else { candidates.insert(number) }
        }
      }
      guard !listed.isEmpty || !candidates.isEmpty else { return }
      let usual = try await usual(background, at: time, on: connection)
      background = usual
      try await store.forEachVotes(of: listed.union(candidates).sorted(), at: time, on: connection) { item in
        if listed.contains(item.number), BrigadeDetection.evaluateListed(item.votes).finding != nil {
          suspects.listed.insert(item.number)
        }
        if candidates.contains(item.number),
          BrigadeDetection.evaluate(item.votes, background: usual).finding != nil
        {
          suspects.candidates.insert(item.number)
        }
      }
    }
    return suspects
  }
}
