// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation

/// Evaluates numbers by two sets of thresholds, with the other rules of a publication.
struct PreviewSides {
  /// The evaluation of a number by both sets.
  struct Outcome {
    let score: Score
    /// The category of the side that lists it: that of the change, otherwise the present one.
    let category: ReportCategory?
    let before: Bool
    let after: Bool
    /// A review would hold it with the present set but not with the change.
    let isHeldOnlyBefore: Bool
    /// A review would hold it with the change but not with the present set.
    let isHeldOnlyAfter: Bool
  }

  private let state: CurationState
  private let suspects: Suspects
  private let present: ThresholdSet
  private let change: ThresholdSet
  /// Members of approved ranges without a record so far.
  private var unmet: Set<Int64>
  private let members: Set<Int64>
  private let decided: Int

  init(state: CurationState, suspects: Suspects, present: ThresholdSet, change: ThresholdSet) {
    self.state = state
    self.suspects = suspects
    self.present = present
    self.change = change
    members = Set(state.rangeNumbers().map(\.number))
    unmet = members
    decided = state.countListedByDecisions()
  }

  /// The count of numbers listed regardless of thresholds: by decisions, and members of ranges without records.
  var fixed: Int { decided + unmet.count }

  /// - Returns: nil for a number with a decision.
  mutating func evaluate(
    _ record: NumberRecord, at time: Date, country: @Sendable (Int64) -> String?
  ) -> Outcome? {
    guard state.decisions.decision(of: record.number) == nil else { return nil }
    let score = Score(record, at: time)
    let isMember = members.contains(record.number)
    if isMember { unmet.remove(record.number) }
    let overrides = state.overrides(of: record.number)
    func side(_ thresholds: ThresholdSet) -> (isListed: Bool, isHeld: Bool, category: ReportCategory?) {
      let evaluation = score.evaluate(by: thresholds, in: overrides) { country(record.number) }
      let verdict = evaluation.verdict
      if suspects.holds(record.number, verdict) { return (false, true, evaluation.category) }
      return (verdict == .listed || verdict == .candidate || isMember, false, evaluation.category)
    }
    let (before, after) = (side(present), side(change))
    return Outcome(
      score: score, category: (after.isListed ? after : before).category, before: before.isListed,
      after: after.isListed, isHeldOnlyBefore: before.isHeld && !after.isHeld,
      isHeldOnlyAfter: after.isHeld && !before.isHeld)
  }
}
