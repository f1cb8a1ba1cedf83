// SPDX-License-Identifier: Apache-2.0

import Foundation
import PostgreSQL

extension SQL {
  /// Adds an event to the audit log. Run it in the transaction of the change, so that both commit or neither does.
  static func appendAuditEvent(_ event: AuditEvent, at time: Date) -> Statement<Void> {
    Statement(
      """
      INSERT INTO audit_events (happened_at, event_id, actor, role, action, subject, before, after, reason)
      VALUES ($1, $2, $3, $4, $5, $6, $7::text::jsonb, $8::text::jsonb, $9)
      ON CONFLICT (happened_at, event_id) DO NOTHING
      """,
      time, event.id, event.actor, event.role, event.action, event.subject, AuditFields.encode(event.before),
      AuditFields.encode(event.after), event.reason)
  }
}

/// The fields of an event as JSON.
enum AuditFields {
  static func encode(_ fields: [String: String]?) -> String? {
    guard let fields else { return nil }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    // Encoding strings cannot fail.
    return (try? encoder.encode(fields)).map { String(decoding: $0, as: UTF8.self) }
  }

  static func decode(_ json: String?) -> [String: String]? {
    json.flatMap { try? JSONDecoder().decode([String: String].self, from: Data($0.utf8)) }
  }
}
