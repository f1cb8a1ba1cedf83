// SPDX-License-Identifier: Apache-2.0

import Curation
public import Foundation
public import PostgreSQL

/// Tokens of installed apps.
public struct InstallationStore: Sendable {
  let pool: PostgresPool

  public init(pool: PostgresPool) {
    self.pool = pool
  }

  /// Creates a token. It cannot be read again, since only its digest is stored.
  /// - Parameter app: with the key of the request.
  /// - Returns: the token, 43 characters; nil for an app without a valid key.
  public func create(for app: App, at time: Date) async throws -> (token: String, digest: [UInt8])? {
    guard let keyID = app.keyID else { return nil }
    let token = Secret.make(prefix: "")
    let digest = Secret.hash(token)
    let added = try await pool.run(
      """
      INSERT INTO installations (digest, app_id, key_id, created_at, last_day)
      SELECT $1::bytea, $2::integer, key_id, $4::timestamptz, $5::integer FROM app_keys
      WHERE key_id = $3 AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > $4)
      ON CONFLICT (digest) DO UPDATE SET key_id = excluded.key_id RETURNING key_id
      """,
      digest, app.id, keyID, time, ComplaintDays.day(of: time)
    ) { try $0.decode(0, as: Int32.self) }
    return added.isEmpty ? nil : (token, digest)
  }

  /// The installation of a token; nil for an unknown, revoked or expired one, and where the key that created it was
  /// revoked or no longer has the scope `report`, or `install` for one that has attested.
  public func find(token: String, at time: Date = Date()) async throws -> Installation? {
    try await findEven(expired: token).flatMap { $0.isValid(at: time) ? $0 : nil }
  }

  public func findEven(expired token: String) async throws -> Installation? {
    try await pool.run(SQL.findInstallation(digest: Secret.hash(token))).first
  }

  /// Stores the day of a report, unless it is known.
  public func noteUse(of installation: Installation, at time: Date) async throws {
    guard ComplaintDays.day(of: time) > installation.lastDay else { return }
    try await pool.run(
      "UPDATE installations SET last_day = $2 WHERE digest = $1 AND last_day < $2", installation.digest,
      ComplaintDays.day(of: time))
  }

  /// Revokes a token of an app.
  /// - Returns: whether the app has it, or had revoked it.
  public func revoke(digest: [UInt8], of app: App, at time: Date) async throws -> Bool {
    try await !pool.run(
      """
      UPDATE installations SET revoked_at = coalesce(revoked_at, $3) WHERE digest = $1 AND app_id = $2 RETURNING key_id
      """,
      digest, app.id, time
    ) { try $0.decode(0, as: Int32.self) }.isEmpty
  }

  /// The app with this name and its newest valid key with the scope `report`; nil if it has none.
  public func reportingApp(named name: String, at time: Date) async throws -> App? {
    try await pool.run(
      """
      SELECT a.app_id, a.name, k.key_id, k.scopes, a.failed_calls FROM app_keys k JOIN apps a USING (app_id)
      WHERE a.name = $1 AND NOT a.is_list AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > $2)
        AND k.scopes & 1 = 1
      ORDER BY k.key_id DESC LIMIT 1
      """,
      name, time, decode: SQL.decodeApp
    ).first.map { app in
      var app = app
      app.scopes.remove(.history)
      return app
    }
  }
}

/// An installed app with a token of its own. The token itself is not stored.
public struct Installation: Sendable, Equatable {
  /// The SHA-256 of the token, 32 bytes: the identifier, which grants no access.
  public let digest: [UInt8]
  /// The app, with the key that created the token.
  public let app: App
  /// The day of the last report, or of the creation, in days since 1970-01-01.
  public let lastDay: Int32
  /// The keyed hash of the key that the phone has attested, 16 bytes; nil without attestation.
  public let device: [UInt8]?
  /// Nil without attestation.
  public let expiresAt: Date?

  /// The app's name for the reporter: each installation is one, and so are all tokens of an attested key.
  public var reporter: String { Self.reporter(of: device ?? digest) }

  /// The name of a reporter by a digest of 32 bytes or a device of 16.
  static func reporter(of bytes: [UInt8]) -> String { "installation \(Data(bytes).base64EncodedString())" }

  public func isValid(at time: Date) -> Bool { expiresAt.map { time < $0 } ?? true }
}

extension SQL {
  /// Finds the installation of a token that is valid. An expired key does not end its tokens, because phones keep them
  /// over a rotation; a revoked one does.
  static func findInstallation(digest: [UInt8]) -> Statement<Installation> {
    Statement(
      """
      SELECT i.digest, i.app_id, a.name, i.key_id, k.scopes, i.last_day, i.device, i.expires_at
      FROM installations i JOIN app_keys k ON k.key_id = i.key_id JOIN apps a ON a.app_id = i.app_id
      WHERE i.digest = $1 AND i.revoked_at IS NULL AND k.revoked_at IS NULL
        AND (k.scopes & 1 = 1 OR i.device IS NOT NULL AND k.scopes & 128 = 128)
      """,
      digest
    ) { row in
      var app = App(id: try row.decode(1), name: try row.decode(2))
      app.keyID = try row.decode(3)
      // Phones send no past.
      app.scopes = AppScopes(rawValue: try row.decode(4)).subtracting(.history)
      return Installation(
        digest: try row.decode(0), app: app, lastDay: try row.decode(5), device: try row.decode(6),
        expiresAt: try row.decode(7))
    }
  }

  static func deleteInstallations(keyID: Int32) -> Statement<Int64> {
    Statement(
      """
      WITH deleted AS (DELETE FROM installations WHERE key_id = $1 RETURNING key_id) SELECT count(*) FROM deleted
      """,
      keyID)
  }

  /// Deletes some tokens that were not used for long, or ended before a time.
  /// - Parameter before: In days since 1970-01-01.
  static func purgeInstallations(before: Int32, endedBefore: Date, limit: Int) -> Statement<Void> {
    Statement(
      """
      DELETE FROM installations i
      USING (SELECT digest FROM installations WHERE last_day < $1 OR expires_at < $2 LIMIT $3::bigint) old
      WHERE i.digest = old.digest
      """,
      before, endedBefore, Int64(limit))
  }
}
