// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import PostgreSQL

extension SQL {
  /// Open appeals after a cursor, the oldest first.
  static func readOpenAppeals(after: AppealCursor?, limit: Int) -> Statement<Appeal> {
    Statement(
      """
      SELECT appeal_id, number, state, statement, filed_at, answered_by, answered_at, answer FROM appeals
      WHERE state = 'open'
        AND ($1::timestamptz IS NULL OR (filed_at, number, appeal_id) > ($1::timestamptz, $2::bigint, $3::uuid))
      ORDER BY filed_at, number, appeal_id LIMIT $4::bigint
      """,
      after?.time, after?.number, after?.id, Int64(limit), decode: decodeAppeal)
  }

  /// Answered appeals before a cursor, the newest answer first.
  static func readAnsweredAppeals(before: AppealCursor?, limit: Int) -> Statement<Appeal> {
    Statement(
      """
      SELECT appeal_id, number, state, statement, filed_at, answered_by, answered_at, answer FROM appeals
      WHERE state <> 'open'
        AND ($1::timestamptz IS NULL OR (answered_at, number, appeal_id) < ($1::timestamptz, $2::bigint, $3::uuid))
      ORDER BY answered_at DESC, number DESC, appeal_id DESC LIMIT $4::bigint
      """,
      before?.time, before?.number, before?.id, Int64(limit), decode: decodeAppeal)
  }

  /// Number of open appeals.
  static func countOpenAppeals() -> Statement<Int64> {
    Statement(
      "SELECT count(*) FROM appeals WHERE state = 'open'"
    ) { try $0.decode(0) }
  }
}
