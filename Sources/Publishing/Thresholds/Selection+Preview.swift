public import Curation
public import Foundation
public import PostgreSQL
import Storage

extension Selection {
  /// What a change of thresholds would add to the next publication and take from it; nothing is saved.
  ///
  /// One pass over one snapshot, every number judged by both sets, with everything else that a publication respects:
  /// decisions, protected numbers, holds and approved ranges, which stay whatever thresholds say, and, where `holding` is
  /// given, the candidates that tonight's review for brigades would hold back.
  /// - Parameters:
  ///   - change: the set that is thought of.
  ///   - present: the set that it is held against.
  ///   - time: the moment of the publication.
  ///   - examples: the most numbers that are kept of what comes, and of what goes.
  ///   - holding: the review that a publication makes; nil: none is made.
  ///   - connection: within a transaction that reads one snapshot.
  ///   - progress: told how far it is.
  public func preview(
    _ change: ThresholdSet, against present: ThresholdSet, at time: Date, examples: Int, holding: BrigadeReview? = nil,
    on connection: PostgresConnection, progress: @Sendable (JobStep) -> Void = { _ in }
  ) async throws -> ThresholdPreview {
    var preview = ThresholdPreview(examples: examples)
    let lowest = min(change.lowestListedHeat, present.lowestListedHeat)
    progress(.findingBrigades)
    let suspects = try await holding?.suspects(by: [present, change], at: time, on: connection) ?? Suspects()
    var sides = PreviewSides(
      state: try await CurationStateStore.load(at: time, on: connection), suspects: suspects, present: present,
      change: change)
    var judged = 0
    progress(.comparingThresholds(0))
    try await NumberRecordStore.forEachRecord(hotterThan: lowest, at: time, on: connection) { records in
      try Task.checkCancellation()
      for record in records {
        // A decision decides alone, whatever the thresholds are.
        guard let outcome = sides.judge(record, at: time, country: country) else { continue }
        if outcome.isHeldOnlyBefore { preview.released += 1 }
        if outcome.isHeldOnlyAfter { preview.newlyHeld += 1 }
        guard outcome.before || outcome.after, let category = outcome.score.leading else { continue }
        let kind = ThresholdPreview.Kind(category: category, country: country(record.number))
        preview.take(record.number, outcome.score, as: kind, before: outcome.before, after: outcome.after)
      }
      judged += records.count
      progress(.comparingThresholds(judged))
    }
    preview.fixed = sides.fixed
    return preview
  }
}
