// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import PostgreSQL

/// An event of the audit log with its time.
public struct AuditRecord: Sendable, Equatable {
  /// The time of the event, to the microsecond.
  public let time: Date
  /// The event.
  public let event: AuditEvent
  /// The cursor of the next page.
  public var cursor: AuditCursor { AuditCursor(time: time, id: event.id) }
}

/// A cursor in the audit log.
public struct AuditCursor: Sendable, Equatable {
  /// The time of the event.
  public let time: Date
  /// The id of the event, among those of the same time.
  public let id: UUID

  /// - Parameters: see the properties.
  public init(time: Date, id: UUID) {
    (self.time, self.id) = (time, id)
  }
}

/// A filter of events.
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

  /// A filter; without arguments it selects all events.
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

  private let pool: PostgresPool

  /// - Parameter pool: where it is kept.
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

  /// The names of all actors; at most 1,000.
  public func actors() async throws -> [String] { try await pool.run(SQL.readAuditActors()) }

  /// Records an event that changed nothing in the database.
  public func append(_ event: AuditEvent, at time: Date) async throws {
    try await pool.transaction { try await $0.append(event, at: time) }
  }
}
