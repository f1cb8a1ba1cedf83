public import Curation
public import Foundation
public import PostgreSQL

/// Gathers what explains a number.
public struct ExplanationStore: Sendable {
  private let pool: PostgresPool

  /// - Parameter pool: where everything is kept.
  public init(pool: PostgresPool) {
    self.pool = pool
  }

  /// Why a number is listed at `time`, or not; all of one snapshot; only the names of lists, for numbers that
  /// stand on one, are asked a moment later.
  public func explain(_ number: Int64, at time: Date) async throws -> Explanation {
    var pipeline = PostgresPipeline()
    let question = ExplanationQuery(number, at: time, in: &pipeline)
    return try await question.answer(try await pool.snapshot(pipeline), pool: pool).explanation
  }

  /// The same for apps: with figures of the beginning of the day that are cut; see ``Explanation/coarse``.
  public func explainCoarsely(_ number: Int64, at time: Date) async throws -> Explanation {
    var pipeline = PostgresPipeline()
    let question = ExplanationQuery(number, at: time, scoredAt: Explanation.coarseTime(time), in: &pipeline)
    return try await question.answer(try await pool.snapshot(pipeline), pool: pool).explanation.coarse
  }
}
