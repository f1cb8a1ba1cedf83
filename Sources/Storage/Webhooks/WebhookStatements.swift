// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import PostgreSQL

/// Queues messages. Safe to repeat.
struct QueueDeliveries: PostgresStatement {
  typealias Row = Void
  let deliveries: [WebhookDelivery]
  let now: Date

  static let sql = """
    INSERT INTO webhook_deliveries (delivery_id, url, body, created_at, next_attempt_at)
    SELECT d.id, d.url, d.body, $4, $4 FROM unnest($1::uuid[], $2::text[], $3::text[]) AS d (id, url, body)
    ON CONFLICT (delivery_id) DO NOTHING
    """

  func bind(into parameters: inout PostgresParameters) {
    let sorted = deliveries.sorted { $0.id.uuidString < $1.id.uuidString }
    parameters.append(sorted.map(\.id))
    parameters.append(sorted.map(\.url))
    parameters.append(sorted.map(\.body))
    parameters.append(now)
  }
}

/// Takes due messages for a limited time: each goes to one server, and is due again if that server fails.
struct TakeDeliveries: PostgresStatement {
  let now: Date
  let until: Date
  let limit: Int

  // The condition is repeated, because a statement that has waited for a row checks only the outer one again.
  static let sql = """
    UPDATE webhook_deliveries SET attempts = attempts + 1, next_attempt_at = $2
    WHERE delivered_at IS NULL AND next_attempt_at <= $1 AND delivery_id IN (
      SELECT delivery_id FROM webhook_deliveries WHERE delivered_at IS NULL AND next_attempt_at <= $1
      ORDER BY next_attempt_at LIMIT $3::bigint
    )
    RETURNING delivery_id, url, body, attempts
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(now)
    parameters.append(until)
    parameters.append(Int64(limit))
  }

  static func decode(_ row: PostgresRow) throws -> WebhookDelivery {
    let attempts: Int32 = try row.decode(3)
    return WebhookDelivery(
      id: try row.decode(0), url: try row.decode(1), body: try row.decode(2), attempts: Int(attempts))
  }
}

/// Stores that a message was delivered.
struct SettleDelivery: PostgresStatement {
  typealias Row = Void
  let id: UUID
  let now: Date

  static let sql = """
    UPDATE webhook_deliveries SET delivered_at = $2, last_error = NULL
    WHERE delivery_id = $1 AND delivered_at IS NULL
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(id)
    parameters.append(now)
  }
}

/// Stores that an attempt failed, and the time of the next one.
struct PostponeDelivery: PostgresStatement {
  typealias Row = Void
  let id: UUID
  let next: Date
  let failure: WebhookFailure

  static let sql = """
    UPDATE webhook_deliveries SET next_attempt_at = $2, last_error = $3::text::jsonb
    WHERE delivery_id = $1 AND delivered_at IS NULL
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(id)
    parameters.append(next)
    parameters.append(failure.json)
  }
}

/// Deletes old messages, delivered or given up.
struct PurgeDeliveries: PostgresStatement {
  typealias Row = Void
  let before: Date

  static let sql = "DELETE FROM webhook_deliveries WHERE created_at < $1"

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(before)
  }
}

/// The URLs of the webhook receivers.
struct ReadReceivers: PostgresStatement {
  static let sql = "SELECT url FROM webhook_receivers ORDER BY url"

  static func decode(_ row: PostgresRow) throws -> String { try row.decode(0) }
}

/// Adds missing receivers.
struct AddReceivers: PostgresStatement {
  typealias Row = Void
  let urls: [String]

  static let sql = """
    INSERT INTO webhook_receivers (url) SELECT url FROM unnest($1::text[]) AS t (url) ORDER BY url
    ON CONFLICT (url) DO NOTHING
    """

  func bind(into parameters: inout PostgresParameters) { parameters.append(urls) }
}

/// Deletes all receivers except these.
struct ForgetReceivers: PostgresStatement {
  typealias Row = Void
  let except: [String]

  static let sql = "DELETE FROM webhook_receivers WHERE NOT url = ANY($1::text[])"

  func bind(into parameters: inout PostgresParameters) { parameters.append(except) }
}
