// SPDX-License-Identifier: Apache-2.0

import Foundation
import PostgreSQL

extension SQL {
  /// Adds an app; without a row where the name is taken.
  static func insertApp(name: String, createdAt: Date) -> Statement<App> {
    Statement(
      """
      INSERT INTO apps (name, created_at) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING RETURNING app_id, name
      """,
      name, createdAt
    ) { try App($0) }
  }

  /// Finds the source of an imported list by its name, or adds it; without a row where an app has the name.
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
    Statement(
      "SELECT app_id, name FROM apps WHERE name = $1 AND NOT is_list",
      name
    ) { try App($0) }
  }

  /// Finds the app of a key that is valid.
  static func findApp(keyHash: [UInt8], time: Date) -> Statement<App> {
    Statement(
      """
      SELECT a.app_id, a.name, k.key_id, k.scopes FROM app_keys k JOIN apps a USING (app_id)
      WHERE k.key_hash = $1 AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > $2)
      """,
      keyHash, time, decode: decodeApp)
  }

  static func decodeApp(_ row: PostgresRow) throws -> App {
    var app = try App(row)
    app.keyID = try row.decode(2)
    app.scopes = AppScopes(rawValue: try row.decode(3))
    return app
  }
}

extension App {
  /// From the columns app_id, name.
  fileprivate init(_ row: PostgresRow) throws {
    self.init(id: try row.decode(0), name: try row.decode(1))
  }
}
