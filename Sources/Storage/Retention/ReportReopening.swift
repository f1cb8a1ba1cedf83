import Curation
public import Foundation
import PostgreSQL

/// How far back reports were dropped, and whether that can be right.
public struct ReportRetention: Sendable, Equatable {
  /// Reports of before this moment are gone, and are not taken any more.
  public let droppedBefore: Date
  /// The time by the database's clock.
  public let time: Date
  /// When they were last taken again as far as can be, and no month has been dropped since; nil for never.
  public var reopenedAt: Date?

  /// Whether months were dropped that are kept in any case: a clock ran ahead, here or at the database.
  public var isTooYoung: Bool { droppedBefore > time - RetentionStore.leastAge }
}

extension RetentionStore {
  /// How far back reports were dropped; nil where none were.
  /// - Throws: `PostgresError`.
  public func state() async throws -> ReportRetention? {
    try await pool.withConnection { try await Self.state(on: $0) }
  }

  private static func state(on connection: PostgresConnection) async throws -> ReportRetention? {
    guard let (before, reopened) = try await connection.run(ReadRetention()).first else { return nil }
    let time = try await connection.run(ReadDatabaseTime())[0]
    return ReportRetention(droppedBefore: before, time: time, reopenedAt: reopened)
  }

  /// Takes reports again that a clock that ran ahead has shut out: from the first day on of which none can be gone, as what
  /// they added up to tells. Never earlier: a report that is gone and came again would count twice.
  /// - Parameters:
  ///   - person: who does so, 1 to 80 characters.
  ///   - reason: why, 1 to 1,000 characters, for the trail.
  /// - Returns: how it was and how it is; the same twice where nothing can be taken again, nil where none were dropped.
  /// - Throws: `PostgresError`.
  public func reopen(
    by person: String, because reason: String, at time: Date
  ) async throws -> (former: ReportRetention, present: ReportRetention)? {
    try await pool.transaction(retry: .never) { connection in
      // Until the end nobody drops a month.
      _ = try await connection.run(LockDroppedBefore())
      guard let former = try await Self.state(on: connection) else { return nil }
      let gone = [
        try await connection.run(FindNewestVote(before: former.droppedBefore)).first ?? nil,
        try await connection.run(FindNewestCountedDay(before: former.droppedBefore)).first ?? nil,
      ].compactMap(\.self).max()
      // The day after the newest that is gone.
      guard former.isTooYoung, let gone,
        case let first = Date(
          timeIntervalSince1970: ((gone.timeIntervalSince1970 / 86_400).rounded(.down) + 1) * 86_400),
        first < former.droppedBefore
      else { return (former, former) }
      _ = try await connection.run(LowerDroppedBefore(to: first, at: time))
      let event = AuditEvent(
        actor: person, role: .administrator, action: "retention.reopen", subject: "reports",
        before: ["dropped_before": former.droppedBefore.ISO8601Format()],
        after: ["dropped_before": first.ISO8601Format()], reason: reason)
      _ = try await connection.run(AppendAuditEvent(event, at: time))
      return (former, ReportRetention(droppedBefore: first, time: former.time, reopenedAt: time))
    }
  }
}

/// Locks how far back reports are gone until the transaction ends.
struct LockDroppedBefore: PostgresStatement {
  typealias Row = Void
  static let sql = "UPDATE report_retention SET dropped_before = dropped_before"
}

/// The newest time, before a moment, of a report that something is still known of: numbers and the words of reporters stay
/// when reports are dropped.
struct FindNewestVote: PostgresStatement {
  let before: Date

  static let sql = """
    SELECT greatest(
      (SELECT max(last_reported_at) FROM numbers WHERE last_reported_at < $1),
      (SELECT max(first_reported_at) FROM numbers WHERE first_reported_at < $1),
      (SELECT max(reported_at) FROM number_reporters WHERE reported_at < $1),
      (SELECT max(previous_reported_at) FROM number_reporters WHERE previous_reported_at < $1))
    """

  func bind(into parameters: inout PostgresParameters) { parameters.append(before) }

  static func decode(_ row: PostgresRow) throws -> Date? { try row.decode(0) }
}

/// The newest day, begun before a moment, on which reports were said; days are counted as reports come, and stay.
struct FindNewestCountedDay: PostgresStatement {
  let before: Date

  static let sql = """
    SELECT max(day)::timestamp AT TIME ZONE 'UTC' FROM daily_statistics
    WHERE figure = 'reports' AND value > 0 AND day::timestamp AT TIME ZONE 'UTC' < $1
    """

  func bind(into parameters: inout PostgresParameters) { parameters.append(before) }

  static func decode(_ row: PostgresRow) throws -> Date? { try row.decode(0) }
}

/// Says that reports are gone no further than this.
struct LowerDroppedBefore: PostgresStatement {
  typealias Row = Void
  let to: Date
  let at: Date

  static let sql = "UPDATE report_retention SET dropped_before = $1, reopened_at = $2 WHERE dropped_before > $1"

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(to)
    parameters.append(at)
  }
}

/// How far back reports are gone, and when they were taken again.
struct ReadRetention: PostgresStatement {
  static let sql = "SELECT dropped_before, reopened_at FROM report_retention"

  static func decode(_ row: PostgresRow) throws -> (before: Date, reopened: Date?) {
    (try row.decode(0), try row.decode(1))
  }
}
