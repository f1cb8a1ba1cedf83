// SPDX-License-Identifier: Apache-2.0

public import Curation
import Foundation
public import PostgreSQL

/// Numbers and their aggregates.
public struct NumberStore: Sendable {
  private let pool: PostgresPool

  /// - Parameter pool: where numbers are kept.
  public init(pool: PostgresPool) {
    self.pool = pool
  }

  /// A number's aggregates; without parts when it was never reported.
  public func standing(of number: Int64) async throws -> NumberAggregate {
    NumberAggregate(parts: try await pool.run(SQL.readStanding(number: number)))
  }

  /// A number's record; nil when it was never reported.
  public func record(of number: Int64) async throws -> NumberRecord? {
    try await NumberRecordStore(pool: pool).record(of: number)
  }
}

extension SQL {
  /// The aggregates of one number by category.
  static func readStanding(number: Int64) -> Statement<NumberAggregate.Part> {
    Statement(
      """
      SELECT category_id, heat, evidence, reports, reporters FROM number_categories WHERE number = $1 ORDER BY category_id
      """,
      number
    ) { row in
      NumberAggregate.Part(
        category: try row.category(0), heat: try row.decode(1), evidence: try row.decode(2),
        reports: try row.decode(3), reporters: try row.decode(4))
    }
  }
}

extension PostgresRow {
  /// A category by its id.
  func category(_ column: Int) throws -> ReportCategory {
    let id: Int16 = try decode(column)
    guard let category = ReportCategory(rawValue: id) else { throw StorageError.unknownCategory(id: id) }
    return category
  }
}
