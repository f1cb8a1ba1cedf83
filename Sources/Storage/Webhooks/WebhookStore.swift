// SPDX-License-Identifier: Apache-2.0

public import Curation
public import Foundation
public import PostgreSQL

/// Webhook receivers and the messages to them.
public struct WebhookStore: Sendable {
  private let pool: PostgresPool

  /// - Parameter pool: the pool of the database with the messages.
  public init(pool: PostgresPool) {
    self.pool = pool
  }

  /// Queues messages within a transaction: they are sent only if it commits.
  public static func queue(
    _ deliveries: [WebhookDelivery], at now: Date, on connection: PostgresConnection
  ) async throws {
    guard !deliveries.isEmpty else { return }
    _ = try await connection.run(SQL.queueDeliveries(deliveries: deliveries, now: now))
  }

  /// Replaces the webhook receivers.
  /// - Parameter urls: each 1 to 2,000 characters; others are deleted.
  public func replaceReceivers(_ urls: [String]) async throws {
    try await pool.transaction { connection in
      _ = try await connection.run(SQL.forgetReceivers(except: urls))
      _ = try await connection.run(SQL.addReceivers(urls: Set(urls).sorted()))
    }
  }

  /// The URLs of the webhook receivers.
  public static func receivers(on connection: PostgresConnection) async throws -> [String] {
    try await connection.run(SQL.readReceivers())
  }

  /// Takes messages that are due at `now`; no other server gets them before `until`.
  /// - Parameter limit: the most messages.
  public func take(at now: Date, until: Date, limit: Int) async throws -> [WebhookDelivery] {
    try await pool.run(SQL.takeDeliveries(now: now, until: until, limit: limit))
  }

  /// Stores that a message was delivered.
  public func settle(_ delivery: WebhookDelivery, at now: Date) async throws {
    _ = try await pool.run(SQL.settleDelivery(id: delivery.id, now: now))
  }

  /// Stores why an attempt failed, and when to try again; nil for never.
  public func postpone(_ delivery: WebhookDelivery, until next: Date?, failure: WebhookFailure) async throws {
    let next = next ?? Self.never
    _ = try await pool.run(SQL.postponeDelivery(id: delivery.id, next: next, failure: failure))
  }

  /// Deletes messages that were queued before `time`.
  public func purge(before time: Date) async throws {
    _ = try await pool.run(SQL.purgeDeliveries(before: time))
  }

  /// 9999-01-01
  private static let never = Date(timeIntervalSince1970: 253_370_764_800)
}

/// One message to one receiver.
public struct WebhookDelivery: Sendable, Equatable {
  /// The same for the same message to the same receiver, however often it is queued or sent.
  public let id: UUID
  /// The receiver's URL.
  public let url: String
  /// The JSON body, exactly as signed.
  public let body: String
  /// Number of attempts, including this one.
  public let attempts: Int

  /// Creates a value from its properties.
  public init(id: UUID, url: String, body: String, attempts: Int = 0) {
    self.id = id
    self.url = url
    self.body = body
    self.attempts = attempts
  }
}

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
    Statement("DELETE FROM webhook_deliveries WHERE created_at < $1", before)
  }

  /// The URLs of the webhook receivers.
  static func readReceivers() -> Statement<String> {
    Statement("SELECT url FROM webhook_receivers ORDER BY url") { try $0.decode(0) }
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
    Statement("DELETE FROM webhook_receivers WHERE NOT url = ANY($1::text[])", except)
  }
}
