// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import PostgreSQL
import Storage

/// Numbers that a review would hold, divided by the verdict of the thresholds.
struct Suspects: Sendable {
  var candidates = Set<Int64>()
  var listed = Set<Int64>()

  func holds(_ number: Int64, _ verdict: Verdict) -> Bool {
    switch verdict {
    case .candidate: candidates.contains(number)
    case .listed: listed.contains(number)
    default: false
    }
  }
}

extension BrigadeReview {
  /// Finds the numbers that a review would hold if one of these threshold sets were in force. Holds nothing.
  /// - Parameter connection: within a transaction that reads one snapshot.
  func suspects(
    by sets: [ThresholdSet], at time: Date, on connection: PostgresConnection
  ) async throws -> Suspects {
    let heat = sets.reduce(Double.infinity) { min($0, $1.lowestListedHeat) }
    var background: BrigadeBaseline?
    var suspects = Suspects()
    try await store.forEachReviewable(
      hotterThan: heat, reporters: BrigadeDetection.leastSuspects, at: time, on: connection
    ) { numbers in
      var listed = Set<Int64>()
      var candidates = Set<Int64>()
      for set in sets {
        for (number, verdict) in try await verdicts(on: numbers, at: time, by: set, on: connection) {
          if verdict == .listed { listed.insert(number) } else { candidates.insert(number) }
        }
      }
      guard !listed.isEmpty || !candidates.isEmpty else { return }
      let usual = try await usual(background, at: time, on: connection)
      background = usual
      try await store.forEachVotes(of: listed.union(candidates).sorted(), at: time, on: connection) { item in
        if listed.contains(item.number), BrigadeDetection.evaluateListed(item.votes).finding != nil {
          suspects.listed.insert(item.number)
        }
        if candidates.contains(item.number),
          BrigadeDetection.evaluate(item.votes, background: usual).finding != nil
        {
          suspects.candidates.insert(item.number)
        }
      }
    }
    return suspects
  }
}
