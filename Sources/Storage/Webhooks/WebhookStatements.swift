import Curation
import Foundation
import PostgreSQL

/// Queues messages. Queueing one again is harmless.
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

/// Takes messages that are due, for a time: of two servers one gets each, and gets it again should it fall silent.
struct TakeDeliveries: PostgresStatement {
  let now: Date
  let until: Date
  let limit: Int

  // The condition stands twice: whoever waits for a row looks at it again when it is free.
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

/// A message has arrived.
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

/// A message has not arrived.
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

/// Forgets messages that were queued long ago, arrived or given up.
struct PurgeDeliveries: PostgresStatement {
  typealias Row = Void
  let before: Date

  static let sql = "DELETE FROM webhook_deliveries WHERE created_at < $1"

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(before)
  }
}

/// Who is told of publications.
struct ReadReceivers: PostgresStatement {
  static let sql = "SELECT url FROM webhook_receivers ORDER BY url"

  static func decode(_ row: PostgresRow) throws -> String { try row.decode(0) }
}

/// Adds receivers that are not there.
struct AddReceivers: PostgresStatement {
  typealias Row = Void
  let urls: [String]

  static let sql = """
    INSERT INTO webhook_receivers (url) SELECT url FROM unnest($1::text[]) AS t (url) ORDER BY url
    ON CONFLICT (url) DO NOTHING
    """

  func bind(into parameters: inout PostgresParameters) { parameters.append(urls) }
}

/// Forgets all receivers but these.
struct ForgetReceivers: PostgresStatement {
  typealias Row = Void
  let except: [String]

  static let sql = "DELETE FROM webhook_receivers WHERE NOT url = ANY($1::text[])"

  func bind(into parameters: inout PostgresParameters) { parameters.append(except) }
}
