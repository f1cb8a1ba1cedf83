// SPDX-License-Identifier: Apache-2.0

public import Curation
public import Foundation
import PostgreSQL

extension SQL {
  /// Also deletes expired sessions.
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
      accountID, tokenHash, sessionID, browser, time, expiresAt)
  }

  static func findSession(
    tokenHash: [UInt8], time: Date, seenAfter: Date
  ) -> Statement<(moderator: Session, seenAt: Date)> {
    Statement(
      """
      SELECT a.account_id, a.name, a.role, a.language, s.session_id, a.password IS NOT NULL,
        a.totp_secret IS NOT NULL, a.sign_ins, s.seen_at, a.shortcuts,
        EXISTS (SELECT 1 FROM account_identities i WHERE i.account_id = a.account_id),
        EXISTS (SELECT 1 FROM passkeys p WHERE p.account_id = a.account_id)
      FROM sessions s JOIN accounts a USING (account_id)
      WHERE s.token_hash = $1 AND s.expires_at > $2 AND s.seen_at > $3 AND a.disabled_at IS NULL
      """,
      tokenHash, time, seenAfter
    ) { row in
      (
        Session(
          id: try row.decode(0), name: try row.decode(1), role: try row.role(2), language: try row.decode(3),
          shortcuts: ShortcutKeys(stored: try row.decode(9)), sessionID: try row.decode(4),
          hasPassword: try row.decode(5), hasAuthenticator: try row.decode(6), hasPasskeys: try row.decode(11),
          isTied: try row.decode(10), signIns: try row.decode(7)),
        try row.decode(8)
      )
    }
  }

  static func touchSession(tokenHash: [UInt8], time: Date) -> Statement<Void> {
    Statement("UPDATE sessions SET seen_at = $2 WHERE token_hash = $1 AND seen_at < $2", tokenHash, time)
  }

  static func deleteSession(tokenHash: [UInt8]) -> Statement<Actor> {
    Statement(
      """
      DELETE FROM sessions s USING accounts a WHERE s.token_hash = $1 AND a.account_id = s.account_id
      RETURNING a.name, a.role
      """,
      tokenHash
    ) { Actor(name: try $0.decode(0), role: try $0.role(1)) }
  }

  static func rotateSession(sessionID: UUID, tokenHash: [UInt8]) -> Statement<Void> {
    Statement("UPDATE sessions SET token_hash = $2 WHERE session_id = $1", sessionID, tokenHash)
  }

  static func endSessions(accountID: Int32, only: UUID?, except: UUID?) -> Statement<UUID> {
    Statement(
      """
      DELETE FROM sessions
      WHERE account_id = $1 AND session_id = coalesce($2::uuid, session_id) AND session_id IS DISTINCT FROM $3::uuid
      RETURNING session_id
      """,
      accountID, only, except)
  }
}

/// A signed-in account.
public struct Session: Sendable, Equatable {
  public let id: Int32
  /// Unique, 1 to 80 characters.
  public let name: String
  public let role: Role
  /// Such as `ru`; nil leaves it to the browser.
  public let language: String?
  public let shortcuts: ShortcutKeys
  /// Identifies the session; it is not its token.
  public let sessionID: UUID
  public let hasPassword: Bool
  public let hasAuthenticator: Bool
  public let hasPasskeys: Bool
  /// Whether the account signs in with the identity provider, and so has no password.
  public let isTied: Bool
  /// Includes this one.
  public let signIns: Int32

  public var hasSecondFactor: Bool { hasAuthenticator || hasPasskeys }
}

extension SQL {
  /// Finds an account by name, or adds one; returns the role before the change unless the account is new.
  static func ensureAccount(
    name: String, role: Role?, createdAt: Date
  ) -> Statement<(id: Int32, role: String, former: String?)> {
    Statement(
      """
      WITH former AS (SELECT role FROM accounts WHERE name = $1)
      INSERT INTO accounts (name, created_at, role) VALUES ($1, $2, coalesce($3::text, 'moderator'))
      ON CONFLICT (name) DO UPDATE SET role = coalesce($3::text, accounts.role)
      RETURNING account_id, role, (SELECT role FROM former)
      """,
      name, createdAt, role?.rawValue
    ) { (try $0.decode(0), try $0.decode(1), try $0.decode(2)) }
  }

