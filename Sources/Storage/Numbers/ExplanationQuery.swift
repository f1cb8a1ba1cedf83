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

  private typealias Place<S: PostgresStatement> = PostgresPipeline.Place<S.Row>

  private let number: Int64
  private let time: Date
  private let patterns: Place<ReadProtectedPatterns>
  private let numbers: Place<ReadProtectedNumber>
  private let standing: Place<ReadStandingDecision>
  private let decisions: Place<ReadDecisions>
  private let removals: Place<ReadRemovalsOfNumber>
  private let holds: Place<ReadHold>
  private let usual: Place<ReadUsualBurst>
  private let listings: Place<ReadListing>
  private let ranges: Place<ReadRangeOfNumber>
  private let appeals: Place<ReadAppealsOf>
  private let appealedDays: Place<ReadAppealedDaysOf>
  private let thresholds: Place<ReadThresholds>
  private let sources: Place<ReadSourceRules>
  private let ceilings: Place<ReadCeilings>
  private let record: Place<ReadRecord>
  private let weights: Place<ReadNumberWeights>

  /// - Parameters:
  ///   - scoredAt: the time for which scores are calculated; nil for `time`.
  ///   - pipeline: runs in a snapshot; later statements in it keep their plans.
  init(_ number: Int64, at time: Date, scoredAt: Date? = nil, in pipeline: inout PostgresPipeline) {
    (self.number, self.time) = (number, scoredAt ?? time)
    pipeline.add(KeepPlans())
    patterns = pipeline.add(ReadProtectedPatterns(only: number))
    numbers = pipeline.add(ReadProtectedNumber(number: number))
    ranges = pipeline.add(ReadRangeOfNumber(number: number))
    thresholds = pipeline.add(ReadThresholds(version: nil))
    sources = pipeline.add(ReadSourceRules(version: nil))
    ceilings = pipeline.add(ReadCeilings())
    standing = pipeline.add(ReadStandingDecision(number: number))
    decisions = pipeline.add(ReadDecisions(number: number))
    removals = pipeline.add(ReadRemovalsOfNumber(number: number))
    holds = pipeline.add(ReadHold(number: number))
    usual = pipeline.add(ReadUsualBurst(number: number))
    listings = pipeline.add(ReadListing(number: number))
    appeals = pipeline.add(ReadAppealsOf(number: number))
    appealedDays = pipeline.add(ReadAppealedDaysOf(number: number, time: time))
    record = pipeline.add(ReadRecord(number: number))
    weights = pipeline.add(ReadNumberWeights(number: number))
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
      let names = try await pool.run(ReadAppNames(apps: score.lists.map(\.appID)))
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
