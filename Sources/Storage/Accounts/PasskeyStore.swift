// SPDX-License-Identifier: Apache-2.0

public import Foundation
import PostgreSQL

/// A passkey of an account, as its owner sees it.
public struct Passkey: Sendable, Equatable {
  /// Identifies the passkey for authenticators; 16 to 1,023 bytes.
  public let id: [UInt8]
  /// The owner's name for it, 1 to 80 characters.
  public let name: String
  public let addedAt: Date
  public let usedAt: Date?
}

public struct NewPasskey: Sendable, Equatable {
  /// Identifies the passkey for authenticators; 16 to 1,023 bytes.
  public let id: [UInt8]
  /// The public key (COSE_Key), at most 2,000 bytes.
  public let key: [UInt8]
  /// The authenticator's counter of signatures.
  public let counter: Int64
  /// The owner's name for it, 1 to 80 characters.
  public let name: String

  public init(id: [UInt8], key: [UInt8], counter: Int64, name: String) {
    (self.id, self.key, self.counter, self.name) = (id, key, counter, name)
  }
}

extension SQL {
  /// An account's passkeys, the oldest first.
  static func readPasskeys(accountID: Int32) -> Statement<Passkey> {
    Statement(
      """
      SELECT credential_id, name, added_at, used_at FROM passkeys WHERE account_id = $1
      ORDER BY added_at, credential_id
      """,
      accountID
    ) { row in
      Passkey(
        id: try row.decode(0), name: try row.decode(1), addedAt: try row.decode(2), usedAt: try row.decode(3))
    }
  }

  /// Returns no row where the limit is reached or the passkey is known.
  static func addPasskey(
    accountID: Int32, credentialID: [UInt8], key: [UInt8], counter: Int64, name: String, time: Date, limit: Int64
  ) -> Statement<Int32> {
    Statement(
      """
      INSERT INTO passkeys (credential_id, account_id, public_key, counter, name, added_at)
      SELECT $2, $1::int, $3, $4, $5, $6
      WHERE (SELECT count(*) FROM passkeys WHERE account_id = $1) < $7::bigint
      ON CONFLICT (credential_id) DO NOTHING RETURNING account_id
      """,
      accountID, credentialID, key, counter, name, time, limit)
  }

  /// Stores a use of a passkey; no row where its counter did not grow. Authenticators that do not count always send 0.
  static func usePasskey(accountID: Int32, credentialID: [UInt8], counter: Int64, time: Date) -> Statement<Int32> {
    Statement(
      """
      UPDATE passkeys SET counter = $3, used_at = $4
      WHERE credential_id = $2 AND account_id = $1 AND (counter < $3 OR counter = 0 AND $3 = 0) RETURNING account_id
      """,
      accountID, credentialID, counter, time)
  }

  /// Removes a passkey of an account, or all; returns their names.
  static func dropPasskeys(accountID: Int32, credentialID: [UInt8]? = nil) -> Statement<String> {
    Statement(
      """
      DELETE FROM passkeys WHERE account_id = $1 AND credential_id = coalesce($2::bytea, credential_id) RETURNING name
      """,
      accountID, credentialID)
  }
}

extension AccountStore {
  public static let maxPasskeys = 10

  /// An account's passkeys, the oldest first.
  public func passkeys(of id: Int32) async throws -> [Passkey] {
    try await pool.run(SQL.readPasskeys(accountID: id))
  }

  /// Finds the key of a passkey, and the account that it belongs to; no row for a disabled account.
  public func passkey(_ id: [UInt8]) async throws -> (account: Credentials, key: [UInt8])? {
    try await pool.run(
      """
      SELECT \(SQL.credentials), p.public_key FROM passkeys p JOIN accounts a USING (account_id)
      WHERE p.credential_id = $1 AND a.disabled_at IS NULL
      """,
      id
    ) { (account: try $0.credentials(), key: try $0.decode(8, as: [UInt8].self)) }.first
  }

  /// - Parameter recovery: hashes of recovery codes for an account whose first second factor this is.
  /// - Returns: the session's new token.
  /// - Throws: ``AccountError/passkeyRefused``.
  public func addPasskey(
    _ passkey: NewPasskey, recovery: [[UInt8]], of moderator: Session, at time: Date
  ) async throws -> String {
    try await secure(moderator, .accountPasskeyAdd, after: ["passkey": passkey.name], at: time) { connection in
      let added = try await connection.run(
        SQL.addPasskey(
          accountID: moderator.id, credentialID: passkey.id, key: passkey.key, counter: passkey.counter,
          name: passkey.name, time: time, limit: Int64(Self.maxPasskeys)))
      guard !added.isEmpty else { throw AccountError.passkeyRefused }
      guard !moderator.hasSecondFactor else { return }
      _ = try await connection.run(SQL.dropRecoveryCodes(id: moderator.id))
      _ = try await connection.run(SQL.addRecoveryCodes(id: moderator.id, hashes: recovery))
    }
  }

  /// With the last second factor the recovery codes are deleted.
  /// - Returns: the session's new token.
  public func removePasskey(_ passkey: Passkey, of moderator: Session, at time: Date) async throws -> String {
    try await secure(moderator, .accountPasskeyRemove, before: ["passkey": passkey.name], at: time) { connection in
      _ = try await connection.run(SQL.dropPasskeys(accountID: moderator.id, credentialID: passkey.id))
      guard !moderator.hasAuthenticator, try await connection.run(SQL.readPasskeys(accountID: moderator.id)).isEmpty
      else { return }
      _ = try await connection.run(SQL.dropRecoveryCodes(id: moderator.id))
    }
  }
}

extension SessionStore {
  /// Signs an account in whose passkey has checked its user.
  /// - Returns: nil where the passkey's counter did not grow.
  public func enter(
    passkey id: [UInt8], counter: Int64, of account: Credentials, replacing former: String? = nil,
    browser: String = "", at time: Date
  ) async throws -> FirstFactor? {
    let opening = opening(browser, former, at: time)
    return try await pool.change(at: time) { connection in
      if let opened = try await connection.entrance(of: opening) { return .none(opened) }
      let use = SQL.usePasskey(accountID: account.id, credentialID: id, counter: counter, time: time)
      guard try await !connection.run(use).isEmpty else { return .none(nil) }
      var events: [AuditEvent] = []
      let token = try await connection.open(account, way: "passkey", opening, &events).token
      return .made(events, .session(token, isNew: false))
    }
  }
}
