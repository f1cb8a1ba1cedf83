// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import PhoneNumbers
import PostgreSQL

/// Everything that explains a number, read in one round trip, because each lookup waits for it.
struct ExplanationQuery {
  /// An explanation with the rows it was made of, which a case shows too.
  struct Reading {
    var explanation: Explanation
    var decisions: [DecisionEvent]
    /// Settled or not.
    var hold: Hold?
    var appeals: [Appeal]
  }

  private typealias Place = PostgresPipeline.Place

  private let number: Int64
  private let time: Date
  private let patterns: Place<Protection>
  private let numbers: Place<(number: Int64, protection: Protection)>
  private let standing: Place<StandingDecision>
  private let decisions: Place<DecisionEvent>
  private let removals: Place<UUID>
  private let holds: Place<Hold>
  private let usual: Place<Explanation.Usual>
  private let listings: Place<Explanation.Listing>
  private let ranges: Place<NumberRange>
  private let appeals: Place<Appeal>
  private let appealedDays: Place<AppealedDay>
  private let thresholds: Place<Threshold>
  private let sources: Place<SourceRule>
  private let ceilings: Place<CeilingRow>
  private let record: Place<RecordRow>
  private let weights: Place<Explanation.Weights>

  /// - Parameters:
  ///   - scoredAt: the time for which scores are calculated; nil for `time`.
  ///   - pipeline: runs in a snapshot; later statements in it keep their plans.
  init(_ number: Int64, at time: Date, scoredAt: Date? = nil, in pipeline: inout PostgresPipeline) {
    (self.number, self.time) = (number, scoredAt ?? time)
    pipeline.add(SQL.keepPlans())
    patterns = pipeline.add(SQL.readProtectedPatterns(only: number))
    numbers = pipeline.add(SQL.readProtectedNumber(number: number))
    ranges = pipeline.add(SQL.readRangeOfNumber(number: number))
    thresholds = pipeline.add(SQL.readThresholds(version: nil))
    sources = pipeline.add(SQL.readSourceRules(version: nil))
    ceilings = pipeline.add(SQL.readCeilings())
    standing = pipeline.add(SQL.readStandingDecision(number: number))
    decisions = pipeline.add(SQL.readDecisions(number: number))
    removals = pipeline.add(SQL.readRemovalsOfNumber(number: number))
    holds = pipeline.add(SQL.readHold(number: number))
    usual = pipeline.add(SQL.readUsualBurst(number: number))
    listings = pipeline.add(SQL.readListing(number: number))
    appeals = pipeline.add(SQL.readAppealsOf(number: number))
    appealedDays = pipeline.add(SQL.readAppealedDaysOf(number: number, time: time))
    record = pipeline.add(SQL.readRecord(number: number))
    weights = pipeline.add(SQL.readNumberWeights(number: number))
  }

  /// - Parameter pool: for data that few numbers have.
  func answer(_ results: PostgresPipeline.Results, pool: PostgresPool) async throws -> Reading {
    let (standing, decisions) = (try results.rows(standing).first, try results.rows(decisions))
    let (hold, appeals) = (try results.rows(holds).first, try results.rows(appeals))
    var explanation = Explanation(number: number, time: time)
    explanation.country = RegionMap.countries.region(of: number)
    explanation.protection = try ProtectionStore.rule(
      for: number, patterns: try results.rows(patterns), numbers: try results.rows(numbers))
    explanation.decision = standing
    let removals = try results.rows(removals)
    explanation.isRevoked = standing.map { removals.contains($0.decisionID) } ?? false
    explanation.decisionReason = decisions.first { $0.id == standing?.decisionID }?.reason
    if let hold, !hold.isSettled {
      explanation.hold = Explanation.Hold(reason: hold.reason, heldAt: hold.heldAt)
    }
    explanation.usual = try results.rows(usual).first
    explanation.listing = try results.rows(listings).first
    explanation.range = try results.rows(ranges).first
    explanation.openAppeals = appeals.count { $0.state == .open }
    explanation.isVictim = AppealStore.victims(try results.rows(appealedDays)).contains(number)
    let thresholds = try results.rows(thresholds)
    guard !thresholds.isEmpty else { throw StorageError.noThresholds(version: nil) }
    if let record = RecordAssembler.record(of: try results.rows(record)) {
      let set = try ThresholdSet(
        thresholds: thresholds, sources: try results.rows(sources),
        ceilings: ThresholdSet.ceilings(try results.rows(ceilings)),
        suspended: ThresholdSet.suspended(try results.rows(ceilings)),
        suspendedWeights: ThresholdSet.suspendedWeights(try results.rows(ceilings)))
      explanation.add(record, try results.rows(weights).first ?? Explanation.Weights(), by: set)
    }
    if let score = explanation.score, !score.lists.isEmpty {
      let names = try await pool.run(SQL.readAppNames(apps: score.lists.map(\.appID)))
      explanation.lists = Dictionary(names.map { ($0.id, $0.name) }) { first, _ in first }
    }
    return Reading(explanation: explanation, decisions: decisions, hold: hold, appeals: appeals)
  }
}

extension Explanation {
  fileprivate mutating func add(_ record: NumberRecord, _ weights: Weights, by thresholds: ThresholdSet) {
    let score = Score(record, at: time)
    let overrides = OverrideState(
      country: country, isProtected: protection != nil, isDecided: decision != nil, isHeld: hold != nil)
    self.score = score
    self.weights = weights
    evaluation = score.evaluate(by: thresholds, in: overrides)
    sourceLimit = score.sourceLimit(by: thresholds, country: country)
    (firstReportedAt, lastReportedAt) = (record.firstReportedAt, record.lastReportedAt)
  }
}
