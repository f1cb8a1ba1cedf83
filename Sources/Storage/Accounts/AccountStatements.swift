// SPDX-License-Identifier: Apache-2.0

public import Curation
public import Foundation
import PostgreSQL

extension SQL {
  /// Returns no row where the name is taken.
  static func addAccount(name: String, role: Role, time: Date) -> Statement<Int32> {
    Statement(
      """
      INSERT INTO accounts (name, role, created_at) VALUES ($1, $2, $3)
      ON CONFLICT (name) DO NOTHING RETURNING account_id
      """,
      name, role.rawValue, time)
  }

  /// Accounts by name: all, or one.
  static func readAccounts(id: Int32? = nil, name: String? = nil, time: Date) -> Statement<Account> {
    Statement(
      """
      SELECT a.account_id, a.name, a.role, a.language, a.created_at, a.signed_in_at, a.sign_ins, a.disabled_at,
        a.password IS NOT NULL,
        a.totp_secret IS NOT NULL OR EXISTS (SELECT 1 FROM passkeys p WHERE p.account_id = a.account_id),
        (SELECT count(*) FROM recovery_codes c WHERE c.account_id = a.account_id),
        (SELECT count(*) FROM sessions s
          WHERE s.account_id = a.account_id AND s.expires_at > $3 AND s.seen_at > $4),
        a.shortcuts, EXISTS (SELECT 1 FROM account_identities i WHERE i.account_id = a.account_id)
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
        recoveryCodes: try row.decode(10), sessions: try row.decode(11), isTied: try row.decode(13))
    }
  }

  /// Locks the administrators that can sign in, until the transaction ends.
  static func lockAdministrators() -> Statement<Int32> {
    Statement(
      """
      UPDATE accounts SET role = role WHERE role = 'administrator' AND disabled_at IS NULL RETURNING account_id
      """)
  }

  static func setRole(id: Int32, role: Role) -> Statement<Void> {
    Statement("UPDATE accounts SET role = $2 WHERE account_id = $1", id, role.rawValue)
  }

  /// Disables an account, or enables it again.
  static func setDisabled(id: Int32, time: Date?) -> Statement<Void> {
    Statement("UPDATE accounts SET disabled_at = $2 WHERE account_id = $1", id, time)
  }

  static func setLanguage(id: Int32, language: String?) -> Statement<Void> {
    Statement("UPDATE accounts SET language = $2 WHERE account_id = $1", id, language)
  }

  /// Nil sets the standard keys.
  static func setShortcuts(id: Int32, shortcuts: String?) -> Statement<Void> {
    Statement("UPDATE accounts SET shortcuts = $2 WHERE account_id = $1", id, shortcuts)
  }

  static func setPassword(id: Int32, hash: String?) -> Statement<Void> {
    Statement("UPDATE accounts SET password = $2 WHERE account_id = $1", id, hash)
  }

  static func setSecondFactor(id: Int32, secret: [UInt8]?, step: Int64) -> Statement<Void> {
    Statement("UPDATE accounts SET totp_secret = $2, totp_step = $3 WHERE account_id = $1", id, secret, step)
  }

  /// Deletes an account's recovery codes and its unused sign-in links.
  static func dropRecoveryCodes(id: Int32) -> Statement<Void> {
    Statement("DELETE FROM recovery_codes WHERE account_id = $1", id)
  }

  static func addRecoveryCodes(id: Int32, hashes: [[UInt8]]) -> Statement<Void> {
    Statement("INSERT INTO recovery_codes (account_id, code_hash) SELECT $1, unnest($2::bytea[])", id, hashes)
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

/// An account as administrators and its owner see it, without secrets.
public struct Account: Sendable, Equatable {
  public let id: Int32
  /// Unique, 1 to 80 characters.
  public let name: String
  public let role: Role
  /// Such as `ru`; nil leaves it to the browser.
  public let language: String?
  public let shortcuts: ShortcutKeys
  public let createdAt: Date
  public let signedInAt: Date?
  public let signIns: Int32
  public let disabledAt: Date?
  /// Without one the account signs in with links.
  public let hasPassword: Bool
  public let hasSecondFactor: Bool
  /// Number of unused recovery codes.
  public let recoveryCodes: Int64
  public let sessions: Int64
  /// Whether the account signs in with the identity provider, and so has no password.
  public let isTied: Bool
}

public struct AccountSession: Sendable, Equatable {
  /// Identifies the session; it is not its token.
  public let id: UUID
  public let openedAt: Date
  /// The last use, to the minute.
  public let seenAt: Date
  /// Browser and platform as text; may be empty.
  public let browser: String
}

/// Credentials of an account; never shown.
public struct Credentials: Sendable {
  public let id: Int32
  /// Unique.
  public let name: String
  public let role: Role
  /// As `PasswordHash` encodes it; nil for none.
  public let password: String?
  /// Of the authenticator app, encrypted; nil for none.
  public let secret: [UInt8]?
  /// The newest time step of which a code was accepted.
  public let step: Int64
  /// Whether the account signs in with the identity provider.
  public let isTied: Bool
  public let hasPasskeys: Bool
}

/// The reason why an account was not changed.
public enum AccountError: Error, Equatable, CustomStringConvertible {
  case unknown(String)
  case taken(String)
  /// The account or the person of this subject is tied already.
  case tied(String)
  /// The account has as many passkeys as it may have, or the passkey is known.
  case passkeyRefused
  /// The change would leave no administrator who can sign in.
  case lastAdministrator(String)

  /// The cause and the remedy, in plain English.
  public var description: String {
    switch self {
    case .unknown(let name): "There is no account \(name). See `ringfence account list`."
    case .taken(let name): "There is an account \(name) already. Choose another name."
    case .tied(let subject):
      "The account or the subject \(subject) is tied already. Untie an account with: ringfence account reset NAME"
    case .passkeyRefused:
      "The account has \(AccountStore.maxPasskeys) passkeys, or has this one already. Remove a passkey first."
    case .lastAdministrator(let name):
      "\(name) is the last administrator that can sign in. Make a second one first: ringfence account role NAME administrator"
    }
  }
}

extension SQL {
  /// Stores the fingerprint of the key that encrypts secrets, unless one is stored; returns the stored one.
  static func claimAccountKey(fingerprint: [UInt8]) -> Statement<[UInt8]> {
    // The update changes nothing and makes the statement return the row.
    Statement(
      """
      INSERT INTO account_key AS k (only_row, fingerprint) VALUES (true, $1)
      ON CONFLICT (only_row) DO UPDATE SET fingerprint = k.fingerprint RETURNING fingerprint
      """,
      fingerprint)
  }

  /// Deletes the key's fingerprint once no secret is encrypted with it.
  static func forgetAccountKey() -> Statement<Void> {
    Statement(
      """
      DELETE FROM account_key WHERE NOT EXISTS (SELECT 1 FROM accounts WHERE totp_secret IS NOT NULL)
        AND NOT EXISTS (SELECT 1 FROM recovery_codes)
      """)
  }
}

/// Result of a first factor that was accepted.
public enum FirstFactor: Sendable, Equatable {
  /// The token of the new session.
  case session(String, isNew: Bool)
  /// The account has a second factor; the token of the sign-in step that continues.
  case secondFactor(String)
}

/// A second factor that was shown.
public enum SecondFactor: Sendable, Equatable {
  /// A code of an authenticator app, identified by its step of 30 seconds.
  case code(step: Int64)
  /// A recovery code, identified by its hash of 32 bytes.
  case recovery([UInt8])
  /// A passkey, identified by its credential, and the counter that it sent.
  case passkey([UInt8], counter: Int64)
}
