import Curation
import Foundation

/// Judges numbers by two sets of thresholds, with what a publication respects besides.
struct PreviewSides {
  /// What becomes of a number by either set.
  struct Outcome {
    let score: Score
    let before: Bool
    let after: Bool
    /// A review would hold it with the present set and not with the change.
    let isHeldOnlyBefore: Bool
    /// The other way about.
    let isHeldOnlyAfter: Bool
  }

  private let state: CurationState
  private let suspects: Suspects
  private let present: ThresholdSet
  private let change: ThresholdSet
  /// Members of approved ranges that no record was met for yet.
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

  /// Numbers that are listed whatever thresholds say: by decisions, and members of ranges that no report speaks against.
  var fixed: Int { decided + unmet.count }

  /// - Returns: nil for a number that a decision stands about.
  mutating func judge(
    _ record: NumberRecord, at time: Date, country: @Sendable (Int64) -> String?
  ) -> Outcome? {
    guard state.decisions.decision(of: record.number) == nil else { return nil }
    let score = Score(record, at: time)
    let isMember = members.contains(record.number)
    if isMember { unmet.remove(record.number) }
    let overrides = state.overrides(of: record.number)
    func side(_ thresholds: ThresholdSet) -> (isListed: Bool, isHeld: Bool) {
      let verdict = score.judge(by: thresholds, in: overrides) { country(record.number) }.verdict
      if suspects.holds(record.number, verdict) { return (false, true) }
      return (verdict == .listed || verdict == .candidate || isMember, false)
    }
    let (before, after) = (side(present), side(change))
    return Outcome(
      score: score, before: before.isListed, after: after.isListed, isHeldOnlyBefore: before.isHeld && !after.isHeld,
      isHeldOnlyAfter: after.isHeld && !before.isHeld)
  }
}
