// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import PostgreSQL

/// Finds an account by name, or adds one; returns the role before the change unless the account is new.
struct EnsureAccount: PostgresStatement {
  let name: String
  let role: Role?
  let createdAt: Date

  static let sql = """
    WITH former AS (SELECT role FROM accounts WHERE name = $1)
    INSERT INTO accounts (name, created_at, role) VALUES ($1, $2, coalesce($3::text, 'moderator'))
    ON CONFLICT (name) DO UPDATE SET role = coalesce($3::text, accounts.role)
    RETURNING account_id, role, (SELECT role FROM former)
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(name)
    parameters.append(createdAt)
    parameters.append(role?.rawValue)
  }

  static func decode(_ row: PostgresRow) throws -> (id: Int32, role: String, former: String?) {
    (try row.decode(0), try row.decode(1), try row.decode(2))
  }
}

/// Stores a one-time sign-in link.
struct CreateSignInLink: PostgresStatement {
  typealias Row = Void
  let tokenHash: [UInt8]
  let accountID: Int32
  let expiresAt: Date

  static let sql = "INSERT INTO sign_in_links (token_hash, account_id, expires_at) VALUES ($1, $2, $3)"

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(tokenHash)
    parameters.append(accountID)
    parameters.append(expiresAt)
  }
}

/// Consumes a sign-in link; of two simultaneous uses one gets a row.
struct RedeemSignInLink: PostgresStatement {
  let linkHash: [UInt8]
  let time: Date

  static let sql = """
    DELETE FROM sign_in_links l USING accounts a
    WHERE l.token_hash = $1 AND l.expires_at > $2 AND a.account_id = l.account_id AND a.disabled_at IS NULL
    RETURNING a.account_id, a.name, a.role, a.password, a.totp_secret, a.totp_step
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(linkHash)
    parameters.append(time)
  }

  static func decode(_ row: PostgresRow) throws -> Credentials { try row.credentials() }
}

/// Stores that the first factor was shown.
struct AddSignInStep: PostgresStatement {
  typealias Row = Void
  let tokenHash: [UInt8]
  let accountID: Int32
  let way: String
  let expiresAt: Date

  static let sql = "INSERT INTO sign_in_steps (token_hash, account_id, way, expires_at) VALUES ($1, $2, $3, $4)"

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(tokenHash)
    parameters.append(accountID)
    parameters.append(way)
    parameters.append(expiresAt)
  }
}

/// Finds the credentials of the account of an open sign-in step by the step's token.
struct FindSignInStep: PostgresStatement {
  let tokenHash: [UInt8]
  let time: Date

  static let sql = """
    SELECT a.account_id, a.name, a.role, a.password, a.totp_secret, a.totp_step
    FROM sign_in_steps s JOIN accounts a USING (account_id)
    WHERE s.token_hash = $1 AND s.expires_at > $2 AND a.disabled_at IS NULL
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(tokenHash)
    parameters.append(time)
  }

  static func decode(_ row: PostgresRow) throws -> Credentials { try row.credentials() }
}

/// Ends a step; returns once how the first factor was shown.
struct EndSignInStep: PostgresStatement {
  let tokenHash: [UInt8]
  let accountID: Int32
  let time: Date

  static let sql = """
    DELETE FROM sign_in_steps WHERE token_hash = $1 AND account_id = $2 AND expires_at > $3 RETURNING way
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(tokenHash)
    parameters.append(accountID)
    parameters.append(time)
  }

  static func decode(_ row: PostgresRow) throws -> String { try row.decode(0) }
}

/// Consumes a code of an authenticator app, unless it or a later one was used before.
struct TakeCode: PostgresStatement {
  let accountID: Int32
  let step: Int64

  static let sql = """
    UPDATE accounts SET totp_step = $2 WHERE account_id = $1 AND totp_step < $2 RETURNING account_id
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(accountID)
    parameters.append(step)
  }

  static func decode(_ row: PostgresRow) throws -> Int32 { try row.decode(0) }
}

/// Consumes a recovery code.
struct TakeRecoveryCode: PostgresStatement {
  let accountID: Int32
  let codeHash: [UInt8]

  static let sql = "DELETE FROM recovery_codes WHERE account_id = $1 AND code_hash = $2 RETURNING account_id"

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(accountID)
    parameters.append(codeHash)
  }

  static func decode(_ row: PostgresRow) throws -> Int32 { try row.decode(0) }
}

/// Credentials of an account by name; no row for a disabled account.
struct FindCredentials: PostgresStatement {
  let name: String

  static let sql = """
    SELECT account_id, name, role, password, totp_secret, totp_step FROM accounts
    WHERE name = $1 AND disabled_at IS NULL
    """

  func bind(into parameters: inout PostgresParameters) { parameters.append(name) }

  static func decode(_ row: PostgresRow) throws -> Credentials { try row.credentials() }
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
