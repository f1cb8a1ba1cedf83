// SPDX-License-Identifier: Apache-2.0

import Foundation
import PostgreSQL

/// Adds a key; no row where it exists, by which a repeated call recognizes its own work.
struct InsertKey: PostgresStatement {
  typealias Row = Void
  let appID: Int32
  let hash: [UInt8]
  let hint: String
  let scopes: AppScopes
  let createdAt: Date
  let createdBy: String
  let expiresAt: Date?

  static let sql = """
    INSERT INTO app_keys (app_id, key_hash, hint, scopes, created_at, created_by, expires_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (key_hash) DO NOTHING
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(appID)
    parameters.append(hash)
    parameters.append(hint)
    parameters.append(scopes.rawValue)
    parameters.append(createdAt)
    parameters.append(createdBy)
    parameters.append(expiresAt)
  }
}

/// Sets the end of an app's valid keys to a time, unless they end earlier.
struct EndKeys: PostgresStatement {
  typealias Row = Void
  let appID: Int32
  let time: Date
  /// The hash of the key that is not changed.
  let exceptHash: [UInt8]

  static let sql = """
    UPDATE app_keys SET expires_at = least(expires_at, $2)
    WHERE app_id = $1 AND revoked_at IS NULL AND key_hash <> $3
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(appID)
    parameters.append(time)
    parameters.append(exceptHash)
  }
}

/// Revokes a key permanently; an earlier time of revocation is kept.
struct RevokeKey: PostgresStatement {
  typealias Row = Void
  let keyID: Int32
  let time: Date

  static let sql = "UPDATE app_keys SET revoked_at = coalesce(revoked_at, $2) WHERE key_id = $1"

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(keyID)
    parameters.append(time)
  }
}

/// Changes a key's scopes.
struct ChangeScopes: PostgresStatement {
  typealias Row = Void
  let keyID: Int32
  let scopes: AppScopes

  static let sql = "UPDATE app_keys SET scopes = $2 WHERE key_id = $1"

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(keyID)
    parameters.append(scopes.rawValue)
  }
}

/// Stores when keys were last used.
struct NoteKeyUses: PostgresStatement {
  typealias Row = Void
  let uses: [(key: Int32, time: Date)]

  static let sql = """
    UPDATE app_keys k SET last_used_at = greatest(k.last_used_at, u.time)
    FROM unnest($1::integer[], $2::timestamptz[]) AS u (key_id, time) WHERE k.key_id = u.key_id
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(uses.map(\.key))
    parameters.append(uses.map(\.time))
  }
}

/// Reads keys, those of an app together, the newest first.
struct ReadKeys: PostgresStatement {
  /// Nil for all apps.
  var appID: Int32?
  /// Nil for all keys.
  var keyID: Int32?

  static let sql = """
    SELECT k.key_id, k.app_id, a.name, k.hint, k.scopes, k.created_at, k.created_by, k.expires_at,
           k.revoked_at, k.last_used_at
    FROM app_keys k JOIN apps a USING (app_id)
    WHERE ($1::integer IS NULL OR k.app_id = $1) AND ($2::integer IS NULL OR k.key_id = $2)
    ORDER BY a.name, k.key_id DESC
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(appID)
    parameters.append(keyID)
  }

  static func decode(_ row: PostgresRow) throws -> AppKey {
    AppKey(
      id: try row.decode(0), appID: try row.decode(1), appName: try row.decode(2), hint: try row.decode(3),
      scopes: AppScopes(rawValue: try row.decode(4)), createdAt: try row.decode(5), createdBy: try row.decode(6),
      expiresAt: try row.decode(7), revokedAt: try row.decode(8), lastUsedAt: try row.decode(9))
  }
}
