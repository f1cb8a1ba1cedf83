// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import PostgreSQL

/// Opens a session, and deletes expired sessions.
struct OpenSession: PostgresStatement {
  let accountID: Int32
  let tokenHash: [UInt8]
  let sessionID: UUID
  let browser: String
  let time: Date
  let expiresAt: Date

  static let sql = """
    WITH opened AS (
      INSERT INTO sessions (token_hash, account_id, expires_at, session_id, opened_at, seen_at, browser)
      VALUES ($2, $1, $6, $3, $5, $5, $4)
    ), gone AS (
      DELETE FROM sessions WHERE expires_at < $5
    ), left_open AS (
      DELETE FROM sign_in_steps WHERE expires_at < $5
    ), unused AS (
      DELETE FROM sign_in_links WHERE expires_at < $5
    )
    UPDATE accounts SET sign_ins = sign_ins + 1, signed_in_at = $5 WHERE account_id = $1 RETURNING sign_ins
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(accountID)
    parameters.append(tokenHash)
    parameters.append(sessionID)
    parameters.append(browser)
    parameters.append(time)
    parameters.append(expiresAt)
  }

  static func decode(_ row: PostgresRow) throws -> Int32 { try row.decode(0) }
}

/// Finds the session of a token, with its account.
struct FindSession: PostgresStatement {
  let tokenHash: [UInt8]
  let time: Date
  let seenAfter: Date

  static let sql = """
    SELECT a.account_id, a.name, a.role, a.language, s.session_id, a.password IS NOT NULL,
      a.totp_secret IS NOT NULL, a.sign_ins, s.seen_at, a.shortcuts
    FROM sessions s JOIN accounts a USING (account_id)
    WHERE s.token_hash = $1 AND s.expires_at > $2 AND s.seen_at > $3 AND a.disabled_at IS NULL
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(tokenHash)
    parameters.append(time)
    parameters.append(seenAfter)
  }

  static func decode(_ row: PostgresRow) throws -> (moderator: Session, seenAt: Date) {
    (
      Session(
        id: try row.decode(0), name: try row.decode(1), role: try row.role(2), language: try row.decode(3),
        shortcuts: ShortcutKeys(stored: try row.decode(9)), sessionID: try row.decode(4),
        hasPassword: try row.decode(5), hasSecondFactor: try row.decode(6), signIns: try row.decode(7)),
      try row.decode(8)
    )
  }
}

/// Updates the time at which a session was last used.
struct TouchSession: PostgresStatement {
  typealias Row = Void
  let tokenHash: [UInt8]
  let time: Date

  static let sql = "UPDATE sessions SET seen_at = $2 WHERE token_hash = $1 AND seen_at < $2"

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(tokenHash)
    parameters.append(time)
  }
}

/// Ends the session of a token.
struct DeleteSession: PostgresStatement {
  let tokenHash: [UInt8]

  static let sql = """
    DELETE FROM sessions s USING accounts a WHERE s.token_hash = $1 AND a.account_id = s.account_id
    RETURNING a.name, a.role
    """

  func bind(into parameters: inout PostgresParameters) { parameters.append(tokenHash) }

  static func decode(_ row: PostgresRow) throws -> Actor {
    Actor(name: try row.decode(0), role: try row.role(1))
  }
}

/// Replaces a session's token.
struct RotateSession: PostgresStatement {
  typealias Row = Void
  let sessionID: UUID
  let tokenHash: [UInt8]

  static let sql = "UPDATE sessions SET token_hash = $2 WHERE session_id = $1"

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(sessionID)
    parameters.append(tokenHash)
  }
}

/// Ends an account's sessions: one, or all but one.
struct EndSessions: PostgresStatement {
  let accountID: Int32
  let only: UUID?
  let except: UUID?

  static let sql = """
    DELETE FROM sessions
    WHERE account_id = $1 AND session_id = coalesce($2::uuid, session_id) AND session_id IS DISTINCT FROM $3::uuid
    RETURNING session_id
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(accountID)
    parameters.append(only)
    parameters.append(except)
  }

  static func decode(_ row: PostgresRow) throws -> UUID { try row.decode(0) }
}

/// An account's open sessions, the newest first.
struct ReadSessions: PostgresStatement {
  let accountID: Int32
  let time: Date
  let seenAfter: Date

  static let sql = """
    SELECT session_id, opened_at, seen_at, browser FROM sessions
    WHERE account_id = $1 AND expires_at > $2 AND seen_at > $3 ORDER BY opened_at DESC, session_id
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(accountID)
    parameters.append(time)
    parameters.append(seenAfter)
  }

  static func decode(_ row: PostgresRow) throws -> AccountSession {
    AccountSession(
      id: try row.decode(0), openedAt: try row.decode(1), seenAt: try row.decode(2), browser: try row.decode(3))
  }
}
