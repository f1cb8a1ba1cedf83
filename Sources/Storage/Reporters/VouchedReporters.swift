// SPDX-License-Identifier: Apache-2.0

import Foundation
import PostgreSQL

/// A reporter for whom an app's server vouches: it has known the reporter since a day.
struct VouchedReporter: Sendable {
  let keyID: Int32
  let reporter: [UInt8]
  /// The start of the day in UTC.
  let since: Date

  /// The reporters of reports that came with such a day.
  static func all(of reports: [Report]) -> [VouchedReporter] {
    reports.compactMap { report in
      guard let keyID = report.keyID, let reporter = report.reporter, let since = report.reporterSince else {
        return nil
      }
      return VouchedReporter(keyID: keyID, reporter: reporter, since: since)
    }
  }
}

extension SQL {
  /// Stores since when reporters are known, the earliest day for each key and reporter. The rows of one reporter are
  /// written at most once a day while the day stays the same.
  static func storeVouchedReporters(vouched: [VouchedReporter], receivedAt: Date) -> Statement<Void> {
    Statement(
      """
      INSERT INTO vouched_reporters AS v (key_id, reporter, since, vouched_on)
      SELECT key_id, reporter, min((since AT TIME ZONE 'UTC')::date), ($4::timestamptz AT TIME ZONE 'UTC')::date
      FROM unnest($1::integer[], $2::bytea[], $3::timestamptz[]) AS t (key_id, reporter, since)
      GROUP BY key_id, reporter ORDER BY key_id, reporter
      ON CONFLICT (key_id, reporter) DO UPDATE SET
        since = least(v.since, excluded.since), vouched_on = greatest(v.vouched_on, excluded.vouched_on)
      WHERE excluded.since < v.since OR excluded.vouched_on > v.vouched_on
      """,
      vouched.map(\.keyID), vouched.map(\.reporter), vouched.map(\.since), receivedAt)
  }

  /// Deletes the days of reporters for whom a key has vouched since a time, also the days that it had sent before: a row
  /// does not say which report made it earlier. An honest server sends its days again with its next reports.
  static func withdrawVouchedReporters(keyID: Int32, since: Date) -> Statement<Void> {
    Statement(
      "DELETE FROM vouched_reporters WHERE key_id = $1 AND vouched_on >= ($2::timestamptz AT TIME ZONE 'UTC')::date",
      keyID, since)
  }

  /// Deletes the days of reporters whose reports with such a day all arrived before a time.
  static func purgeVouchedReporters(before: Date) -> Statement<Void> {
    Statement(
      "DELETE FROM vouched_reporters WHERE vouched_on < ($1::timestamptz AT TIME ZONE 'UTC')::date", before)
  }
}
