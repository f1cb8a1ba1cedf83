// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import PostgreSQL

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

  /// Stores a one-time sign-in link.
  static func createSignInLink(tokenHash: [UInt8], accountID: Int32, expiresAt: Date) -> Statement<Void> {
    Statement(
      "INSERT INTO sign_in_links (token_hash, account_id, expires_at) VALUES ($1, $2, $3)",
      tokenHash, accountID, expiresAt)
  }

  /// Consumes a sign-in link; of two simultaneous uses one gets a row.
  static func redeemSignInLink(linkHash: [UInt8], time: Date) -> Statement<Credentials> {
    Statement(
      """
      DELETE FROM sign_in_links l USING accounts a
      WHERE l.token_hash = $1 AND l.expires_at > $2 AND a.account_id = l.account_id AND a.disabled_at IS NULL
      RETURNING a.account_id, a.name, a.role, a.password, a.totp_secret, a.totp_step
      """,
      linkHash, time
    ) { try $0.credentials() }
  }

  /// Stores that the first factor was shown.
  static func addSignInStep(tokenHash: [UInt8], accountID: Int32, way: String, expiresAt: Date) -> Statement<Void> {
    Statement(
      "INSERT INTO sign_in_steps (token_hash, account_id, way, expires_at) VALUES ($1, $2, $3, $4)",
      tokenHash, accountID, way, expiresAt)
  }

  /// Finds the credentials of the account of an open sign-in step by the step's token.
  static func findSignInStep(tokenHash: [UInt8], time: Date) -> Statement<Credentials> {
    Statement(
      """
      SELECT a.account_id, a.name, a.role, a.password, a.totp_secret, a.totp_step
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
      tokenHash, accountID, time
    ) { try $0.decode(0) }
  }

  /// Consumes a code of an authenticator app, unless it or a later one was used before.
  static func takeCode(accountID: Int32, step: Int64) -> Statement<Int32> {
    Statement(
      """
      UPDATE accounts SET totp_step = $2 WHERE account_id = $1 AND totp_step < $2 RETURNING account_id
      """,
      accountID, step
    ) { try $0.decode(0) }
  }

  /// Consumes a recovery code.
  static func takeRecoveryCode(accountID: Int32, codeHash: [UInt8]) -> Statement<Int32> {
    Statement(
      "DELETE FROM recovery_codes WHERE account_id = $1 AND code_hash = $2 RETURNING account_id",
      accountID, codeHash
    ) { try $0.decode(0) }
  }

  /// Credentials of an account by name; no row for a disabled account.
  static func findCredentials(name: String) -> Statement<Credentials> {
    Statement(
      """
      SELECT account_id, name, role, password, totp_secret, totp_step FROM accounts
      WHERE name = $1 AND disabled_at IS NULL
      """,
      name
    ) { try $0.credentials() }
  }
}

extension PostgresRow {
  /// A role by its name.
  func role(_ column: Int) throws -> Role {
    let name: String = try decode(column)
    guard let role = Role(rawValue: name) else { throw StorageError.unknownRole(name) }
    return role
  }

  fileprivate func credentials() throws -> Credentials {
    Credentials(
      id: try decode(0), name: try decode(1), role: try role(2), password: try decode(3), secret: try decode(4),
      step: try decode(5))
  }
}
