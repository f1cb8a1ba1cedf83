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
