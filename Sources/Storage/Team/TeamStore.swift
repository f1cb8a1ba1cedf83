// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import PostgreSQL

/// The value by which decisions are counted.
public enum TeamDimension: String, Sendable, CaseIterable {
  /// The day in UTC, such as `2026-11-21`.
  case day
  /// The causes of the decided case, separated by commas; empty for a number without a case.
  case queue
  /// The category of the decision, or else of the case; empty for none.
  case category
  case account
}

/// Figures of the decisions with one value of a dimension.
public struct TeamFigures: Sendable, Equatable {
  /// The value.
  public var key: String
  /// Decisions, including bulk decisions.
  public var decisions: Int
  /// Decisions whose account had the case open, so that their time is known.
  public var timed: Int
  /// The median of the seconds from opening the case to the decision; nil where no time is known.
  public var median: Double?
  /// Decisions that another account has undone, that any account has replaced by a different one, or against which an
  /// appeal was upheld.
  public var overturned: Int
}

/// A case that an account has open.
public struct OpenClaim: Sendable, Equatable {
  /// E.164 digits.
  public var number: Int64
  public var account: String
  /// When it opened the case.
  public var since: Date?
}

/// Figures of the team, computed from the audit log when they are read: nothing is counted twice or kept apart.
public struct TeamStore: Sendable {
  private let pool: PostgresPool

  public init(pool: PostgresPool) {
    self.pool = pool
  }

  /// The figures of all dimensions, from one snapshot, so that their totals are equal.
  /// - Parameters:
  ///   - since: the earliest decision, inclusive.
  ///   - until: the latest decision, exclusive.
  ///   - account: nil for all accounts.
  public func figures(since: Date, until: Date, of account: String?) async throws -> [TeamDimension: [TeamFigures]] {
    var pipeline = PostgresPipeline()
    let places = TeamDimension.allCases.map { dimension in
      let count = SQL.countTeamDecisions(dimension: dimension, since: since, until: until, account: account)
      return (dimension, pipeline.add(count))
    }
    let results = try await pool.snapshot(pipeline)
    return Dictionary(uniqueKeysWithValues: try places.map { ($0.0, try results.rows($0.1)) })
  }

  /// The cases that accounts have open, and when the oldest case of the queue was opened.
  /// - Parameter account: nil for all accounts.
  public func claims(of account: String?, at time: Date) async throws -> (open: [OpenClaim], oldest: Date?) {
    let (open, queue) = try await pool.withConnection {
      try await $0.pipeline(SQL.readOpenClaims(account: account, time: time), SQL.readReviewQueue())
    }
    return (open, queue.first?.oldest)
  }
}

/// Cases that arrived and were decided by day, and appeals that wait by age.
public struct TeamFlow: Sendable, Equatable {
  /// By days since 1970-01-01 (UTC).
  public var arrived: [Int32: Int64] = [:], decided: [Int32: Int64] = [:]
  /// Of the decided cases, those that waited no longer than the target.
  public var inTime: Int64 = 0
  /// Open appeals that have waited up to a day, three days, seven days, and longer.
  public var appeals: [Int64] = []
}

extension TeamStore {
  /// Of cases that were decided by older programs the arrival is unknown; they are left out.
  /// - Parameter target: the longest time that a case should wait, in seconds.
  public func flow(since: Date, until: Date, target: TimeInterval = 0) async throws -> TeamFlow {
    let (decided, waiting, appeals) = try await pool.withConnection {
      try await $0.pipeline(
        SQL.countDecidedCases(since: since, until: until, target: target), SQL.countWaitingCases(since: since),
        SQL.countAppealAges(time: until))
    }
    var flow = TeamFlow(appeals: appeals.first ?? [])
    for row in decided {
      flow.decided[row.decided, default: 0] += row.count
      flow.arrived[row.arrived, default: 0] += row.count
      flow.inTime += row.inTime
    }
    for row in waiting { flow.arrived[row.day, default: 0] += row.count }
    return flow
  }
}

extension SQL {
  /// Decided cases by the day of their arrival and of their decision.
  static func countDecidedCases(
    since: Date, until: Date, target: TimeInterval
  ) -> Statement<(arrived: Int32, decided: Int32, count: Int64, inTime: Int64)> {
    Statement(
      """
      SELECT (case_since AT TIME ZONE 'UTC')::date - DATE '1970-01-01', (happened_at AT TIME ZONE 'UTC')::date - DATE '1970-01-01',
             count(*), count(*) FILTER (WHERE happened_at - case_since <= $3::interval)
      FROM (
        SELECT happened_at, (after ->> 'case_since')::timestamptz AS case_since FROM audit_events
        WHERE happened_at >= $1 AND happened_at < $2 AND \(isTeamDecision) AND after ->> 'case_since' IS NOT NULL
      ) d
      GROUP BY 1, 2 ORDER BY 1, 2
      """,
      since, until, "\(Int(target)) s"
    ) { (try $0.decode(0), try $0.decode(1), try $0.decode(2), try $0.decode(3)) }
  }

