import Curation
import Foundation
import PostgreSQL
import Storage

extension HoldReview {
  /// The numbers that a review would hold if they were candidates; nothing is held.
  /// - Parameters:
  ///   - heat: decayed, at least: the lowest of all thresholds that are thought of.
  ///   - connection: within a transaction that reads one snapshot.
  func suspects(hotterThan heat: Double, at time: Date, on connection: PostgresConnection) async throws -> Set<Int64> {
    let established = try await store.establishedReporters(
      limit: BrigadingBackground.leastEstablished, on: connection)
    var background = BrigadingBackground(established: established)
    try await store.forEachOfSample(hotterThan: heat, size: Self.sampleSize, at: time, on: connection) { numbers in
      for item in numbers { background.add(item.voices) }
    }
    var suspects = Set<Int64>()
    try await store.forEachReviewable(
      hotterThan: heat, reporters: Brigading.leastSuspects, at: time, on: connection
    ) { numbers in
      for item in numbers where Brigading.judge(item.voices, background: background) != nil {
        suspects.insert(item.number)
      }
    }
    return suspects
  }
}
