// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import PostgreSQL

extension SQL {
  /// Adds an account; no row where the name is taken.
  static func addAccount(name: String, role: Role, time: Date) -> Statement<Int32> {
    Statement(
      """
      INSERT INTO accounts (name, role, created_at) VALUES ($1, $2, $3)
      ON CONFLICT (name) DO NOTHING RETURNING account_id
      """,
      name, role.rawValue, time
    ) { try $0.decode(0) }
  }

  /// Accounts by name: all, or one.
  static func readAccounts(id: Int32? = nil, name: String? = nil, time: Date) -> Statement<Account> {
    Statement(
      """
      SELECT a.account_id, a.name, a.role, a.language, a.created_at, a.signed_in_at, a.sign_ins, a.disabled_at,
        a.password IS NOT NULL, a.totp_secret IS NOT NULL,
        (SELECT count(*) FROM recovery_codes c WHERE c.account_id = a.account_id),
        (SELECT count(*) FROM sessions s
          WHERE s.account_id = a.account_id AND s.expires_at > $3 AND s.seen_at > $4),
        a.shortcuts
      FROM accounts a
      WHERE a.account_id = coalesce($1::int, a.account_id) AND a.name = coalesce($2::text, a.name)
      ORDER BY a.disabled_at IS NOT NULL, a.name
      """,
      id, name, time, time - SessionStore.idleLifetime
    ) { row in
      Account(
        id: try row.decode(0), name: try row.decode(1), role: try row.role(2), language: try row.decode(3),
        shortcuts: ShortcutKeys(stored: try row.decode(12)), createdAt: try row.decode(4),
        signedInAt: try row.decode(5),
        signIns: try row.decode(6),
        disabledAt: try row.decode(7), hasPassword: try row.decode(8), hasSecondFactor: try row.decode(9),
        recoveryCodes: try row.decode(10), sessions: try row.decode(11))
    }
  }

  /// Locks the administrators that can sign in, until the transaction ends.
  static func lockAdministrators() -> Statement<Int32> {
    Statement(
      """
      UPDATE accounts SET role = role WHERE role = 'administrator' AND disabled_at IS NULL RETURNING account_id
      """
    ) { try $0.decode(0) }
  }

  /// Gives an account a role.
  static func setRole(id: Int32, role: Role) -> Statement<Void> {
    Statement(
      "UPDATE accounts SET role = $2 WHERE account_id = $1",
      id, role.rawValue)
  }

  /// Disables an account, or enables it again.
  static func setDisabled(id: Int32, time: Date?) -> Statement<Void> {
    Statement(
      "UPDATE accounts SET disabled_at = $2 WHERE account_id = $1",
      id, time)
  }

  /// Sets the language of an account's pages.
  static func setLanguage(id: Int32, language: String?) -> Statement<Void> {
    Statement(
      "UPDATE accounts SET language = $2 WHERE account_id = $1",
      id, language)
  }

  /// Sets an account's keys; nil for the standard ones.
  static func setShortcuts(id: Int32, shortcuts: String?) -> Statement<Void> {
    Statement(
      "UPDATE accounts SET shortcuts = $2 WHERE account_id = $1",
      id, shortcuts)
  }

  /// Sets or removes an account's password.
  static func setPassword(id: Int32, hash: String?) -> Statement<Void> {
    Statement(
      "UPDATE accounts SET password = $2 WHERE account_id = $1",
      id, hash)
  }

  /// Sets or removes an account's second factor.
  static func setSecondFactor(id: Int32, secret: [UInt8]?, step: Int64) -> Statement<Void> {
    Statement(
      "UPDATE accounts SET totp_secret = $2, totp_step = $3 WHERE account_id = $1",
      id, secret, step)
  }

  /// Deletes an account's recovery codes and its unused sign-in links.
  static func dropRecoveryCodes(id: Int32) -> Statement<Void> {
    Statement(
      "DELETE FROM recovery_codes WHERE account_id = $1",
      id)
  }

  /// Adds recovery codes to an account.
  static func addRecoveryCodes(id: Int32, hashes: [[UInt8]]) -> Statement<Void> {
    Statement(
      "INSERT INTO recovery_codes (account_id, code_hash) SELECT $1, unnest($2::bytea[])",
      id, hashes)
  }

  /// Deletes the other ways into an account: sign-in links, sign-in steps and known browsers.
  static func dropEntrances(id: Int32) -> Statement<Void> {
    Statement(
      """
      WITH links AS (DELETE FROM sign_in_links WHERE account_id = $1),
        steps AS (DELETE FROM sign_in_steps WHERE account_id = $1)
      DELETE FROM known_browsers WHERE account_id = $1
      """,
      id)
  }
}
