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

  /// The rows behind a cursor in the order of a column of the queue.
  /// - Parameter type: the column's type.
  static func sql(by column: String, _ type: String, descending: Bool = false) -> String {
    let direction = descending ? " DESC" : ""
    let order = "q.\(column)\(direction), q.number\(direction)"
    return """
      SELECT \(QueueSQL.columns), coalesce(n.heat, 0), coalesce(n.reports, 0), n.last_reported_at, q.heat, q.reports
      FROM (
        SELECT * FROM queue q
        WHERE (q.\(column), q.number) \(descending ? "<" : ">") ($1::\(type), $2::bigint) AND \(QueueSQL.filter(from: 4))
        ORDER BY \(order) LIMIT $3::bigint
      ) q LEFT JOIN numbers n ON n.number = q.number
      ORDER BY \(order)
      """
  }

  /// Binds everything behind the cursor's value.
  func bindRest(into parameters: inout PostgresParameters) {
    parameters.append(after.number)
    parameters.append(Int64(limit))
    QueueSQL.bind(filter, level: level, at: time, into: &parameters)
  }

  static func decode(_ row: PostgresRow) throws -> QueueRow {
    QueueRow(
      item: try QueueSQL.decode(row), heat: try row.decode(11), reports: try row.decode(12),
      lastReportedAt: try row.decode(13), order: QueueSums(heat: try row.decode(14), reports: try row.decode(15)))
  }
}

extension PostgresPipeline {
  /// Adds the statement of an order.
  mutating func add(_ query: QueueQuery, by order: QueueOrder) -> Place<QueueRow> {
    switch order {
    case .urgency: add(ReadQueue(query: query))
    case .age: add(ReadQueueByAge(query: query))
    case .reports: add(ReadQueueByReports(query: query))
    case .heat: add(ReadQueueByHeat(query: query))
    }
  }
}

/// A page of the queue, the most urgent first.
struct ReadQueue: PostgresStatement {
  let query: QueueQuery

  static let sql = QueueQuery.sql(by: "urgency", "bigint")

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(query.after.value)
    query.bindRest(into: &parameters)
  }

  static func decode(_ row: PostgresRow) throws -> QueueRow { try QueueQuery.decode(row) }
}

/// A page of the queue, the oldest cases first.
struct ReadQueueByAge: PostgresStatement {
  let query: QueueQuery

  static let sql = QueueQuery.sql(by: "since", "timestamptz")

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(query.after.time)
    query.bindRest(into: &parameters)
  }

  static func decode(_ row: PostgresRow) throws -> QueueRow { try QueueQuery.decode(row) }
}

/// A page of the queue, the cases with the most reports first.
struct ReadQueueByReports: PostgresStatement {
  let query: QueueQuery

  static let sql = QueueQuery.sql(by: "reports", "bigint", descending: true)

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(query.after.value)
    query.bindRest(into: &parameters)
  }

  static func decode(_ row: PostgresRow) throws -> QueueRow { try QueueQuery.decode(row) }
}

/// A page of the queue, the hottest cases first.
struct ReadQueueByHeat: PostgresStatement {
  let query: QueueQuery

  static let sql = QueueQuery.sql(by: "heat", "float8", descending: true)

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(query.after.heat)
    query.bindRest(into: &parameters)
  }

  static func decode(_ row: PostgresRow) throws -> QueueRow { try QueueQuery.decode(row) }
}
