// SPDX-License-Identifier: Apache-2.0

import Foundation
import PostgreSQL

extension SQL {
  /// The time up to which reports have been counted; no row before the first count.
  static func readStatisticsWatermark() -> Statement<Date> {
    Statement(
      "SELECT counted_until FROM statistics_watermarks WHERE statistic = 'reports'"
    ) { try $0.decode(0) }
  }

  /// Moves the watermark; returns a row unless another server has moved it meanwhile.
  static func moveStatisticsWatermark(from: Date?, to: Date) -> Statement<String> {
    Statement(
      """
      INSERT INTO statistics_watermarks AS w (statistic, counted_until) VALUES ('reports', $2)
      ON CONFLICT (statistic) DO UPDATE SET counted_until = excluded.counted_until
      WHERE w.counted_until IS NOT DISTINCT FROM $1::timestamptz
      RETURNING statistic
      """,
      from, to
    ) { try $0.decode(0) }
  }

  /// Adds the reports that arrived between two times to the days on which they were made.
  static func countArrivedReports(from: Date, to: Date) -> Statement<Void> {
    Statement(
      """
      INSERT INTO daily_statistics AS s (day, statistic, value)
      SELECT (reported_at AT TIME ZONE 'UTC')::date, 'reports', count(*) FROM reports
      WHERE received_at >= $1 AND received_at < $2 GROUP BY 1 ORDER BY 1
      ON CONFLICT (day, statistic) DO UPDATE SET value = s.value + excluded.value
      """,
      from, to)
  }

  /// Counts decisions by day since a time.
  static func countDecisions(since: Date) -> Statement<Void> {
    Statement(
      """
      INSERT INTO daily_statistics (day, statistic, value)
      SELECT (decided_at AT TIME ZONE 'UTC')::date, 'decisions', count(*) FROM decisions
      WHERE decided_at >= $1 AND (undoes IS NULL OR expires_at IS NULL)
      GROUP BY 1 ORDER BY 1
      ON CONFLICT (day, statistic) DO UPDATE SET value = excluded.value
      """,
      since)
  }

  /// Stores today's counts of listings, holds, proposed ranges and open appeals.
  static func recordCurrentStatistics(time: Date) -> Statement<Void> {
    Statement(
      """
      INSERT INTO daily_statistics (day, statistic, value)
      SELECT ($1::timestamptz AT TIME ZONE 'UTC')::date, statistic, value FROM (
        SELECT 'appeals', count(*) FROM appeals WHERE state = 'open'
        UNION ALL SELECT 'held', count(*) FROM holds WHERE NOT settled
        UNION ALL SELECT 'listed', count(*) FROM listings
        UNION ALL SELECT 'ranges', count(*) FROM ranges WHERE state = 'proposed'
      ) AS standing (statistic, value)
      ON CONFLICT (day, statistic) DO UPDATE SET value = excluded.value
      """,
      time)
  }

  /// Statistics of the days since a time, by day.
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
