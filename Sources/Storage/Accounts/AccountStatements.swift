// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import PostgreSQL

/// Adds an account; no row where the name is taken.
struct AddAccount: PostgresStatement {
  let name: String
  let role: Role
  let time: Date

  static let sql = """
    INSERT INTO accounts (name, role, created_at) VALUES ($1, $2, $3)
    ON CONFLICT (name) DO NOTHING RETURNING account_id
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(name)
    parameters.append(role.rawValue)
    parameters.append(time)
  }

  static func decode(_ row: PostgresRow) throws -> Int32 { try row.decode(0) }
}

/// Accounts by name: all, or one.
struct ReadAccounts: PostgresStatement {
  var id: Int32?
  var name: String?
  let time: Date

  static let sql = """
    SELECT a.account_id, a.name, a.role, a.language, a.created_at, a.signed_in_at, a.sign_ins, a.disabled_at,
      a.password IS NOT NULL, a.totp_secret IS NOT NULL,
      (SELECT count(*) FROM recovery_codes c WHERE c.account_id = a.account_id),
      (SELECT count(*) FROM sessions s
        WHERE s.account_id = a.account_id AND s.expires_at > $3 AND s.seen_at > $4),
      a.shortcuts
    FROM accounts a
    WHERE a.account_id = coalesce($1::int, a.account_id) AND a.name = coalesce($2::text, a.name)
    ORDER BY a.disabled_at IS NOT NULL, a.name
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(id)
    parameters.append(name)
    parameters.append(time)
    parameters.append(time - SessionStore.idleLifetime)
  }

  static func decode(_ row: PostgresRow) throws -> Account {
    Account(
      id: try row.decode(0), name: try row.decode(1), role: try row.role(2), language: try row.decode(3),
      shortcuts: ShortcutKeys(stored: try row.decode(12)), createdAt: try row.decode(4), signedInAt: try row.decode(5),
      signIns: try row.decode(6),
      disabledAt: try row.decode(7), hasPassword: try row.decode(8), hasSecondFactor: try row.decode(9),
      recoveryCodes: try row.decode(10), sessions: try row.decode(11))
  }
}

/// Locks the administrators that can sign in, until the transaction ends.
struct LockAdministrators: PostgresStatement {
  static let sql = """
    UPDATE accounts SET role = role WHERE role = 'administrator' AND disabled_at IS NULL RETURNING account_id
    """

  static func decode(_ row: PostgresRow) throws -> Int32 { try row.decode(0) }
}

/// Gives an account a role.
struct SetRole: PostgresStatement {
  typealias Row = Void
  let id: Int32
  let role: Role

  static let sql = "UPDATE accounts SET role = $2 WHERE account_id = $1"

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(id)
    parameters.append(role.rawValue)
  }
}

/// Disables an account, or enables it again.
struct SetDisabled: PostgresStatement {
  typealias Row = Void
  let id: Int32
  let time: Date?

  static let sql = "UPDATE accounts SET disabled_at = $2 WHERE account_id = $1"

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(id)
    parameters.append(time)
  }
}

/// Sets the language of an account's pages.
struct SetLanguage: PostgresStatement {
  typealias Row = Void
  let id: Int32
  let language: String?

  static let sql = "UPDATE accounts SET language = $2 WHERE account_id = $1"

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(id)
    parameters.append(language)
  }
}

/// Sets an account's keys; nil for the standard ones.
struct SetShortcuts: PostgresStatement {
  typealias Row = Void
  let id: Int32
  let shortcuts: String?

  static let sql = "UPDATE accounts SET shortcuts = $2 WHERE account_id = $1"

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(id)
    parameters.append(shortcuts)
  }
}

/// Sets or removes an account's password.
struct SetPassword: PostgresStatement {
  typealias Row = Void
  let id: Int32
  let hash: String?

  static let sql = "UPDATE accounts SET password = $2 WHERE account_id = $1"

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(id)
    parameters.append(hash)
  }
}

/// Sets or removes an account's second factor.
struct SetSecondFactor: PostgresStatement {
  typealias Row = Void
  let id: Int32
  let secret: [UInt8]?
  let step: Int64

  static let sql = "UPDATE accounts SET totp_secret = $2, totp_step = $3 WHERE account_id = $1"

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(id)
    parameters.append(secret)
    parameters.append(step)
  }
}

/// Deletes an account's recovery codes and its unused sign-in links.
struct DropRecoveryCodes: PostgresStatement {
  typealias Row = Void
  let id: Int32

  static let sql = "DELETE FROM recovery_codes WHERE account_id = $1"

  func bind(into parameters: inout PostgresParameters) { parameters.append(id) }
}

/// Adds recovery codes to an account.
struct AddRecoveryCodes: PostgresStatement {
  typealias Row = Void
  let id: Int32
  let hashes: [[UInt8]]

  static let sql = "INSERT INTO recovery_codes (account_id, code_hash) SELECT $1, unnest($2::bytea[])"

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(id)
    parameters.append(hashes)
  }
}

/// Deletes the other ways into an account: sign-in links, sign-in steps and known browsers.
struct DropEntrances: PostgresStatement {
  typealias Row = Void
  let id: Int32

  static let sql = """
    WITH links AS (DELETE FROM sign_in_links WHERE account_id = $1),
      steps AS (DELETE FROM sign_in_steps WHERE account_id = $1)
    DELETE FROM known_browsers WHERE account_id = $1
    """

  func bind(into parameters: inout PostgresParameters) { parameters.append(id) }
}
