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

  static let columns = """
    \(QueueSQL.columns), coalesce(n.heat, 0), coalesce(n.reports, 0), n.last_reported_at, q.heat, q.reports
    """

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

  static let sql = """
    SELECT \(QueueQuery.columns)
    FROM (
      SELECT * FROM queue q WHERE (q.urgency, q.number) > ($1::bigint, $2::bigint) AND \(QueueSQL.filter(from: 4))
      ORDER BY q.urgency, q.number LIMIT $3::bigint
    ) q LEFT JOIN numbers n ON n.number = q.number
    ORDER BY q.urgency, q.number
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(query.after.value)
    query.bindRest(into: &parameters)
  }

  static func decode(_ row: PostgresRow) throws -> QueueRow { try QueueQuery.decode(row) }
}

/// A page of the queue, the oldest cases first.
struct ReadQueueByAge: PostgresStatement {
  let query: QueueQuery

  static let sql = """
    SELECT \(QueueQuery.columns)
    FROM (
      SELECT * FROM queue q WHERE (q.since, q.number) > ($1::timestamptz, $2::bigint) AND \(QueueSQL.filter(from: 4))
      ORDER BY q.since, q.number LIMIT $3::bigint
    ) q LEFT JOIN numbers n ON n.number = q.number
    ORDER BY q.since, q.number
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(query.after.time)
    query.bindRest(into: &parameters)
  }

  static func decode(_ row: PostgresRow) throws -> QueueRow { try QueueQuery.decode(row) }
}

/// A page of the queue, the cases with the most reports first.
struct ReadQueueByReports: PostgresStatement {
  let query: QueueQuery

  static let sql = """
    SELECT \(QueueQuery.columns)
    FROM (
      SELECT * FROM queue q WHERE (q.reports, q.number) < ($1::bigint, $2::bigint) AND \(QueueSQL.filter(from: 4))
      ORDER BY q.reports DESC, q.number DESC LIMIT $3::bigint
    ) q LEFT JOIN numbers n ON n.number = q.number
    ORDER BY q.reports DESC, q.number DESC
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(query.after.value)
    query.bindRest(into: &parameters)
  }

  static func decode(_ row: PostgresRow) throws -> QueueRow { try QueueQuery.decode(row) }
}

/// A page of the queue, the hottest cases first.
struct ReadQueueByHeat: PostgresStatement {
  let query: QueueQuery

  static let sql = """
    SELECT \(QueueQuery.columns)
    FROM (
      SELECT * FROM queue q WHERE (q.heat, q.number) < ($1::float8, $2::bigint) AND \(QueueSQL.filter(from: 4))
      ORDER BY q.heat DESC, q.number DESC LIMIT $3::bigint
    ) q LEFT JOIN numbers n ON n.number = q.number
    ORDER BY q.heat DESC, q.number DESC
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(query.after.heat)
    query.bindRest(into: &parameters)
  }

  static func decode(_ row: PostgresRow) throws -> QueueRow { try QueueQuery.decode(row) }
}
