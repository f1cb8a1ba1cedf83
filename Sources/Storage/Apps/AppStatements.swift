// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import PostgreSQL

extension SQL {
  /// Returns no row where the name is taken.
  static func insertApp(name: String, createdAt: Date) -> Statement<App> {
    Statement(
      """
      INSERT INTO apps (name, created_at) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING RETURNING app_id, name
      """,
      name, createdAt
    ) { try App($0) }
  }

  /// Returns no row where an app has the name.
  static func ensureSource(name: String, createdAt: Date) -> Statement<App> {
    // The update changes nothing; without it an existing row would not be returned.
    Statement(
      """
      INSERT INTO apps (name, created_at, is_list) VALUES ($1, $2, true)
      ON CONFLICT (name) DO UPDATE SET name = excluded.name WHERE apps.is_list
      RETURNING app_id, name
      """,
      name, createdAt
    ) { try App($0) }
  }

  /// Finds an app, not a list, by its name.
  static func findAppNamed(name: String) -> Statement<App> {
    Statement("SELECT app_id, name FROM apps WHERE name = $1 AND NOT is_list", name) { try App($0) }
  }

  /// Finds the app of a key that is valid.
  static func findApp(keyHash: [UInt8], time: Date) -> Statement<App> {
    Statement(
      """
      SELECT a.app_id, a.name, k.key_id, k.scopes, a.failed_calls FROM app_keys k JOIN apps a USING (app_id)
      WHERE k.key_hash = $1 AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > $2)
      """,
      keyHash, time, decode: decodeApp)
  }

  static func decodeApp(_ row: PostgresRow) throws -> App {
    var app = try App(row)
    app.keyID = try row.decode(2)
    app.scopes = AppScopes(rawValue: try row.decode(3))
    app.failedCalls = FailedCalls(rawValue: try row.decode(4)) ?? .nothing
    return app
  }
}

extension App {
  /// From the columns app_id, name.
  fileprivate init(_ row: PostgresRow) throws {
    self.init(id: try row.decode(0), name: try row.decode(1))
  }
}

extension SQL {
  /// Adds a key; no row where it exists, by which a repeated call recognizes its own work.
  static func insertKey(
    appID: Int32, hash: [UInt8], hint: String, scopes: AppScopes, createdAt: Date, createdBy: String, expiresAt: Date?
  ) -> Statement<Void> {
    Statement(
      """
      INSERT INTO app_keys (app_id, key_hash, hint, scopes, created_at, created_by, expires_at)
      VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (key_hash) DO NOTHING
      """,
      appID, hash, hint, scopes.rawValue, createdAt, createdBy, expiresAt)
  }

  /// Sets the end of an app's valid keys to a time, unless they end earlier.
  /// - Parameter exceptHash: The hash of the key that is not changed.
  static func endKeys(appID: Int32, time: Date, exceptHash: [UInt8]) -> Statement<Void> {
    Statement(
      """
      UPDATE app_keys SET expires_at = least(expires_at, $2)
      WHERE app_id = $1 AND revoked_at IS NULL AND key_hash <> $3
      """,
      appID, time, exceptHash)
  }

  /// Keeps an earlier time of revocation.
  static func revokeKey(keyID: Int32, time: Date) -> Statement<Void> {
    Statement("UPDATE app_keys SET revoked_at = coalesce(revoked_at, $2) WHERE key_id = $1", keyID, time)
  }

  static func noteKeyUses(uses: [(key: Int32, time: Date)]) -> Statement<Void> {
    Statement(
      """
      UPDATE app_keys k SET last_used_at = greatest(k.last_used_at, u.time)
      FROM unnest($1::integer[], $2::timestamptz[]) AS u (key_id, time) WHERE k.key_id = u.key_id
      """,
      uses.map(\.key), uses.map(\.time))
  }

  /// Reads keys by app, the newest first.
  static func readKeys(appID: Int32? = nil, keyID: Int32? = nil) -> Statement<AppKey> {
    Statement(
      """
      SELECT k.key_id, k.app_id, a.name, k.hint, k.scopes, k.created_at, k.created_by, k.expires_at,
             k.revoked_at, k.last_used_at
      FROM app_keys k JOIN apps a USING (app_id)
      WHERE ($1::integer IS NULL OR k.app_id = $1) AND ($2::integer IS NULL OR k.key_id = $2)
      ORDER BY a.name, k.key_id DESC
      """,
      appID, keyID
    ) { row in
      AppKey(
        id: try row.decode(0), appID: try row.decode(1), appName: try row.decode(2), hint: try row.decode(3),
        scopes: AppScopes(rawValue: try row.decode(4)), createdAt: try row.decode(5), createdBy: try row.decode(6),
        expiresAt: try row.decode(7), revokedAt: try row.decode(8), lastUsedAt: try row.decode(9))
    }
  }
}
