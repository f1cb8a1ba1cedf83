// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import PostgreSQL

extension SQL {
  /// Queues messages. Safe to repeat.
  static func queueDeliveries(deliveries: [WebhookDelivery], now: Date) -> Statement<Void> {
    let sorted = deliveries.sorted { $0.id.uuidString < $1.id.uuidString }
    return Statement(
      """
      INSERT INTO webhook_deliveries (delivery_id, url, body, created_at, next_attempt_at)
      SELECT d.id, d.url, d.body, $4, $4 FROM unnest($1::uuid[], $2::text[], $3::text[]) AS d (id, url, body)
      ON CONFLICT (delivery_id) DO NOTHING
      """,
      sorted.map(\.id), sorted.map(\.url), sorted.map(\.body), now)
  }

  /// Takes due messages for a limited time: each goes to one server, and is due again if that server fails.
  static func takeDeliveries(now: Date, until: Date, limit: Int) -> Statement<WebhookDelivery> {
    // The condition is repeated, because a statement that has waited for a row checks only the outer one again.
    Statement(
      """
      UPDATE webhook_deliveries SET attempts = attempts + 1, next_attempt_at = $2
      WHERE delivered_at IS NULL AND next_attempt_at <= $1 AND delivery_id IN (
        SELECT delivery_id FROM webhook_deliveries WHERE delivered_at IS NULL AND next_attempt_at <= $1
        ORDER BY next_attempt_at LIMIT $3::bigint
      )
      RETURNING delivery_id, url, body, attempts
      """,
      now, until, Int64(limit)
    ) { row in
      let attempts: Int32 = try row.decode(3)
      return WebhookDelivery(
        id: try row.decode(0), url: try row.decode(1), body: try row.decode(2), attempts: Int(attempts))
    }
  }

  /// Stores that a message was delivered.
  static func settleDelivery(id: UUID, now: Date) -> Statement<Void> {
    Statement(
      """
      UPDATE webhook_deliveries SET delivered_at = $2, last_error = NULL
      WHERE delivery_id = $1 AND delivered_at IS NULL
      """,
      id, now)
  }

  /// Stores that an attempt failed, and the time of the next one.
  static func postponeDelivery(id: UUID, next: Date, failure: WebhookFailure) -> Statement<Void> {
    Statement(
      """
      UPDATE webhook_deliveries SET next_attempt_at = $2, last_error = $3::text::jsonb
      WHERE delivery_id = $1 AND delivered_at IS NULL
      """,
      id, next, failure.json)
  }

  /// Deletes old messages, delivered or given up.
  static func purgeDeliveries(before: Date) -> Statement<Void> {
    Statement(
      "DELETE FROM webhook_deliveries WHERE created_at < $1",
      before)
  }

  /// The URLs of the webhook receivers.
  static func readReceivers() -> Statement<String> {
    Statement(
      "SELECT url FROM webhook_receivers ORDER BY url"
    ) { try $0.decode(0) }
  }

  /// Adds missing receivers.
  static func addReceivers(urls: [String]) -> Statement<Void> {
    Statement(
      """
      INSERT INTO webhook_receivers (url) SELECT url FROM unnest($1::text[]) AS t (url) ORDER BY url
      ON CONFLICT (url) DO NOTHING
      """,
      urls)
  }

  /// Deletes all receivers except these.
  static func forgetReceivers(except: [String]) -> Statement<Void> {
    Statement(
      "DELETE FROM webhook_receivers WHERE NOT url = ANY($1::text[])",
      except)
  }
}
