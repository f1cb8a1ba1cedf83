// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import PostgreSQL

/// Selects a page of the queue.
struct QueueQuery: Sendable {
  let after: QueuePlace
  let filter: QueueFilter
  let level: Int16
  let time: Date
  let limit: Int
}

extension SQL {
  /// A page of the queue in an order: the most urgent, the oldest, those with the most reports or the highest heat first.
  static func readQueue(_ query: QueueQuery, by order: QueueOrder) -> Statement<QueueRow> {
    switch order {
    case .urgency: readQueue(query, by: "urgency", "bigint", after: query.after.value)
    case .age: readQueue(query, by: "since", "timestamptz", after: query.after.time)
    case .reports: readQueue(query, by: "reports", "bigint", descending: true, after: query.after.value)
    case .heat: readQueue(query, by: "heat", "float8", descending: true, after: query.after.heat)
    }
  }

  /// The rows behind a cursor in the order of a column of the queue.
  /// - Parameters:
  ///   - type: the column's type.
  ///   - after: the cursor's value of the column.
  private static func readQueue(
    _ query: QueueQuery, by column: String, _ type: String, descending: Bool = false, after: some PostgresBindable
  ) -> Statement<QueueRow> {
    let direction = descending ? " DESC" : ""
    let order = "q.\(column)\(direction), q.number\(direction)"
    return Statement(
      """
      SELECT \(QueueSQL.columns), coalesce(n.heat, 0), coalesce(n.reports, 0), n.last_reported_at, q.heat, q.reports
      FROM (
        SELECT * FROM queue q
        WHERE (q.\(column), q.number) \(descending ? "<" : ">") ($1::\(type), $2::bigint) AND \(QueueSQL.filter(from: 4))
        ORDER BY \(order) LIMIT $3::bigint
      ) q LEFT JOIN numbers n ON n.number = q.number
      ORDER BY \(order)
      """,
      after, query.after.number, Int64(query.limit),
      QueueSQL.Filter(filter: query.filter, level: query.level, time: query.time)
    ) { row in
      QueueRow(
        item: try QueueSQL.decode(row), heat: try row.decode(11), reports: try row.decode(12),
        lastReportedAt: try row.decode(13), order: QueueSums(heat: try row.decode(14), reports: try row.decode(15)))
    }
  }
}
