// SPDX-License-Identifier: Apache-2.0

import Foundation
import PostgreSQL

extension SQL {
  /// Adds a token of a valid key; a repeated call changes nothing. No row where the key was revoked or has expired.
  static func insertInstallation(digest: [UInt8], appID: Int32, keyID: Int32, createdAt: Date) -> Statement<Int32> {
    Statement(
      """
      INSERT INTO installations (digest, app_id, key_id, created_at, last_day)
      SELECT $1::bytea, $2::integer, key_id, $4::timestamptz, $5::integer FROM app_keys
      WHERE key_id = $3 AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > $4)
      ON CONFLICT (digest) DO UPDATE SET key_id = excluded.key_id RETURNING key_id
      """,
      digest, appID, keyID, createdAt, Installation.day(of: createdAt)
    ) { try $0.decode(0) }
  }

  /// Finds the installation of a token that is valid. An expired key does not end its tokens, because phones keep them
  /// over a rotation; a revoked one does.
  static func findInstallation(digest: [UInt8]) -> Statement<Installation> {
    Statement(
      """
      SELECT i.digest, i.app_id, a.name, i.key_id, k.scopes, i.last_day
      FROM installations i JOIN app_keys k ON k.key_id = i.key_id JOIN apps a ON a.app_id = i.app_id
      WHERE i.digest = $1 AND i.revoked_at IS NULL AND k.revoked_at IS NULL AND k.scopes & 1 = 1
      """,
      digest
    ) { row in
      var app = App(id: try row.decode(1), name: try row.decode(2))
      app.keyID = try row.decode(3)
      app.scopes = AppScopes(rawValue: try row.decode(4))
      return Installation(digest: try row.decode(0), app: app, lastDay: try row.decode(5))
    }
  }

  /// Stores the day of a report; a later day is kept.
  static func noteInstallationUse(digest: [UInt8], day: Int32) -> Statement<Void> {
    Statement(
      "UPDATE installations SET last_day = $2 WHERE digest = $1 AND last_day < $2",
      digest, day)
  }

  /// Revokes a token; an earlier time is kept. Without a row where the app has no such token.
  static func revokeInstallation(digest: [UInt8], appID: Int32, time: Date) -> Statement<Int32> {
    Statement(
      """
      UPDATE installations SET revoked_at = coalesce(revoked_at, $3) WHERE digest = $1 AND app_id = $2 RETURNING key_id
      """,
      digest, appID, time
    ) { try $0.decode(0) }
  }

  /// Deletes the tokens that a key has created.
  static func deleteInstallations(keyID: Int32) -> Statement<Int64> {
    Statement(
      """
      WITH deleted AS (DELETE FROM installations WHERE key_id = $1 RETURNING key_id) SELECT count(*) FROM deleted
      """,
      keyID
    ) { try $0.decode(0) }
  }

  /// Deletes some tokens that were not used for long, the oldest first.
  /// - Parameter before: In days since 1970-01-01.
  static func purgeInstallations(before: Int32, limit: Int) -> Statement<Void> {
    Statement(
      """
      DELETE FROM installations i
      USING (SELECT digest FROM installations WHERE last_day < $1 ORDER BY last_day LIMIT $2::bigint) old
      WHERE i.digest = old.digest
      """,
      before, Int64(limit))
  }

  /// Finds an app by its name, with its newest valid key that may report.
  static func findReportingApp(name: String, time: Date) -> Statement<App> {
    Statement(
      """
      SELECT a.app_id, a.name, k.key_id, k.scopes FROM app_keys k JOIN apps a USING (app_id)
      WHERE a.name = $1 AND NOT a.is_list AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > $2)
        AND k.scopes & 1 = 1
      ORDER BY k.key_id DESC LIMIT 1
      """,
      name, time, decode: decodeApp)
  }
}
