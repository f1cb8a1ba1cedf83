public import Foundation
import Curation
public import PostgreSQL

/// What the benchmarks of curation need of the database, in a data folder of their own.
public struct ScoreBenchmark: Sendable {
  private let connection: PostgresConnection

  /// - Parameter connection: to a database that is there for benchmarks.
  public init(connection: PostgresConnection) {
    self.connection = connection
  }

  /// Makes up numbers, unless there are some.
  /// - Returns: how many there are, and how many the thresholds in force would have judged at `time`.
  public func fill(numbers: Int, at time: Date) async throws -> (numbers: Int, judged: Int) {
    let lowest = try await ThresholdStore.current(on: connection).set.lowestListedHeat
    let heat = Decay.heat.scale(at: time)
    let count = CountScores(heat: lowest * heat)
    let there = try await connection.run(count)[0]
    guard there.numbers == 0 else { return there }
    let evidence = Decay.evidence.scale(at: time)
    for script in FillScores.scripts(numbers: numbers, heat: heat, evidence: evidence) {
      try await connection.execute(script: script)
    }
    return try await connection.run(count)[0]
  }

  /// Inserts reports and nothing that they add up to; their month's partition must be there.
  public func insertAlone(_ reports: [Report], receivedAt: Date) async throws {
    _ = try await connection.run(InsertReportsAlone(reports: reports, receivedAt: receivedAt))
  }
}
