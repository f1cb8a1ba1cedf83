// SPDX-License-Identifier: Apache-2.0

import Curation
public import Foundation
public import PostgreSQL

/// The statistics of each day, from which the start page is drawn without reading reports.
///
/// Reports are counted after they have arrived, from where the last count ended, and added to the day on which they
/// were made: a count reads only the last minutes. Present states (listings, holds, appeals, proposed ranges) are
/// stored as of the last count of a day.
public struct StatisticsStore: Sendable {
  private let pool: PostgresPool

  /// Time after which arrived reports are visible, in seconds: a report carries the time at which its transaction
  /// began.
  static let settling: TimeInterval = 15
  /// How far a watermark may be in the future before it is attributed to a wrong clock, in seconds.
  static let maxLead: TimeInterval = 3_600

  /// A daily count.
  public enum Statistic: String, Sendable, CaseIterable {
    /// Reports made on the day, including reports of lists and withdrawn ones.
    case reports
    /// Decisions of the day as the page of the team counts them: undone ones too, and no undoings.
    case decisions
    /// Numbers that the newest publication of the day lists.
    case listed
    case held
    /// Open appeals.
    case appeals
    /// Proposed ranges.
    case ranges
    /// Cases in the queue.
    case waiting
    /// Hours that the oldest case has waited.
    case oldest = "oldest_hours"
  }

  public init(pool: PostgresPool) {
    self.pool = pool
  }

  /// Updates the statistics. Of several servers that do so at once only one counts.
  /// - Parameter isWhole: whether present states are counted too, which scans the listings.
  public func refresh(at time: Date, isWhole: Bool = true) async throws {
    try await pool.transaction { connection in
      for counted in CountedReports.allCases {
        guard try await Self.count(counted, at: time, on: connection) else { return }
      }
      _ = try await connection.run(SQL.countDecisions(since: ComplaintDays.beginning(of: time) - 86_400))
      if isWhole { _ = try await connection.run(SQL.recordCurrentStatistics(time: time)) }
    }
  }

  /// Adds the reports that arrived since the last count.
  /// - Returns: false if another server has counted them meanwhile.
  private static func count(
    _ counted: CountedReports, at time: Date, on connection: PostgresConnection
  ) async throws -> Bool {
    let watermark = try await connection.run(SQL.readStatisticsWatermark(of: counted)).first
    // No report is in progress before the first server has started.
    let until = watermark == nil ? time : time - settling
    if let watermark, watermark > time + maxLead {
      // A fast clock has set it. Reports that arrived meanwhile are not counted; later ones are.
      _ = try await connection.run(SQL.moveStatisticsWatermark(of: counted, from: watermark, to: until))
    } else if watermark.map({ $0 < until }) ?? true {
      let moved = try await connection.run(SQL.moveStatisticsWatermark(of: counted, from: watermark, to: until))
      guard !moved.isEmpty else { return false }
      let begin = watermark ?? Date(timeIntervalSince1970: 0)
      _ = try await connection.run(SQL.countArrivedReports(counted, from: begin, to: until))
    }
    return true
  }

  /// The statistics of the last days, today last; a missing value is 0.
  /// - Parameter days: 1 or more.
  public func days(_ days: Int, until time: Date) async throws -> [DailyStatistics] {
    let first = ComplaintDays.beginning(of: time) - Double(days - 1) * 86_400
    let firstDay = Int32(first.timeIntervalSince1970 / 86_400)
    var all = (0..<days).map { DailyStatistics(day: first + Double($0) * 86_400) }
    for row in try await pool.run(SQL.readStatistics(since: first)) {
      let place = Int(row.day - firstDay)
      guard all.indices.contains(place), let statistic = Statistic(rawValue: row.statistic) else { continue }
      all[place].values[statistic] = row.value
    }
    return all
  }
}

/// The reports that are counted by day, up to a time for each: servers of 0.1.0 may run beside this one, and count only all
/// reports.
enum CountedReports: String, CaseIterable {
  case all = "reports"
  /// Without rows of lists.
  case ofApps = "app_reports"

  fileprivate var condition: String { self == .ofApps ? "AND reporter IS NOT NULL" : "" }
}

