public import Foundation
public import PostgreSQL

/// An event of the audit log, and when it happened.
public struct AuditRecord: Sendable, Equatable {
  /// When, to the microsecond.
  public let time: Date
  /// What.
  public let event: AuditEvent
  /// Where the next page begins.
  public var cursor: AuditCursor { AuditCursor(time: time, id: event.id) }
}

/// A place in the audit log.
public struct AuditCursor: Sendable, Equatable {
  /// When the event there happened.
  public let time: Date
  /// Which of that moment.
  public let id: UUID

  /// - Parameters: see the properties.
  public init(time: Date, id: UUID) {
    (self.time, self.id) = (time, id)
  }
}

/// Which events are wanted.
public struct AuditFilter: Sendable, Equatable {
  /// The whole name of an account.
  public var actor: String?
  /// An action, or the beginning of one, such as `decision.`.
  public var action: String?
  /// A subject, or the beginning of one.
  public var subject: String?
  /// The earliest moment.
  public var since: Date?
  /// The moment that comes after the last one.
  public var until: Date?

  /// Everything.
  public init(
    actor: String? = nil, action: String? = nil, subject: String? = nil, since: Date? = nil, until: Date? = nil
  ) {
    (self.actor, self.action, self.subject) = (actor, action, subject)
    (self.since, self.until) = (since, until)
  }
}

/// Who changed what. It can be read and added to.
public struct AuditLog: Sendable {
  /// Events of one batch of an export, which is read page by page, so that a slow reader holds no transaction open: the
  /// log only grows at its other end.
  public static let batch = 1_000

  private let pool: PostgresPool

  /// - Parameter pool: where it is kept.
  public init(pool: PostgresPool) {
    self.pool = pool
  }

  /// Events, the newest first.
  /// - Parameters:
  ///   - after: where the page before ended.
  ///   - limit: 1 to 1,000.
  public func events(_ filter: AuditFilter, after: AuditCursor? = nil, limit: Int) async throws -> [AuditRecord] {
    try await pool.run(ReadAudit(filter: filter, after: after, limit: Int64(limit)))
  }

  /// Whose events there are, by name; at most 1,000.
  public func actors() async throws -> [String] { try await pool.run(ReadAuditActors()) }

  /// Notes what changed nothing in the database.
  public func append(_ event: AuditEvent, at time: Date) async throws {
    try await pool.transaction { try await $0.append(event, at: time) }
  }
}
