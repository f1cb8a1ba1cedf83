// SPDX-License-Identifier: Apache-2.0

public import Curation
public import Foundation
public import PostgreSQL
import Storage

extension Selection {
  /// Computes the numbers that a change of thresholds would add to the next publication and remove from it. Saves
  /// nothing.
  ///
  /// It reads one snapshot once and evaluates every number by both sets, with decisions, protected numbers, holds and
  /// approved ranges. With `holding` it also excludes the candidates that the next review for brigades would hold.
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
    let lowest = min(change.lowestListedHeat, present.lowestListedHeat)
    progress(.findingBrigades)
    let suspects = try await holding?.suspects(by: [present, change], at: time, on: connection) ?? Suspects()
    var sides = PreviewSides(
      state: try await CurationStateStore.load(at: time, on: connection), suspects: suspects, present: present,
      change: change)
    var judged = 0
    progress(.comparingThresholds(count: 0))
    try await NumberRecordStore.forEachRecord(hotterThan: lowest, at: time, on: connection) { records in
      try Task.checkCancellation()
      for record in records {
        // Thresholds do not affect a decided number.
        guard let outcome = sides.evaluate(record, at: time, country: country) else { continue }
        if outcome.isHeldOnlyBefore { preview.released += 1 }
        if outcome.isHeldOnlyAfter { preview.newlyHeld += 1 }
        guard outcome.before || outcome.after, let category = outcome.category else { continue }
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
