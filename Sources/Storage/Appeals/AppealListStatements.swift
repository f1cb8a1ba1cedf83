// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import PostgreSQL

/// Open appeals after a cursor, the oldest first.
struct ReadOpenAppeals: PostgresStatement {
  let after: AppealCursor?
  let limit: Int

  static let sql = """
    SELECT appeal_id, number, state, statement, filed_at, answered_by, answered_at, answer FROM appeals
    WHERE state = 'open'
      AND ($1::timestamptz IS NULL OR (filed_at, number, appeal_id) > ($1::timestamptz, $2::bigint, $3::uuid))
    ORDER BY filed_at, number, appeal_id LIMIT $4::bigint
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(after?.time)
    parameters.append(after?.number)
    parameters.append(after?.id)
    parameters.append(Int64(limit))
  }

  static func decode(_ row: PostgresRow) throws -> Appeal { try ReadAllOpenAppeals.decode(row) }
}

/// Answered appeals before a cursor, the newest answer first.
struct ReadAnsweredAppeals: PostgresStatement {
  let before: AppealCursor?
  let limit: Int

  static let sql = """
    SELECT appeal_id, number, state, statement, filed_at, answered_by, answered_at, answer FROM appeals
    WHERE state <> 'open'
      AND ($1::timestamptz IS NULL OR (answered_at, number, appeal_id) < ($1::timestamptz, $2::bigint, $3::uuid))
    ORDER BY answered_at DESC, number DESC, appeal_id DESC LIMIT $4::bigint
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(before?.time)
    parameters.append(before?.number)
    parameters.append(before?.id)
    parameters.append(Int64(limit))
  }

  static func decode(_ row: PostgresRow) throws -> Appeal { try ReadAllOpenAppeals.decode(row) }
}

/// Number of open appeals.
struct CountOpenAppeals: PostgresStatement {
  static let sql = "SELECT count(*) FROM appeals WHERE state = 'open'"

  static func decode(_ row: PostgresRow) throws -> Int64 { try row.decode(0) }
}
