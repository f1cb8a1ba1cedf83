// SPDX-License-Identifier: Apache-2.0

import Foundation
import PostgreSQL

extension SQL {
  private static func beginning(_ text: String) -> String {
    text.replacing("\\", with: "\\\\").replacing("%", with: "\\%").replacing("_", with: "\\_") + "%"
  }

  /// A page of the audit log, the newest first.
  static func readAudit(filter: AuditFilter, after: AuditCursor?, limit: Int64) -> Statement<AuditRecord> {
    Statement(
      """
      SELECT happened_at, event_id, actor, role, action, subject, before::text, after::text, reason FROM audit_events
      WHERE ($1::text IS NULL OR actor = $1)
        AND ($2::text IS NULL OR action LIKE $2) AND ($3::text IS NULL OR subject LIKE $3)
        AND ($4::timestamptz IS NULL OR happened_at >= $4) AND ($5::timestamptz IS NULL OR happened_at < $5)
        AND ($6::timestamptz IS NULL OR (happened_at, event_id) < ($6, $7::uuid))
        AND ($9::text IS NULL OR action NOT LIKE $9)
      ORDER BY happened_at DESC, event_id DESC LIMIT $8::bigint
      """,
      filter.actor, filter.action.map(beginning), filter.subject.map(beginning), filter.since, filter.until,
      after?.time, after?.id, limit, filter.excluded.map(beginning)
    ) { row in
      AuditRecord(
        time: try row.decode(0),
        event: AuditEvent(
          id: try row.decode(1), actor: try row.decode(2), role: try row.decode(3) as String, action: try row.decode(4),
          subject: try row.decode(5), before: AuditFields.decode(try row.decode(6)),
          after: AuditFields.decode(try row.decode(7)), reason: try row.decode(8)))
    }
  }

  /// Whether an event is in the audit log: a change whose commit was in doubt has been made.
  static func findAuditEvent(id: UUID, time: Date) -> Statement<Bool> {
    Statement(
      "SELECT EXISTS (SELECT FROM audit_events WHERE happened_at = $1 AND event_id = $2)",
      time, id
    ) { try $0.decode(0) }
  }
}

extension PostgresConnection {
  /// Whether this change has been made: a transaction is repeated when its commit was in doubt, and must not mistake
  /// its own work for another's.
  func hasMade(_ event: UUID, at time: Date) async throws -> Bool {
    try await run(SQL.findAuditEvent(id: event, time: time)).first ?? false
  }
}

extension SQL {
  /// The names of all actors; each name costs one index lookup.
  static func readAuditActors() -> Statement<String> {
    Statement(
      """
      WITH RECURSIVE names AS (
        (SELECT actor FROM audit_events ORDER BY actor LIMIT 1)
        UNION ALL
        SELECT (SELECT e.actor FROM audit_events e WHERE e.actor > n.actor ORDER BY e.actor LIMIT 1)
        FROM names n WHERE n.actor IS NOT NULL
      )
      SELECT actor FROM names WHERE actor IS NOT NULL LIMIT 1000
      """
    ) { try $0.decode(0) }
  }
}
