// SPDX-License-Identifier: Apache-2.0

public import Curation
public import Foundation
import PhoneNumbers
public import PostgreSQL
public import Storage

/// Checks the reports of candidates and held numbers for signs of a brigade, and of blocked numbers for a split.
///
/// Runs before a publication selects, in the same snapshot: later reports are in neither. The database finds the
/// numbers with new votes, and only their reports are read. The first candidate also makes it read a sample of all
/// hot numbers, the baseline of usual votes. Numbers that are not yet candidates are not held, because a burst may be
/// confirmed by the reports of the next day. Each held number is judged again, by its reports since the window before its
/// hold: the hold ends when nothing holds it any more, or when its reports meet no threshold. Networks and comments are
/// deleted after a month, so that a hold because of them stays after it. The review may be repeated.
public struct BrigadeReview: Sendable {
  /// Approximate number of hot numbers in the baseline.
  static let sampleSize = 5_000

  let store: HoldStore

  /// - Parameter store: stores the holds.
  public init(store: HoldStore) {
    self.store = store
  }

  /// The result of a review.
  public struct Outcome: Sendable {
    /// Numbers that are held, whatever supports them.
    public var held = Set<Int64>()
    /// The strongest treatment that reporters can trigger, for numbers whose reports are held.
    public var reportCeilings: [Int64: SourceCeiling] = [:]
    /// Number of new holds.
    public var new = 0
    /// Number of holds that ended.
    public var ended = 0
  }

  /// Reviews the numbers at `time` in a new snapshot.
  @discardableResult
  public func review(at time: Date) async throws -> Outcome {
    try await store.withSnapshot { try await review(at: time, on: $0) }
  }

  /// Reviews the numbers of a snapshot, which does not see the new holds.
  /// - Parameter connection: within a transaction that reads one snapshot.
  public func review(at time: Date, on connection: PostgresConnection) async throws -> Outcome {
    let thresholds = try await ThresholdStore.current(on: connection).set
    let former = Dictionary(try await store.held(on: connection).map { ($0.number, $0) }) { $1 }
    var outcome = Outcome()
    var wanted: [(label: HoldStore.WantedLabel, heat: Double)] = []
    try await forEachJudgement(by: thresholds, held: former, at: time, on: connection) { batch in
      for item in batch where item.judgement.finding == nil {
        guard let hold = item.candidate.hold, item.candidate.isKept else { continue }
        outcome.reportCeilings[item.number] = hold.explained.reportCeiling ?? .nothing
      }
      let found = batch.compactMap { item in item.judgement.finding.map { (number: item.number, finding: $0) } }
      for item in found {
        guard let ceiling = item.finding.ceiling else {
          outcome.held.insert(item.number)
          continue
        }
        let isLabeled = ceiling == .identify && former[item.number]?.labeledAt != nil
        outcome.reportCeilings[item.number] = isLabeled ? .identify : .nothing
      }
      outcome.new += try await store.hold(found, at: time)
      wanted += batch.compactMap { item in
        guard outcome.reportCeilings[item.number] == .nothing, let finding = item.judgement.finding,
          finding.ceiling == .identify, item.candidate.mayIdentify
        else { return nil }
        let label = HoldStore.WantedLabel(
          number: item.number, appID: finding.appID, isListed: item.candidate.isListed)
        return (label, item.candidate.heat)
      }
      try await store.addUsual(
        batch.compactMap { item in
          guard case .usual(let burst) = item.judgement else { return nil }
          return (item.number, burst)
        }, at: time)
    }
    wanted.sort { ($1.heat, $0.label.number) < ($0.heat, $1.label.number) }
    for number in try await store.label(wanted.map(\.label), by: thresholds.identify, at: time) {
      outcome.reportCeilings[number] = .identify
    }
    let ended = former.keys.filter { !outcome.held.contains($0) && outcome.reportCeilings[$0] == nil }
    outcome.ended = try await store.end(ended, at: time)
    return outcome
  }

  /// The days from the start of a hold's window.
  private static func window(of hold: Hold, at time: Date) -> Int32 {
    BrigadeDetection.window + max(0, ComplaintDays.day(of: time) - ComplaintDays.day(of: hold.heldAt))
  }

  /// A number that its reports list, or would list without a hold.
  struct Candidate: Sendable {
    /// Its hold, which no decision has settled.
    var hold: Hold?
    /// Whether its hold stays although its reports show no mark any more: the marks of some are deleted by now.
    var isKept = false
    /// Whether its reports already block it, so that only a split holds it.
    var isBlocked: Bool
    /// Whether the last publication lists it.
    var isListed: Bool
    /// Whether a source names it too.
    var isCorroborated: Bool
    /// Whether its reports meet the limits for a label.
    var mayIdentify: Bool
    /// Decayed complaints.
    var heat: Double
  }