  static func createSignInLink(tokenHash: [UInt8], accountID: Int32, expiresAt: Date) -> Statement<Void> {
    Statement(
      "INSERT INTO sign_in_links (token_hash, account_id, expires_at) VALUES ($1, $2, $3)",
      tokenHash, accountID, expiresAt)
  }

  /// The columns of ``Credentials``, of the table `accounts a`.
  static let credentials = """
    a.account_id, a.name, a.role, a.password, a.totp_secret, a.totp_step,
      EXISTS (SELECT 1 FROM account_identities i WHERE i.account_id = a.account_id),
      EXISTS (SELECT 1 FROM passkeys p WHERE p.account_id = a.account_id)
    """

  /// Stores that the first factor was shown.
  static func addSignInStep(tokenHash: [UInt8], accountID: Int32, way: String, expiresAt: Date) -> Statement<Void> {
    Statement(
      "INSERT INTO sign_in_steps (token_hash, account_id, way, expires_at) VALUES ($1, $2, $3, $4)",
      tokenHash, accountID, way, expiresAt)
  }

  static func findSignInStep(tokenHash: [UInt8], time: Date) -> Statement<Credentials> {
    Statement(
      """
      SELECT \(credentials)
      FROM sign_in_steps s JOIN accounts a USING (account_id)
      WHERE s.token_hash = $1 AND s.expires_at > $2 AND a.disabled_at IS NULL
      """,
      tokenHash, time
    ) { try $0.credentials() }
  }

  /// Ends a step; returns once how the first factor was shown.
  static func endSignInStep(tokenHash: [UInt8], accountID: Int32, time: Date) -> Statement<String> {
    Statement(
      """
      DELETE FROM sign_in_steps WHERE token_hash = $1 AND account_id = $2 AND expires_at > $3 RETURNING way
      """,
      tokenHash, accountID, time)
  }

  /// Consumes a code of an authenticator app, unless it or a later one was used before.
  static func takeCode(accountID: Int32, step: Int64) -> Statement<Int32> {
    Statement(
      """
      UPDATE accounts SET totp_step = $2 WHERE account_id = $1 AND totp_step < $2 RETURNING account_id
      """,
      accountID, step)
  }

  static func takeRecoveryCode(accountID: Int32, codeHash: [UInt8]) -> Statement<Int32> {
    Statement(
      "DELETE FROM recovery_codes WHERE account_id = $1 AND code_hash = $2 RETURNING account_id",
      accountID, codeHash)
  }
}

extension SQL {
  static func findIdentity(issuer: String, subject: String) -> Statement<(account: Credentials, isEnabled: Bool)> {
    Statement(
      """
      SELECT \(credentials), a.disabled_at IS NULL
      FROM account_identities JOIN accounts a USING (account_id) WHERE issuer = $1 AND subject = $2
      """,
      issuer, subject
    ) { (try $0.credentials(), try $0.decode(8)) }
  }

  /// Returns no row where either is tied already.
  static func addIdentity(issuer: String, subject: String, accountID: Int32, time: Date) -> Statement<Int32> {
    Statement(
      """
      INSERT INTO account_identities (issuer, subject, account_id, tied_at) VALUES ($1, $2, $3, $4)
      ON CONFLICT DO NOTHING RETURNING account_id
      """,
      issuer, subject, accountID, time)
  }

  static func dropIdentity(accountID: Int32) -> Statement<Void> {
    Statement("DELETE FROM account_identities WHERE account_id = $1", accountID)
  }
}

extension PostgresRow {
  func role(_ column: Int) throws -> Role {
    let name: String = try decode(column)
    guard let role = Role(rawValue: name) else { throw StorageError.unknownRole(name) }
    return role
  }

  func credentials() throws -> Credentials {
    Credentials(
      id: try decode(0), name: try decode(1), role: try role(2), password: try decode(3), secret: try decode(4),
      step: try decode(5), isTied: try decode(6), hasPasskeys: try decode(7))
  }
}
