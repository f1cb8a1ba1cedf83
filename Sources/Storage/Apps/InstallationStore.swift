// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import PostgreSQL

/// Tokens of installed apps.
public struct InstallationStore: Sendable {
  private let pool: PostgresPool

  /// - Parameter pool: where tokens are kept.
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
      SQL.insertInstallation(digest: digest, appID: app.id, keyID: keyID, createdAt: time))
    return added.isEmpty ? nil : (token, digest)
  }

  /// The installation of a token; nil for an unknown or revoked one, and where the key that created it was revoked or
  /// no longer has the scope `report`.
  public func find(token: String) async throws -> Installation? {
    try await pool.run(SQL.findInstallation(digest: Secret.hash(token))).first
  }

  /// Stores the day of a report, unless it is known.
  public func noteUse(of installation: Installation, at time: Date) async throws {
    guard Installation.day(of: time) > installation.lastDay else { return }
    _ = try await pool.run(SQL.noteInstallationUse(digest: installation.digest, day: Installation.day(of: time)))
  }

  /// Revokes a token of an app.
  /// - Returns: whether the app has it, or had revoked it.
  public func revoke(digest: [UInt8], of app: App, at time: Date) async throws -> Bool {
    try await !pool.run(SQL.revokeInstallation(digest: digest, appID: app.id, time: time)).isEmpty
  }

  /// The app with this name and its newest valid key with the scope `report`; nil if it has none.
  public func reportingApp(named name: String, at time: Date) async throws -> App? {
    try await pool.run(SQL.findReportingApp(name: name, time: time)).first
  }
}
