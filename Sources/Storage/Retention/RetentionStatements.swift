// SPDX-License-Identifier: Apache-2.0

import Foundation
import PostgreSQL

extension SQL {
  /// Deletes some networks, the oldest first.
  static func purgeNetworks(before: Date, limit: Int) -> Statement<Void> {
    Statement(
      """
      UPDATE reports r SET network = NULL
      FROM (
        SELECT number, app_id, report_id, reported_at FROM reports
        WHERE network IS NOT NULL AND received_at < $1 ORDER BY received_at LIMIT $2::bigint
      ) old
      WHERE r.number = old.number AND r.app_id = old.app_id AND r.report_id = old.report_id
        AND r.reported_at = old.reported_at AND r.network IS NOT NULL
      """,
      before, Int64(limit))
  }

  /// Deletes some comments, the oldest first.
  static func purgeComments(before: Date, now: Date, limit: Int) -> Statement<Void> {
    Statement(
      """
      UPDATE reports r SET comment = NULL, comment_purged_at = $3
      FROM (
        SELECT number, app_id, report_id, reported_at FROM reports
        WHERE comment IS NOT NULL AND received_at < $1 ORDER BY received_at LIMIT $2::bigint
      ) old
      WHERE r.number = old.number AND r.app_id = old.app_id AND r.report_id = old.report_id
        AND r.reported_at = old.reported_at AND r.comment IS NOT NULL
      """,
      before, Int64(limit), now)
  }

  /// Deletes the ids of some batches of identifications, the oldest first.
  static func purgeIdentificationBatches(before: Date, limit: Int) -> Statement<Void> {
    Statement(
      """
      DELETE FROM identification_batches b
      USING (
        SELECT app_id, batch_id FROM identification_batches
        WHERE received_at < $1 ORDER BY received_at LIMIT $2::bigint
      ) old
      WHERE b.app_id = old.app_id AND b.batch_id = old.batch_id
      """,
      before, Int64(limit))
  }
}
