// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import PostgreSQL

extension SQL {
  /// Opens a session, and deletes expired sessions.
  static func openSession(
    accountID: Int32, tokenHash: [UInt8], sessionID: UUID, browser: String, time: Date, expiresAt: Date
  ) -> Statement<Int32> {
    Statement(
      """
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
      """,
      accountID, tokenHash, sessionID, browser, time, expiresAt
    ) { try $0.decode(0) }
  }

  /// Finds the session of a token, with its account.
  static func findSession(
    tokenHash: [UInt8], time: Date, seenAfter: Date
  ) -> Statement<(moderator: Session, seenAt: Date)> {
    Statement(
      """
      SELECT a.account_id, a.name, a.role, a.language, s.session_id, a.password IS NOT NULL,
        a.totp_secret IS NOT NULL, a.sign_ins, s.seen_at, a.shortcuts
      FROM sessions s JOIN accounts a USING (account_id)
      WHERE s.token_hash = $1 AND s.expires_at > $2 AND s.seen_at > $3 AND a.disabled_at IS NULL
      """,
      tokenHash, time, seenAfter
    ) { row in
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
  static func touchSession(tokenHash: [UInt8], time: Date) -> Statement<Void> {
    Statement(
      "UPDATE sessions SET seen_at = $2 WHERE token_hash = $1 AND seen_at < $2",
      tokenHash, time)
  }

  /// Ends the session of a token.
  static func deleteSession(tokenHash: [UInt8]) -> Statement<Actor> {
    Statement(
      """
      DELETE FROM sessions s USING accounts a WHERE s.token_hash = $1 AND a.account_id = s.account_id
      RETURNING a.name, a.role
      """,
      tokenHash
    ) { Actor(name: try $0.decode(0), role: try $0.role(1)) }
  }

  /// Replaces a session's token.
  static func rotateSession(sessionID: UUID, tokenHash: [UInt8]) -> Statement<Void> {
    Statement(
      "UPDATE sessions SET token_hash = $2 WHERE session_id = $1",
      sessionID, tokenHash)
  }

  /// Ends an account's sessions: one, or all but one.
  static func endSessions(accountID: Int32, only: UUID?, except: UUID?) -> Statement<UUID> {
    Statement(
      """
      DELETE FROM sessions
      WHERE account_id = $1 AND session_id = coalesce($2::uuid, session_id) AND session_id IS DISTINCT FROM $3::uuid
      RETURNING session_id
      """,
      accountID, only, except
    ) { try $0.decode(0) }
  }

  /// An account's open sessions, the newest first.
  static func readSessions(accountID: Int32, time: Date, seenAfter: Date) -> Statement<AccountSession> {
    Statement(
      """
      SELECT session_id, opened_at, seen_at, browser FROM sessions
      WHERE account_id = $1 AND expires_at > $2 AND seen_at > $3 ORDER BY opened_at DESC, session_id
      """,
      accountID, time, seenAfter
    ) { row in
      AccountSession(
        id: try row.decode(0), openedAt: try row.decode(1), seenAt: try row.decode(2), browser: try row.decode(3))
    }
  }
}
