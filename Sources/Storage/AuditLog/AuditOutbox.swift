// SPDX-License-Identifier: Apache-2.0

public import Foundation
import PostgreSQL

/// Events that a server writes to a file or to syslog: each is in the outbox from its transaction on until its delivery.
extension AuditLog {
  /// Stores where events are written from now on. Without a target, the outbox is emptied.
  public func setOutput(_ target: String?, at time: Date) async throws {
    try await pool.transaction { connection in
      guard let target else {
        _ = try await connection.pipeline(SQL.removeAuditOutput(), SQL.emptyAuditOutbox())
        return
      }
      _ = try await connection.run(SQL.setAuditOutput(target: target, time: time))
    }
  }

  /// The oldest events that are not delivered, with their places in the outbox.
  public func undelivered(limit: Int) async throws -> [(place: Int64, record: AuditRecord)] {
    try await pool.run(
      """
      SELECT \(AuditRecord.columns), o.outbox_id FROM audit_outbox o
      JOIN audit_events e ON e.happened_at = o.happened_at AND e.event_id = o.event_id
      ORDER BY o.outbox_id LIMIT $1::bigint
      """,
      Int64(limit)
    ) { (try $0.decode(10), try AuditRecord($0)) }
  }

  /// Stores that events were delivered.
  /// - Parameter places: in the outbox.
  public func settle(_ places: [Int64]) async throws {
    try await pool.run("DELETE FROM audit_outbox WHERE outbox_id = ANY($1::bigint[])", places)
  }
}

extension SQL {
  static func setAuditOutput(target: String, time: Date) -> Statement<Void> {
    Statement(
      """
      INSERT INTO audit_output (only_row, target, started_at) VALUES (true, $1, $2)
      ON CONFLICT (only_row) DO UPDATE SET target = excluded.target, started_at = excluded.started_at
      """,
      target, time)
  }

  static func removeAuditOutput() -> Statement<Void> { Statement("DELETE FROM audit_output") }

  static func emptyAuditOutbox() -> Statement<Void> { Statement("DELETE FROM audit_outbox") }
}
