// SPDX-License-Identifier: Apache-2.0

package import Foundation
package import PostgreSQL
import Synchronization

/// The result of a transaction with the audit events of its changes. Only a change adds events to the audit log.
package struct Change<Value: Sendable>: Sendable {
  fileprivate let value: Value
  fileprivate let events: [AuditEvent]

  /// - Parameter events: none where nothing changed.
  package static func made(_ events: [AuditEvent], _ value: Value) -> Change { Change(value: value, events: events) }

  package static func made(_ event: AuditEvent, _ value: Value) -> Change { made([event], value) }

  package static func none(_ value: Value) -> Change { made([], value) }
}

extension Change<Void> {
  package static func made(_ event: AuditEvent) -> Change { made([event], ()) }

  package static var none: Change { none(()) }
}

extension PostgresPool {
  /// Runs a transaction that changes what people see, adds the audit events of its changes, and repeats it after
  /// retryable errors.
  ///
  /// A repeated transaction does not take its own changes for changes by others: where an earlier attempt was committed
  /// without an acknowledgement, the result is the one of that attempt.
  /// - Parameter time: of the events.
  /// - Throws: The error of `body`, and `PostgresError` when the attempts are used up.
  @discardableResult
  package func change<Value: Sendable>(
    at time: Date, retry: PostgresRetryPolicy = .default,
    _ body: @Sendable (PostgresConnection) async throws -> Change<Value>
  ) async throws -> Value {
    let attempts = Mutex<[UUID: Value]>([:])
    @Sendable func attempt(_ connection: PostgresConnection) async throws -> Value {
      let change = try await body(connection)
      try await connection.append(change.events, at: time)
      if let event = change.events.first { attempts.withLock { $0[event.id] = change.value } }
      return change.value
    }
    return try await transaction(retry: retry) { connection in
      let earlier = attempts.withLock { $0 }
      guard !earlier.isEmpty else { return try await attempt(connection) }
      @Sendable func committed(_ connection: PostgresConnection) async throws -> Value? {
        try await connection.run(SQL.findAuditEvents(ids: Array(earlier.keys), time: time)).first.flatMap {
          earlier[$0]
        }
      }
      if let value = try await committed(connection) { return value }
      do {
        return try await connection.transaction { connection in
          let value = try await attempt(connection)
          // The server may have committed the earlier attempt only while this one waited for its locks.
          guard try await committed(connection) == nil else { throw MadeBefore() }
          return value
        }
      } catch  where (error as? PostgresError)?.sqlState?.hasPrefix("23") ?? !(error is PostgresError) {
        // Rows of the earlier attempt, which this one would insert again.
        guard let value = try await committed(connection) else { throw error }
        return value
      }
    }
  }
}

/// Rolls back an attempt whose changes an earlier one has made.
private struct MadeBefore: Error {}

extension PostgresConnection {
  /// Adds events in the transaction of their changes, so that both commit or neither does.
  fileprivate func append(_ events: [AuditEvent], at time: Date) async throws {
    for start in stride(from: 0, to: events.count, by: 500) {
      var pipeline = PostgresPipeline()
      for event in events[start..<min(start + 500, events.count)] {
        pipeline.add(SQL.appendAuditEvent(event, at: time))
      }
      _ = try await run(pipeline)
    }
  }
}

extension SQL {
  /// The events among these that are in the audit log.
  fileprivate static func findAuditEvents(ids: [UUID], time: Date) -> Statement<UUID> {
    Statement(
      "SELECT event_id FROM audit_events WHERE happened_at = $1 AND event_id = ANY($2::uuid[])", time, ids)
  }

  /// Adds an event to the audit log, and to the outbox where events are written elsewhere too.
  fileprivate static func appendAuditEvent(_ event: AuditEvent, at time: Date) -> Statement<Void> {
    Statement(
      """
      WITH added AS (
        INSERT INTO audit_events (happened_at, event_id, actor, role, action, subject, before, after, reason, via)
        VALUES ($1, $2, $3, $4, $5, $6, $7::text::jsonb, $8::text::jsonb, $9, $10)
        ON CONFLICT (happened_at, event_id) DO NOTHING
        RETURNING happened_at, event_id
      )
      INSERT INTO audit_outbox (happened_at, event_id)
      SELECT happened_at, event_id FROM added WHERE EXISTS (SELECT 1 FROM audit_output)
      """,
      time, event.id, event.actor, event.role, event.action, event.subject, AuditFields.encode(event.before),
      AuditFields.encode(event.after), event.reason, event.via)
  }
}
