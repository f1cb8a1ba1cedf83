// SPDX-License-Identifier: Apache-2.0

import Foundation
import PostgreSQL

/// Adds a token; a repeated call changes nothing.
struct InsertInstallation: PostgresStatement {
  typealias Row = Void
  let digest: [UInt8]
  let appID: Int32
  let keyID: Int32
  let createdAt: Date

  static let sql = """
    INSERT INTO installations (digest, app_id, key_id, created_at, last_day) VALUES ($1, $2, $3, $4, $5)
    ON CONFLICT (digest) DO NOTHING
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(digest)
    parameters.append(appID)
    parameters.append(keyID)
    parameters.append(createdAt)
    parameters.append(Installation.day(of: createdAt))
  }
}

/// Finds the installation of a token that is valid. An expired key does not end its tokens, because phones keep them
/// over a rotation; a revoked one does.
struct FindInstallation: PostgresStatement {
  let digest: [UInt8]

  static let sql = """
    SELECT i.digest, i.app_id, a.name, i.key_id, k.scopes, i.last_day
    FROM installations i JOIN app_keys k ON k.key_id = i.key_id JOIN apps a ON a.app_id = i.app_id
    WHERE i.digest = $1 AND i.revoked_at IS NULL AND k.revoked_at IS NULL AND k.scopes & 1 = 1
    """

  func bind(into parameters: inout PostgresParameters) { parameters.append(digest) }

  static func decode(_ row: PostgresRow) throws -> Installation {
    var app = App(id: try row.decode(1), name: try row.decode(2))
    app.keyID = try row.decode(3)
    app.scopes = AppScopes(rawValue: try row.decode(4))
    return Installation(digest: try row.decode(0), app: app, lastDay: try row.decode(5))
  }
}

/// Stores the day of a report; a later day is kept.
struct NoteInstallationUse: PostgresStatement {
  typealias Row = Void
  let digest: [UInt8]
  let day: Int32

  static let sql = "UPDATE installations SET last_day = $2 WHERE digest = $1 AND last_day < $2"

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(digest)
    parameters.append(day)
  }
}

/// Revokes a token; an earlier time is kept. Without a row where the app has no such token.
struct RevokeInstallation: PostgresStatement {
  let digest: [UInt8]
  let appID: Int32
  let time: Date

  static let sql = """
    UPDATE installations SET revoked_at = coalesce(revoked_at, $3) WHERE digest = $1 AND app_id = $2 RETURNING key_id
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(digest)
    parameters.append(appID)
    parameters.append(time)
  }

  static func decode(_ row: PostgresRow) throws -> Int32 { try row.decode(0) }
}

/// Deletes the tokens that a key has created.
struct DeleteInstallations: PostgresStatement {
  let keyID: Int32

  static let sql = """
    WITH deleted AS (DELETE FROM installations WHERE key_id = $1 RETURNING key_id) SELECT count(*) FROM deleted
    """

  func bind(into parameters: inout PostgresParameters) { parameters.append(keyID) }

  static func decode(_ row: PostgresRow) throws -> Int64 { try row.decode(0) }
}

/// Deletes some tokens that were not used for long, the oldest first.
struct PurgeInstallations: PostgresStatement {
  typealias Row = Void
  /// In days since 1970-01-01.
  let before: Int32
  let limit: Int

  static let sql = """
    DELETE FROM installations i
    USING (SELECT digest FROM installations WHERE last_day < $1 ORDER BY last_day LIMIT $2::bigint) old
    WHERE i.digest = old.digest
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(before)
    parameters.append(Int64(limit))
  }
}

/// Finds an app by its name, with its newest valid key that may report.
struct FindReportingApp: PostgresStatement {
  let name: String
  let time: Date

  static let sql = """
    SELECT a.app_id, a.name, k.key_id, k.scopes FROM app_keys k JOIN apps a USING (app_id)
    WHERE a.name = $1 AND NOT a.is_list AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > $2)
      AND k.scopes & 1 = 1
    ORDER BY k.key_id DESC LIMIT 1
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(name)
    parameters.append(time)
  }

  static func decode(_ row: PostgresRow) throws -> App { try FindApp.decode(row) }
}
