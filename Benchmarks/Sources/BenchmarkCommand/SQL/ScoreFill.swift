// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import PostgreSQL
import Storage

/// Fills a database with numbers of which about a tenth are hot enough to be evaluated.
struct ScoreFill {
  let connection: PostgresConnection

  /// Inserts numbers, unless the database has some.
  /// - Returns: how many numbers there are, and how many the thresholds in force evaluate at `time`.
  func fill(numbers: Int, at time: Date) async throws -> (numbers: Int, evaluated: Int) {
    let lowest = try await ThresholdStore.current(on: connection).set.floor.lowest
    let heat = Decay.heat.scale(at: time)
    let count = BenchmarkSQL.countScores(heat: lowest * heat)
    let present = try await connection.run(count)[0]
    guard present.numbers == 0 else { return present }
    let evidence = Decay.evidence.scale(at: time)
    for script in FillScores.scripts(numbers: numbers, heat: heat, evidence: evidence) {
      try await connection.execute(script: script)
    }
    return try await connection.run(count)[0]
  }
}
