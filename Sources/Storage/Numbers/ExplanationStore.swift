// SPDX-License-Identifier: Apache-2.0

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

  /// Why a number is listed at `time`, or not. Everything is from one snapshot except the names of lists, which are
  /// read afterwards for numbers that are on a list.
  public func explain(_ number: Int64, at time: Date) async throws -> Explanation {
    var pipeline = PostgresPipeline()
    let question = ExplanationQuery(number, at: time, in: &pipeline)
    return try await question.answer(try await pool.snapshot(pipeline), pool: pool).explanation
  }

  /// The same for apps: figures are rounded and as of the beginning of the day; see ``Explanation/coarse``.
  public func explainCoarsely(_ number: Int64, at time: Date) async throws -> Explanation {
    var pipeline = PostgresPipeline()
    let question = ExplanationQuery(number, at: time, scoredAt: Explanation.coarseTime(time), in: &pipeline)
    return try await question.answer(try await pool.snapshot(pipeline), pool: pool).explanation.coarse
  }
}
