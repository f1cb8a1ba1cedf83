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
  /// The most days whose reports are compared by their numbers.
  private static let maxComparedDays: Int32 = 90

  let store: HoldStore

  public init(store: HoldStore) {
    self.store = store
  }

  public struct Outcome: Sendable {
    /// Numbers that are held, whatever supports them.
    public var held = Set<Int64>()
    /// The strongest treatment that reporters can trigger, for numbers whose reports are held.
    public var reportCeilings: [Int64: SourceCeiling] = [:]
    /// Independent reporters of numbers whose held reports identify them.
    public var independentReporters: [Int64: Int] = [:]
    /// Numbers whose reports were judged and are not held.
    public var cleared = Set<Int64>()
    /// Number of new holds.
    public var new = 0
    /// Number of holds that ended.
    public var ended = 0
  }

  /// Reviews the numbers at `time` in a new snapshot.
  /// - Parameter rest: called after each batch.
  @discardableResult
  public func review(at time: Date, rest: @Sendable () async throws -> Void = {}) async throws -> Outcome {
    try await store.withSnapshot { try await review(at: time, on: $0, rest: rest) }
  }

  /// Reviews the numbers of a snapshot, which does not see the new holds.
  /// - Parameters:
  ///   - connection: within a transaction that reads one snapshot.
  ///   - rest: called after each batch.
  public func review(
    at time: Date, on connection: PostgresConnection, rest: @Sendable () async throws -> Void = {}
  ) async throws -> Outcome {
    let thresholds = try await ThresholdStore.current(on: connection).set
    let (former, unassigned) = try await held(on: connection)
    var outcome = Outcome(held: unassigned)
    var wanted: [(label: HoldStore.WantedLabel, finding: BrigadeDetection.Finding, heat: Double)] = []
    try await forEachJudgement(by: thresholds, held: former, at: time, on: connection) { batch in
      for item in batch {
        outcome.take(item, labels: \.keepsLabel)
        guard let finding = item.judgement.finding, finding.ceiling == .identify,
          outcome.reportCeilings[item.number] == .nothing, item.candidate.mayIdentify
        else { continue }
        let label = HoldStore.WantedLabel(
          number: item.number, appID: finding.appID, isListed: item.candidate.isListed)
        wanted.append((label, finding, item.candidate.heat))
      }
      outcome.new += try await store.hold(
        batch.compactMap { item in item.judgement.finding.map { (number: item.number, finding: $0) } }, at: time)
      try await store.addUsual(
        batch.compactMap { item in
          guard case .usual(let burst) = item.judgement else { return nil }
          return (item.number, burst)
        }, at: time)
      try await rest()
    }
    // The accounts of a brigade are many reporters and few independent ones.
    wanted.sort {
      ($1.finding.independent, $1.heat, $0.label.number) < ($0.finding.independent, $0.heat, $1.label.number)
    }
    let labeled = try await store.label(wanted.map(\.label), by: thresholds.identify, at: time)
    for item in wanted where labeled.contains(item.label.number) {
      outcome.label(item.label.number, independent: item.finding.independent)
    }
    let ended = former.keys.filter { !outcome.held.contains($0) && outcome.reportCeilings[$0] == nil }
    outcome.ended = try await store.end(ended, at: time)
    return outcome
  }

  /// The holds by rules against brigading, and the numbers that only a plan keeps back.
  private func held(on connection: PostgresConnection) async throws -> (holds: [Int64: Hold], unassigned: Set<Int64>) {
    let all = try await store.held(on: connection)
    let holds = all.filter { !$0.reason.isUnassigned }.map { ($0.number, $0) }
    return (Dictionary(holds) { $1 }, Set(all.filter(\.reason.isUnassigned).map(\.number)))
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
    /// Whether a review has labeled it and its reports still meet these limits.
    var keepsLabel: Bool { mayIdentify && hold?.labeledAt != nil }
    /// Decayed complaints.
    var heat: Double
    /// Decayed complaints of reporters, and those needed for a label.
    var labelHeat: (have: Double, need: Double)
  }

  typealias Judged = (number: Int64, candidate: Candidate, judgement: BrigadeDetection.Judgement)

  /// Judges the numbers of a snapshot that thresholds list because of reports, in batches.
  /// - Parameter held: the numbers that are held now.
  func forEachJudgement(
    by thresholds: ThresholdSet, held: [Int64: Hold], at time: Date, on connection: PostgresConnection,
    _ body: ([Judged]) async throws -> Void
  ) async throws {
    var candidates: [Int64: Candidate] = [:]
    try await store.forEachReviewable(
      hotterThan: thresholds.floor.lowest, reporters: thresholds.fewestReporters, at: time, on: connection
    ) { numbers in
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
    let numbers = candidates.keys.sorted()
    circumstances.overlap = try await store.overlap(
      of: numbers, within: min(window, Self.maxComparedDays), at: time, on: connection)
    for start in stride(from: 0, to: numbers.count, by: 1_000) {
      var batch: [Judged] = []
      try await store.forEachVotes(
        of: Array(numbers[start..<min(start + 1_000, numbers.count)]), within: window, at: time, on: connection
      ) { item in
        guard var candidate = candidates[item.number] else { return }
        (circumstances.number, circumstances.isCorroborated) = (item.number, candidate.isCorroborated)
        circumstances.window = candidate.hold.map { Self.window(of: $0, at: time) } ?? BrigadeDetection.window
        var judgement =
          candidate.isBlocked
          ? BrigadeDetection.evaluateBlocked(item.votes) : BrigadeDetection.evaluate(item.votes, in: circumstances)
        candidate.isKept = candidate.hold?.keeps(item.votes) ?? false
        // Only a split changes such a hold: the marks that are left may be weaker.
        if candidate.isKept, judgement.finding?.ceiling != nil { judgement = .clear }
        if let finding = judgement.finding, finding.complainers > 0 {
          // A group of reporters who depend on each other counts once.
          let share = Double(finding.independent) / Double(finding.complainers)
          candidate.mayIdentify =
            candidate.mayIdentify && candidate.labelHeat.have * share >= candidate.labelHeat.need
        }
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
      // Sources that list it without its reporters need no confirmation of these. A source may also have blocked it before.
      let alone = score.evaluate(by: thresholds, in: OverrideState(reportCeiling: .nothing), country: country)
      let isBlocked = record.isBlocked && record.sources.isEmpty || alone.outcome >= evaluation.outcome
      let heat = evaluation.identifyConditions.first { $0.kind == .heat }
      candidates[record.number] = Candidate(
        isBlocked: isBlocked, isListed: record.isListed, isCorroborated: score.isCorroborated(by: thresholds),
        mayIdentify: evaluation.identifyConditions.allSatisfy(\.isMet), heat: score.heat,
        labelHeat: (heat?.have ?? 0, heat?.need ?? 0))
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
    case .newReporters, .oneWeek, .split, .unassigned: false
    case .oneNetwork, .oneText, .sameNumbers, .oneDay:
      votes.contains { $0.isToxic && $0.age >= BrigadeDetection.window }
    }
  }
}

extension BrigadeReview.Outcome {
  /// Adds the judgment of a number.
  /// - Parameter labels: whether held reports that may identify it do.
  fileprivate mutating func take(_ item: BrigadeReview.Judged, labels: (BrigadeReview.Candidate) -> Bool) {
    guard let finding = item.judgement.finding else {
      if let hold = item.candidate.hold, item.candidate.isKept {
        reportCeilings[item.number] = hold.explained.reportCeiling ?? .nothing
        independentReporters[item.number] = hold.reason.independent
      } else {
        cleared.insert(item.number)
      }
      return
    }
    guard let ceiling = finding.ceiling else {
      held.insert(item.number)
      return
    }
    reportCeilings[item.number] = .nothing
    if ceiling == .identify, labels(item.candidate) { label(item.number, independent: finding.independent) }
  }

  fileprivate mutating func label(_ number: Int64, independent: Int) {
    (reportCeilings[number], independentReporters[number]) = (.identify, independent)
  }
}

extension BrigadeReview {
  /// Decisions and rules, with the holds that a review would find.
  /// - Parameter connection: within a transaction that reads one snapshot.
  public func state(at time: Date, on connection: PostgresConnection) async throws -> CurationState {
    let thresholds = try await ThresholdStore.current(on: connection).set
    return try await CurationStateStore.load(at: time, on: connection)
      .with(try await suspects(by: thresholds, at: time, on: connection))
  }

  /// Finds what a review would hold with these thresholds. Holds nothing, and does not count labels.
  /// - Parameters:
  ///   - connection: within a transaction that reads one snapshot.
  ///   - labels: whether a held number gets a label.
  func suspects(
    by thresholds: ThresholdSet, at time: Date, on connection: PostgresConnection,
    labels: (Candidate) -> Bool = \.mayIdentify
  ) async throws -> Outcome {
    let (former, unassigned) = try await held(on: connection)
    var outcome = Outcome(held: unassigned)
    try await forEachJudgement(by: thresholds, held: former, at: time, on: connection) { batch in
      for item in batch { outcome.take(item, labels: labels) }
    }
    return outcome
  }
}
