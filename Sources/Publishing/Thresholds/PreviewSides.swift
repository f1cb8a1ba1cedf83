// SPDX-License-Identifier: Apache-2.0

public import Curation
public import Foundation
public import PostgreSQL
import Storage

/// Evaluates numbers by two sets of thresholds, with the other rules of a publication.
struct PreviewSides {
  /// The evaluation of a number by both sets.
  struct Outcome {
    let score: Score
    /// The category of the side that lists it: after the change, otherwise the present one.
    let category: ReportCategory?
    let before: SourceCeiling
    let after: SourceCeiling
    /// A review would hold it with the present set but not with the change.
    let isHeldOnlyBefore: Bool
    /// A review would hold it with the change but not with the present set.
    let isHeldOnlyAfter: Bool
  }

  private let state: CurationState
  private let stateNow: CurationState
  private let stateThen: CurationState
  private let present: ThresholdSet
  private let change: ThresholdSet
  /// The numbers with the weights of the change; nil where it changes none.
  private let reweighed: ReweighedVotes?
  private let ranges: [ClosedRange<Int64>]
  private let identified: [ClosedRange<Int64>]
  /// Numbers of the ranges with a record so far.
  private var met = 0
  private let decided: Int

  /// - Parameter suspects: the numbers whose reports a review would hold with the present set, and with the change; nil
  ///   keeps the stored holds.
  init(
    state: CurationState, suspects: (BrigadeReview.Outcome, BrigadeReview.Outcome)?, present: ThresholdSet,
    change: ThresholdSet, reweighed: ReweighedVotes? = nil
  ) {
    self.reweighed = reweighed
    self.state = state
    (stateNow, stateThen) = suspects.map { (state.with($0), state.with($1)) } ?? (state, state)
    self.present = present
    self.change = change
    let ruled = state.ruledRanges()
    ranges = ruled.map(\.numbers)
    identified = ruled.filter { $0.treatment == .identify }.map(\.numbers)
    decided = state.countListedByDecisions()
  }

  /// The count of numbers listed regardless of thresholds: by decisions, and numbers of ranges without records.
  var fixed: Int { decided + ranges.reduce(0) { $0 + $1.count } - met }

  /// - Returns: nil for a number with a decision.
  mutating func evaluate(
    _ record: NumberRecord, at time: Date, country: @Sendable (Int64) -> String?
  ) -> Outcome? {
    guard state.decisions.decision(of: record.number) == nil else { return nil }
    let score = Score(record, at: time)
    let isMember = !ranges.overlapping(record.number...record.number).isEmpty
    let isIdentified = isMember && !identified.overlapping(record.number...record.number).isEmpty
    if isMember { met += 1 }
    func side(_ score: Score, _ thresholds: ThresholdSet, _ state: CurationState) -> (
      treatment: SourceCeiling, isHeld: Bool, category: ReportCategory?
    ) {
      let overrides = state.overrides(of: record)
      let evaluation = score.evaluate(by: thresholds, in: overrides) { country(record.number) }
      let isListed = [.listed, .candidate].contains(evaluation.verdict)
      let isInRange = isMember && !overrides.isHeld && state.reportCeilings[record.number] != .nothing
      let reported = isListed ? evaluation.ceiling : .nothing
      let treatment = isInRange ? max(reported, isIdentified ? .identify : .block) : reported
      return (treatment, evaluation.verdict == .held, evaluation.category)
    }
    let changed = reweighed.map { Score($0.applied(to: record), at: time) } ?? score
    let (before, after) = (side(score, present, stateNow), side(changed, change, stateThen))
    return Outcome(
      score: score, category: (after.treatment > .nothing ? after : before).category, before: before.treatment,
      after: after.treatment, isHeldOnlyBefore: before.isHeld && !after.isHeld,
      isHeldOnlyAfter: after.isHeld && !before.isHeld)
  }
}

extension Selection {
  /// Computes the numbers that a change of thresholds would add to the next publication and remove from it. Saves
  /// nothing.
  ///
  /// It reads one snapshot once and evaluates every number by both sets, with decisions, protected numbers, holds and
  /// rules for ranges. With `holding` it also excludes the candidates that the next review for brigades would hold.
  /// - Parameters:
  /// - change: the proposed set.
  /// - present: the set to compare with.
  /// - time: the time of the publication.
  /// - examples: the maximum of example numbers kept, for added and for removed numbers.
  /// - holding: the review that a publication makes; nil for none.
  /// - connection: within a transaction that reads one snapshot.
  /// - progress: receives the current step.
  public func preview(
    _ change: ThresholdSet, against present: ThresholdSet, at time: Date, examples: Int, holding: BrigadeReview? = nil,
    on connection: PostgresConnection, progress: @Sendable (JobStep) -> Void = { _ in }
  ) async throws -> ThresholdPreview {
    var preview = ThresholdPreview(examples: examples)
    let floor = change.floor.lowered(to: present.floor)
    progress(.findingBrigades)
    var suspects: (BrigadeReview.Outcome, BrigadeReview.Outcome)?
    if let holding {
      suspects = (
        try await holding.suspects(by: present, at: time, on: connection),
        try await holding.suspects(by: change, at: time, on: connection)
      )
    }
    let reweighed =
      change.attestation == present.attestation
      ? nil
      : try await ReweighedVotes(by: change.attestation, hotterThan: floor.lowest, at: time, on: connection)
    var sides = PreviewSides(
      state: try await CurationStateStore.load(at: time, on: connection), suspects: suspects, present: present,
      change: change, reweighed: reweighed)
    var judged = 0
    progress(.comparingThresholds(count: 0))
    try await NumberRecordStore.forEachRecord(above: floor, at: time, on: connection) { records in
      try Task.checkCancellation()
      for record in records {
        // Thresholds do not affect a decided number.
        guard let outcome = sides.evaluate(record, at: time, country: country) else { continue }
        if outcome.isHeldOnlyBefore { preview.released += 1 }
        if outcome.isHeldOnlyAfter { preview.newlyHeld += 1 }
        guard max(outcome.before, outcome.after) > .nothing, let category = outcome.category else { continue }
        let kind = ThresholdPreview.Kind(category: category, country: country(record.number))
        preview.take(record.number, outcome.score, as: kind, before: outcome.before, after: outcome.after)
      }
      judged += records.count
      progress(.comparingThresholds(count: judged))
    }
    preview.fixed = sides.fixed
    return preview
  }
}