  /// Cases that wait by the day of their arrival.
  static func countWaitingCases(since: Date) -> Statement<(day: Int32, count: Int64)> {
    Statement(
      """
      SELECT (since AT TIME ZONE 'UTC')::date - DATE '1970-01-01', count(*) FROM queue WHERE since >= $1 GROUP BY 1 ORDER BY 1
      """,
      since
    ) { (try $0.decode(0), try $0.decode(1)) }
  }

  /// Open appeals that have waited up to a day, three days, seven days, and longer.
  static func countAppealAges(time: Date) -> Statement<[Int64]> {
    Statement(
      """
      SELECT count(*) FILTER (WHERE filed_at > $1), count(*) FILTER (WHERE filed_at <= $1 AND filed_at > $2),
             count(*) FILTER (WHERE filed_at <= $2 AND filed_at > $3), count(*) FILTER (WHERE filed_at <= $3)
      FROM appeals WHERE state = 'open'
      """,
      time - 86_400, time - 3 * 86_400, time - 7 * 86_400
    ) { row in try (0..<4).map { try row.decode($0) } }
  }

  /// Whether an event of the audit log is a decision about a number, or the answer that ended the case of a range or an
  /// appeal, for each figure that counts decisions.
  static let isTeamDecision = """
    (action IN ('decision.block', 'decision.identify', 'decision.allow')
      OR action IN ('range.approve', 'range.reject', 'appeal.uphold', 'appeal.reject') AND after ->> 'case_since' IS NOT NULL)
    """

  /// Decisions of the audit log by a dimension. The next change of the same number by another account tells whether a
  /// decision was overturned; nothing overturns it after it expired. An upheld appeal allows the number. Where a
  /// decision upholds it, both events have the same time, and the appeal comes first: the next change is a later one.
  static func countTeamDecisions(
    dimension: TeamDimension, since: Date, until: Date, account: String?
  ) -> Statement<TeamFigures> {
    let key =
      switch dimension {
      case .day: "to_char(happened_at AT TIME ZONE 'UTC', 'YYYY-MM-DD')"
      case .queue: "coalesce(after ->> 'causes', '')"
      case .category: "coalesce(nullif(after ->> 'category', 'as_reported'), after ->> 'case_category', '')"
      case .account: "actor"
      }
    return Statement(
      """
      SELECT \(key), count(*), count(seconds), percentile_cont(0.5) WITHIN GROUP (ORDER BY seconds),
             count(*) FILTER (WHERE next_action NOT IN (action, 'decision.expire')
               AND (next_actor <> actor OR next_action <> 'decision.undo'))
      FROM (
        SELECT happened_at, actor, action, after, (after ->> 'handling_seconds')::float8 AS seconds,
               lead(actor) OVER changes AS next_actor,
               lead(CASE action WHEN 'appeal.uphold' THEN 'decision.allow' ELSE action END) OVER changes AS next_action
        FROM audit_events
        WHERE action IN ('decision.block', 'decision.identify', 'decision.allow', 'decision.undo', 'decision.expire',
            'appeal.uphold', 'appeal.reject', 'range.approve', 'range.reject', 'range.remove')
          AND happened_at >= $1
        WINDOW changes AS (PARTITION BY subject ORDER BY happened_at, action, event_id)
      ) d
      WHERE \(isTeamDecision) AND happened_at < $2
        AND ($3::text IS NULL OR actor = $3)
      GROUP BY 1 ORDER BY 1
      """,
      since, until, account
    ) { row in
      TeamFigures(
        key: try row.decode(0), decisions: Int(try row.decode(1, as: Int64.self)),
        timed: Int(try row.decode(2, as: Int64.self)), median: try row.decode(3),
        overturned: Int(try row.decode(4, as: Int64.self)))
    }
  }

  static func readOpenClaims(account: String?, time: Date) -> Statement<OpenClaim> {
    Statement(
      """
      SELECT number, claimed_by, claimed_at FROM queue
      WHERE claimed_until > $1 AND ($2::text IS NULL OR claimed_by = $2) ORDER BY claimed_by, number LIMIT 200
      """,
      time, account
    ) { OpenClaim(number: try $0.decode(0), account: try $0.decode(1), since: try $0.decode(2)) }
  }
}
