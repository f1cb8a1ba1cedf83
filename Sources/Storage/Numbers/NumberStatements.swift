// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import PostgreSQL

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