  /// Judges the numbers of a snapshot that thresholds list because of reports, in batches.
  /// - Parameter held: the numbers that are held now.
  func forEachJudgement(
    by thresholds: ThresholdSet, held: [Int64: Hold], at time: Date, on connection: PostgresConnection,
    _ body: ([(number: Int64, candidate: Candidate, judgement: BrigadeDetection.Judgement)]) async throws -> Void
  ) async throws {
    var candidates: [Int64: Candidate] = [:]
    // Numbers that are not candidates may be what the accounts of a brigade have in common.
    var reviewable: [Int64] = []
    try await store.forEachReviewable(
      hotterThan: thresholds.lowestListedHeat, reporters: 2, at: time, on: connection
    ) { numbers in
      reviewable += numbers
      for (number, candidate) in try await self.candidates(among: numbers, at: time, by: thresholds, on: connection) {
        candidates[number] = candidate
      }
    }
    let rest = held.keys.filter { candidates[$0] == nil }
    for (number, candidate) in try await self.candidates(among: rest, at: time, by: thresholds, on: connection) {
      candidates[number] = candidate
    }
    guard !candidates.isEmpty else { return }
    for hold in held.values { candidates[hold.number]?.hold = hold }
    let window = held.values.map { Self.window(of: $0, at: time) }.max() ?? BrigadeDetection.window
    var circumstances = BrigadeDetection.Circumstances(
      background: try await background(at: time, on: connection), rule: thresholds.identify)
    let compared = Set(reviewable).union(candidates.keys).sorted()
    try await store.forEachReporters(of: compared, within: window, at: time, on: connection) {
      circumstances.overlap.add($0)
    }
    let numbers = candidates.keys.sorted()
    for start in stride(from: 0, to: numbers.count, by: 1_000) {
      var batch: [(number: Int64, candidate: Candidate, judgement: BrigadeDetection.Judgement)] = []
      try await store.forEachVotes(
        of: Array(numbers[start..<min(start + 1_000, numbers.count)]), within: window, at: time, on: connection
      ) { item in
        guard var candidate = candidates[item.number] else { return }
        circumstances.isCorroborated = candidate.isCorroborated
        circumstances.window = candidate.hold.map { Self.window(of: $0, at: time) } ?? BrigadeDetection.window
        var judgement =
          candidate.isBlocked
          ? BrigadeDetection.evaluateBlocked(item.votes) : BrigadeDetection.evaluate(item.votes, in: circumstances)
        candidate.isKept = candidate.hold?.keeps(item.votes) ?? false
        // Only a split changes such a hold: the marks that are left may be weaker.
        if candidate.isKept, judgement.finding?.ceiling != nil { judgement = .clear }
        batch.append((item.number, candidate, judgement))
      }
      try await body(batch)
    }
  }

  /// The numbers among these that a threshold set lists because of reports.
  private func candidates(
    among numbers: [Int64], at time: Date, by thresholds: ThresholdSet, on connection: PostgresConnection
  ) async throws -> [Int64: Candidate] {
    var candidates: [Int64: Candidate] = [:]
    for record in try await NumberRecordStore.records(of: numbers, on: connection) {
      let country = { RegionMap.countries.region(of: record.number) }
      let score = Score(record, at: time)
      let evaluation = score.evaluate(by: thresholds, in: OverrideState(), country: country)
      guard [.candidate, .listed].contains(evaluation.verdict) else { continue }
      // Sources that list it without its reporters need no confirmation of these.
      let alone = score.evaluate(by: thresholds, in: OverrideState(reportCeiling: .nothing), country: country)
      candidates[record.number] = Candidate(
        isBlocked: record.isBlocked || alone.outcome >= evaluation.outcome, isListed: record.isListed,
        isCorroborated: score.isCorroborated(by: thresholds),
        mayIdentify: evaluation.identifyConditions.allSatisfy(\.isMet), heat: score.heat)
    }
    return candidates
  }

  private func background(at time: Date, on connection: PostgresConnection) async throws -> BrigadeBaseline {
    var background = BrigadeBaseline()
    let ages = try await store.confirmedAges(
      size: Self.sampleSize, within: BrigadeBaseline.maxConfirmedAge, at: time, on: connection)
    try await store.forEachVotes(of: ages.keys.sorted(), at: time, on: connection) { item in
      background.add(item.votes, confirmedAge: ages[item.number] ?? 0)
    }
    return background
  }
}

extension Hold {
  /// Whether it is because of networks, comments, numbers or days, and some complaints are older than these are stored.
  fileprivate func keeps(_ votes: [ReporterVote]) -> Bool {
    switch reason {
    case .newReporters, .oneWeek, .split: false
    case .oneNetwork, .oneText, .sameNumbers, .oneDay:
      votes.contains { $0.isToxic && $0.age >= BrigadeDetection.window }
    }
  }
}

/// Numbers whose reports a review would hold.
struct Suspects: Sendable {
  var held = Set<Int64>()
  var reportCeilings: [Int64: SourceCeiling] = [:]

  /// The overrides of a number with a review's holds.
  func overrides(of number: Int64, in state: CurationState) -> OverrideState {
    var overrides = state.overrides(of: number)
    overrides.isHeld = held.contains(number)
    overrides.reportCeiling = reportCeilings[number] ?? .block
    return overrides
  }
}

extension BrigadeReview {
  /// Finds the numbers that a review would hold with these thresholds. Holds nothing, and does not count labels.
  /// - Parameter connection: within a transaction that reads one snapshot.
  func suspects(
    by thresholds: ThresholdSet, at time: Date, on connection: PostgresConnection
  ) async throws -> Suspects {
    var suspects = Suspects()
    let former = Dictionary(try await store.held(on: connection).map { ($0.number, $0) }) { $1 }
    try await forEachJudgement(by: thresholds, held: former, at: time, on: connection) { batch in
      for item in batch {
        guard let finding = item.judgement.finding else {
          guard let hold = item.candidate.hold, item.candidate.isKept else { continue }
          suspects.reportCeilings[item.number] = hold.explained.reportCeiling ?? .nothing
          continue
        }
        if let ceiling = finding.ceiling {
          suspects.reportCeilings[item.number] = item.candidate.mayIdentify ? ceiling : .nothing
        } else {
          suspects.held.insert(item.number)
        }
      }
    }
    return suspects
  }
}
