public import Curation
public import Foundation
public import PostgreSQL
import Storage

extension Selection {
  /// What a change of thresholds would add to the next publication and take from it; nothing is saved.
  ///
  /// One pass over one snapshot, every number judged by both sets.
  /// - Parameters:
  ///   - change: the set that is thought of.
  ///   - present: the set that it is held against.
  ///   - time: the moment of the publication.
  ///   - examples: the most numbers that are kept of what comes, and of what goes.
  ///   - connection: within a transaction that reads one snapshot.
  public func preview(
    _ change: ThresholdSet, against present: ThresholdSet, at time: Date, examples: Int,
    on connection: PostgresConnection
  ) async throws -> ThresholdPreview {
    var preview = ThresholdPreview(examples: examples)
    let state = try await CurationStateStore.load(at: time, on: connection)
    let lowest = min(change.lowestListedHeat, present.lowestListedHeat)
    try await RecordStore.forEachRecord(hotterThan: lowest, at: time, on: connection) { records in
      // A ruling decides alone, whatever the thresholds are.
      for record in records where state.rulings.ruling(of: record.number) == nil {
        let before = listed(record, at: time, by: present, in: state) != nil
        let after = listed(record, at: time, by: change, in: state) != nil
        guard before || after else { continue }
        let score = Score(record, at: time)
        guard let category = score.leading else { continue }
        let kind = ThresholdPreview.Kind(category: category, country: country(record.number))
        preview.take(record.number, score, as: kind, before: before, after: after)
      }
    }
    return preview
  }
}
