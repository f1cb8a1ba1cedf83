// SPDX-License-Identifier: Apache-2.0

import Foundation
import PostgreSQL

/// Reads the counts of subjects and locks them until the transaction ends; new subjects start at 0.
struct LockAttempts: PostgresStatement {
  let subjects: [[UInt8]]
  let time: Date

  // The update changes nothing and locks the row.
  static let sql = """
    INSERT INTO sign_in_attempts AS a (subject, failures, last_at, closed_until)
    SELECT subject, 0, $2, $2 FROM unnest($1::bytea[]) AS subject ORDER BY subject
    ON CONFLICT (subject) DO UPDATE SET failures = a.failures
    RETURNING subject, failures, last_at, closed_until
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(subjects)
    parameters.append(time)
  }

  static func decode(_ row: PostgresRow) throws -> AttemptCount {
    AttemptCount(
      subject: try row.decode(0), failures: try row.decode(1), lastAt: try row.decode(2),
      closedUntil: try row.decode(3))
  }
}

/// Writes counts.
struct SaveAttempts: PostgresStatement {
  typealias Row = Void
  let counts: [AttemptCount]

  static let sql = """
    UPDATE sign_in_attempts a SET failures = n.failures, last_at = n.last_at, closed_until = n.closed_until
    FROM unnest($1::bytea[], $2::int[], $3::timestamptz[], $4::timestamptz[])
      AS n (subject, failures, last_at, closed_until)
    WHERE a.subject = n.subject
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(counts.map(\.subject))
    parameters.append(counts.map(\.failures))
    parameters.append(counts.map(\.lastAt))
    parameters.append(counts.map(\.closedUntil))
  }
}

/// Deletes the counts of these subjects, and old counts.
struct ForgetAttempts: PostgresStatement {
  typealias Row = Void
  let subjects: [[UInt8]]
  let before: Date

  static let sql = "DELETE FROM sign_in_attempts WHERE subject = ANY($1::bytea[]) OR last_at < $2"

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(subjects)
    parameters.append(before)
  }
}

/// Stores a known browser of an account, up to a limit.
struct RememberBrowser: PostgresStatement {
  typealias Row = Void
  let id: Int32
  let tokenHash: [UInt8]
  let time: Date
  let limit: Int64

  static let sql = """
    WITH gone AS (
      DELETE FROM known_browsers WHERE account_id = $1 AND token_hash IN (
        SELECT token_hash FROM known_browsers WHERE account_id = $1 ORDER BY seen_at DESC OFFSET $4::bigint)
    )
    INSERT INTO known_browsers (account_id, token_hash, seen_at) VALUES ($1, $2, $3)
    ON CONFLICT (account_id, token_hash) DO UPDATE SET seen_at = excluded.seen_at
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(id)
    parameters.append(tokenHash)
    parameters.append(time)
    parameters.append(limit)
  }
}

/// Whether a browser is known for an account.
struct FindBrowser: PostgresStatement {
  let name: String
  let tokenHash: [UInt8]

  static let sql = """
    SELECT a.account_id FROM known_browsers b JOIN accounts a USING (account_id)
    WHERE a.name = $1 AND b.token_hash = $2
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(name)
    parameters.append(tokenHash)
  }

  static func decode(_ row: PostgresRow) throws -> Int32 { try row.decode(0) }
}
