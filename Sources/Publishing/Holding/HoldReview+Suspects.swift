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
    let usual = try await usual(nil, hotterThan: heat, at: time, on: connection)
    var suspects = Set<Int64>()
    try await store.forEachReviewable(
      hotterThan: heat, reporters: Brigading.leastSuspects, at: time, on: connection
    ) { numbers in
      try await store.forEachVoices(of: numbers, at: time, on: connection) { item in
        if Brigading.judge(item.voices, background: usual) != nil { suspects.insert(item.number) }
      }
    }
    return suspects
  }
}