public struct DailyStatistics: Sendable, Equatable {
  /// The beginning of the day, UTC.
  public var day: Date
  public var values: [StatisticsStore.Statistic: Int64] = [:]

  /// - Parameter day: midnight UTC.
  public init(day: Date) {
    self.day = day
  }

  /// Days since 1970-01-01.
  public var number: Int32 { Int32(day.timeIntervalSince1970 / 86_400) }

  /// Is 0 where no value was stored.
  public subscript(statistic: StatisticsStore.Statistic) -> Int64 { values[statistic] ?? 0 }
}

extension SQL {
  /// The time up to which reports have been counted; no row before the first count.
  static func readStatisticsWatermark(of counted: CountedReports) -> Statement<Date> {
    Statement("SELECT counted_until FROM statistics_watermarks WHERE statistic = $1", counted.rawValue) {
      try $0.decode(0)
    }
  }

  /// Moves the watermark; returns a row unless another server has moved it meanwhile.
  static func moveStatisticsWatermark(of counted: CountedReports, from: Date?, to: Date) -> Statement<String> {
    Statement(
      """
      INSERT INTO statistics_watermarks AS w (statistic, counted_until) VALUES ($3, $2)
      ON CONFLICT (statistic) DO UPDATE SET counted_until = excluded.counted_until
      WHERE w.counted_until IS NOT DISTINCT FROM $1::timestamptz
      RETURNING statistic
      """,
      from, to, counted.rawValue)
  }

  /// Adds the reports that arrived between two times to the days on which they were made.
  static func countArrivedReports(_ counted: CountedReports, from: Date, to: Date) -> Statement<Void> {
    Statement(
      """
      INSERT INTO daily_statistics AS s (day, statistic, value)
      SELECT (reported_at AT TIME ZONE 'UTC')::date, '\(counted.rawValue)', count(*) FROM reports
      WHERE received_at >= $1 AND received_at < $2 \(counted.condition) GROUP BY 1 ORDER BY 1
      ON CONFLICT (day, statistic) DO UPDATE SET value = s.value + excluded.value
      """,
      from, to)
  }

  static func countDecisions(since: Date) -> Statement<Void> {
    Statement(
      """
      INSERT INTO daily_statistics (day, statistic, value)
      SELECT (happened_at AT TIME ZONE 'UTC')::date, 'decisions', count(*) FROM audit_events
      WHERE happened_at >= $1 AND \(isTeamDecision)
      GROUP BY 1 ORDER BY 1
      ON CONFLICT (day, statistic) DO UPDATE SET value = excluded.value
      """,
      since)
  }

  /// Stores today's counts of listings, holds, proposed ranges, open appeals and cases.
  static func recordCurrentStatistics(time: Date) -> Statement<Void> {
    Statement(
      """
      INSERT INTO daily_statistics (day, statistic, value)
      SELECT ($1::timestamptz AT TIME ZONE 'UTC')::date, statistic, value FROM (
        SELECT 'appeals', count(*) FROM appeals WHERE state = 'open'
        UNION ALL SELECT 'held', count(*) FROM holds WHERE NOT settled
        UNION ALL SELECT 'listed', count(*) FROM listings
        UNION ALL SELECT 'ranges', count(*) FROM ranges WHERE state = 'proposed'
        UNION ALL SELECT 'waiting', count(*) FROM queue
        UNION ALL SELECT 'oldest_hours', coalesce(extract(epoch FROM $1::timestamptz - min(since)) / 3600, 0)::bigint FROM queue
      ) AS standing (statistic, value)
      ON CONFLICT (day, statistic) DO UPDATE SET value = excluded.value
      """,
      time)
  }

  static func readStatistics(since: Date) -> Statement<(day: Int32, statistic: String, value: Int64)> {
    Statement(
      """
      SELECT day - DATE '1970-01-01', statistic, value FROM daily_statistics
      WHERE day >= ($1::timestamptz AT TIME ZONE 'UTC')::date ORDER BY day, statistic
      """,
      since
    ) { (try $0.decode(0), try $0.decode(1), try $0.decode(2)) }
  }
}
