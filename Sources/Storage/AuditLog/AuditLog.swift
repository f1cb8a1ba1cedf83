// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import PostgreSQL
import Support

/// An event of the audit log with its time.
public struct AuditRecord: Sendable, Equatable {
  /// To the microsecond.
  public let time: Date
  public var event: AuditEvent
  /// The cursor of the next page.
  public var cursor: AuditCursor { AuditCursor(time: time, id: event.id) }
}

extension AuditRecord {
  /// The columns of ``init(_:)``, of `e`.
  static let columns = """
    e.happened_at, e.event_id, e.actor, e.role, e.action, e.subject, e.before::text, e.after::text, e.reason,
    e.via
    """

  init(_ row: PostgresRow) throws {
    self.init(
      time: try row.decode(0),
      event: AuditEvent(
        id: try row.decode(1), actor: try row.decode(2), role: try row.decode(3), via: try row.decode(9),
        action: try row.decode(4),
        subject: try row.decode(5), before: AuditFields.decode(try row.decode(6)),
        after: AuditFields.decode(try row.decode(7)), reason: try row.decode(8)))
  }
}

public struct AuditCursor: Sendable, Equatable {
  public let time: Date
  public let id: UUID

  public init(time: Date, id: UUID) {
    (self.time, self.id) = (time, id)
  }

  /// The cursor in an address: microseconds since 1970, the database's precision, and the event's id.
  public var text: String {
    "\(Int64((time.timeIntervalSince1970 * 1_000_000).rounded()))_\(id.uuidString.lowercased())"
  }

  /// - Parameter text: nil is returned for any text that ``text`` does not produce. The pattern is the one of the API.
  public init?(_ text: String) {
    guard let match = text.wholeMatch(of: /([0-9]{1,15}|[1-8][0-9]{15})_([0-9a-f-]{36})/),
      let time = Int64(match.1), let id = UUID(uuidString: String(match.2))
    else { return nil }
    self.init(time: Date(timeIntervalSince1970: Double(time) / 1_000_000), id: id)
  }
}

/// An event of the audit log as a line of JSON.
public struct AuditLine: Encodable {
  private let id: String
  /// RFC 3339.
  public let time: String
  private let actor: String
  private let role: String
  private let via: String?
  private let action: String
  private let subject: String
  private let before: [String: String]?
  private let after: [String: String]?
  private let reason: String?
  private let cursor: String?

  /// - Parameter hasCursor: whether the line has the cursor of the next page.
  public init(_ record: AuditRecord, hasCursor: Bool) {
    let event = record.event
    (id, time) = (event.id.uuidString.lowercased(), Timestamp.format(record.time))
    (actor, role, via, action, subject) = (event.actor, event.role, event.via, event.action, event.subject)
    (before, after, reason) = (event.before, event.after, event.reason)
    cursor = hasCursor ? record.cursor.text : nil
  }
}

public struct AuditFilter: Sendable, Equatable {
  /// An account's exact name.
  public var actor: String?
  /// An action or a prefix of one, such as `decision.`.
  public var action: String?
  /// A subject or a prefix of one.
  public var subject: String?
  /// The earliest time, inclusive.
  public var since: Date?
  /// The latest time, exclusive.
  public var until: Date?
  /// The beginning of the actions that are left out, such as `golden.`.
  public var excluded: String?

  /// Selects all events without arguments.
  public init(
    actor: String? = nil, action: String? = nil, subject: String? = nil, since: Date? = nil, until: Date? = nil
  ) {
    (self.actor, self.action, self.subject) = (actor, action, subject)
    (self.since, self.until) = (since, until)
  }
}

/// The audit log: events can be read and appended.
public struct AuditLog: Sendable {
  /// Events of one batch of an export. An export is read page by page, so that a slow reader holds no transaction open;
  /// the log grows only at its newest end.
  public static let batch = 1_000

  let pool: PostgresPool

  public init(pool: PostgresPool) {
    self.pool = pool
  }

  /// Events, the newest first.
  /// - Parameters:
  ///   - after: the end of the page before.
  ///   - limit: 1 to 1,000.
  public func events(_ filter: AuditFilter, after: AuditCursor? = nil, limit: Int) async throws -> [AuditRecord] {
    try await pool.run(SQL.readAudit(filter: filter, after: after, limit: Int64(limit)))
  }

  /// The names of all actors; at most 1,000. Each name costs one index lookup.
  public func actors() async throws -> [String] {
    try await pool.run(
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

  /// Records an event that changed nothing in the database.
  package func append(_ event: AuditEvent, at time: Date) async throws {
    try await pool.change(at: time) { _ in .made(event) }
  }
}

extension SQL {
  private static func beginning(_ text: String) -> String {
    text.replacing("\\", with: "\\\\").replacing("%", with: "\\%").replacing("_", with: "\\_") + "%"
  }

  /// A page of the audit log, the newest first.
  static func readAudit(filter: AuditFilter, after: AuditCursor?, limit: Int64) -> Statement<AuditRecord> {
    Statement(
      """
      SELECT \(AuditRecord.columns) FROM audit_events e
      WHERE ($1::text IS NULL OR actor = $1)
        AND ($2::text IS NULL OR action LIKE $2) AND ($3::text IS NULL OR subject LIKE $3)
        AND ($4::timestamptz IS NULL OR happened_at >= $4) AND ($5::timestamptz IS NULL OR happened_at < $5)
        AND ($6::timestamptz IS NULL OR (happened_at, event_id) < ($6, $7::uuid))
        AND ($9::text IS NULL OR action NOT LIKE $9)
      ORDER BY happened_at DESC, event_id DESC LIMIT $8::bigint
      """,
      filter.actor, filter.action.map(beginning), filter.subject.map(beginning), filter.since, filter.until,
      after?.time, after?.id, limit, filter.excluded.map(beginning)
    ) { try AuditRecord($0) }
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
