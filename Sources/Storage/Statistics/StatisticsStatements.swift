// SPDX-License-Identifier: Apache-2.0

import Foundation
import PostgreSQL

/// The time up to which reports have been counted; no row before the first count.
struct ReadStatisticsWatermark: PostgresStatement {
  static let sql = "SELECT counted_until FROM statistics_watermarks WHERE statistic = 'reports'"

  static func decode(_ row: PostgresRow) throws -> Date { try row.decode(0) }
}

/// Moves the watermark; returns a row unless another server has moved it meanwhile.
struct MoveStatisticsWatermark: PostgresStatement {
  let from: Date?
  let to: Date

  static let sql = """
    INSERT INTO statistics_watermarks AS w (statistic, counted_until) VALUES ('reports', $2)
    ON CONFLICT (statistic) DO UPDATE SET counted_until = excluded.counted_until
    WHERE w.counted_until IS NOT DISTINCT FROM $1::timestamptz
    RETURNING statistic
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(from)
    parameters.append(to)
  }

  static func decode(_ row: PostgresRow) throws -> String { try row.decode(0) }
}

/// Adds the reports that arrived between two times to the days on which they were made.
struct CountArrivedReports: PostgresStatement {
  typealias Row = Void
  let from: Date
  let to: Date

  static let sql = """
    INSERT INTO daily_statistics AS s (day, statistic, value)
    SELECT (reported_at AT TIME ZONE 'UTC')::date, 'reports', count(*) FROM reports
    WHERE received_at >= $1 AND received_at < $2 GROUP BY 1 ORDER BY 1
    ON CONFLICT (day, statistic) DO UPDATE SET value = s.value + excluded.value
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(from)
    parameters.append(to)
  }
}

/// Counts decisions by day since a time.
struct CountDecisions: PostgresStatement {
  typealias Row = Void
  let since: Date

  static let sql = """
    INSERT INTO daily_statistics (day, statistic, value)
    SELECT (decided_at AT TIME ZONE 'UTC')::date, 'decisions', count(*) FROM decisions
    WHERE decided_at >= $1 AND (undoes IS NULL OR expires_at IS NULL)
    GROUP BY 1 ORDER BY 1
    ON CONFLICT (day, statistic) DO UPDATE SET value = excluded.value
    """

  func bind(into parameters: inout PostgresParameters) { parameters.append(since) }
}

/// Stores today's counts of listings, holds, proposed ranges and open appeals.
struct RecordCurrentStatistics: PostgresStatement {
  typealias Row = Void
  let time: Date

  static let sql = """
    INSERT INTO daily_statistics (day, statistic, value)
    SELECT ($1::timestamptz AT TIME ZONE 'UTC')::date, statistic, value FROM (
      SELECT 'appeals', count(*) FROM appeals WHERE state = 'open'
      UNION ALL SELECT 'held', count(*) FROM holds WHERE NOT settled
      UNION ALL SELECT 'listed', count(*) FROM listings
      UNION ALL SELECT 'ranges', count(*) FROM ranges WHERE state = 'proposed'
    ) AS standing (statistic, value)
    ON CONFLICT (day, statistic) DO UPDATE SET value = excluded.value
    """

  func bind(into parameters: inout PostgresParameters) { parameters.append(time) }
}

/// Statistics of the days since a time, by day.
struct ReadStatistics: PostgresStatement {
  let since: Date

  static let sql = """
    SELECT day - DATE '1970-01-01', statistic, value FROM daily_statistics
    WHERE day >= ($1::timestamptz AT TIME ZONE 'UTC')::date ORDER BY day, statistic
    """

  func bind(into parameters: inout PostgresParameters) { parameters.append(since) }

  static func decode(_ row: PostgresRow) throws -> (day: Int32, statistic: String, value: Int64) {
    (try row.decode(0), try row.decode(1), try row.decode(2))
  }
}
