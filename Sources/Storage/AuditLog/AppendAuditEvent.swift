// SPDX-License-Identifier: Apache-2.0

import Foundation
import PostgreSQL

/// Adds an event to the audit log. Run it in the transaction of the change, so that both commit or neither does.
struct AppendAuditEvent: PostgresStatement {
  typealias Row = Void
  let event: AuditEvent
  let time: Date

  init(_ event: AuditEvent, at time: Date) {
    self.event = event
    self.time = time
  }

  static let sql = """
    INSERT INTO audit_events (happened_at, event_id, actor, role, action, subject, before, after, reason)
    VALUES ($1, $2, $3, $4, $5, $6, $7::text::jsonb, $8::text::jsonb, $9)
    ON CONFLICT (happened_at, event_id) DO NOTHING
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(time)
    parameters.append(event.id)
    parameters.append(event.actor)
    parameters.append(event.role)
    parameters.append(event.action)
    parameters.append(event.subject)
    parameters.append(AuditFields.encode(event.before))
    parameters.append(AuditFields.encode(event.after))
    parameters.append(event.reason)
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
