// SPDX-License-Identifier: Apache-2.0

import Foundation
import PostgreSQL

/// Deletes some networks, the oldest first.
struct PurgeNetworks: PostgresStatement {
  typealias Row = Void
  let before: Date
  let limit: Int

  static let sql = """
    UPDATE reports r SET network = NULL
    FROM (
      SELECT number, app_id, report_id, reported_at FROM reports
      WHERE network IS NOT NULL AND received_at < $1 ORDER BY received_at LIMIT $2::bigint
    ) old
    WHERE r.number = old.number AND r.app_id = old.app_id AND r.report_id = old.report_id
      AND r.reported_at = old.reported_at AND r.network IS NOT NULL
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(before)
    parameters.append(Int64(limit))
  }
}

/// Deletes some comments, the oldest first.
struct PurgeComments: PostgresStatement {
  typealias Row = Void
  let before: Date
  let now: Date
  let limit: Int

  static let sql = """
    UPDATE reports r SET comment = NULL, comment_purged_at = $3
    FROM (
      SELECT number, app_id, report_id, reported_at FROM reports
      WHERE comment IS NOT NULL AND received_at < $1 ORDER BY received_at LIMIT $2::bigint
    ) old
    WHERE r.number = old.number AND r.app_id = old.app_id AND r.report_id = old.report_id
      AND r.reported_at = old.reported_at AND r.comment IS NOT NULL
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(before)
    parameters.append(Int64(limit))
    parameters.append(now)
  }
}

/// Deletes the ids of some batches of identifications, the oldest first.
struct PurgeIdentificationBatches: PostgresStatement {
  typealias Row = Void
  let before: Date
  let limit: Int

  static let sql = """
    DELETE FROM identification_batches b
    USING (
      SELECT app_id, batch_id FROM identification_batches
      WHERE received_at < $1 ORDER BY received_at LIMIT $2::bigint
    ) old
    WHERE b.app_id = old.app_id AND b.batch_id = old.batch_id
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(before)
    parameters.append(Int64(limit))
  }
}
