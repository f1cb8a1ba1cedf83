// SPDX-License-Identifier: Apache-2.0

public import Curation
public import Foundation
import PostgreSQL

/// Changes that people make to their own accounts. A change that makes an account safer ends its other sessions,
/// deletes its links, steps and known browsers, and replaces this session's token, so that a stolen token becomes
/// useless.
extension AccountStore {
  /// Sets the signed-in account's password.
  /// - Parameter hash: as `PasswordHash` encodes it.
  /// - Returns: the session's new token.
  public func setPassword(_ hash: String, of moderator: Session, at time: Date) async throws -> String {
    try await secure(
      moderator, "account.password", before: ["password": moderator.hasPassword ? "set" : "none"],
      after: ["password": "changed"], at: time
    ) { _ = try await $0.run(SQL.setPassword(id: moderator.id, hash: hash)) }
  }

  /// Sets the signed-in account's second factor, with new recovery codes.
  /// - Parameters:
  ///   - secret: encrypted.
  ///   - step: time step of the code that confirmed the authenticator app.
  ///   - recovery: hashes of the codes, 32 bytes each.
  /// - Returns: the session's new token.
  public func setSecondFactor(
    _ secret: [UInt8], step: Int64, recovery: [[UInt8]], of moderator: Session, at time: Date
  ) async throws -> String {
    try await secure(
      moderator, "account.second_factor", before: ["second_factor": moderator.hasSecondFactor ? "set" : "none"],
      after: ["second_factor": "set"], at: time
    ) { connection in
      _ = try await connection.run(SQL.setSecondFactor(id: moderator.id, secret: secret, step: step))
      _ = try await connection.run(SQL.dropRecoveryCodes(id: moderator.id))
      _ = try await connection.run(SQL.addRecoveryCodes(id: moderator.id, hashes: recovery))
    }
  }

  /// Removes the signed-in account's second factor.
  /// - Returns: the session's new token.
  public func removeSecondFactor(of moderator: Session, at time: Date) async throws -> String {
    try await secure(
      moderator, "account.second_factor", before: ["second_factor": "set"], after: ["second_factor": "none"], at: time
    ) { connection in
      _ = try await connection.run(SQL.setSecondFactor(id: moderator.id, secret: nil, step: 0))
      _ = try await connection.run(SQL.dropRecoveryCodes(id: moderator.id))
    }
  }

  /// Replaces the signed-in account's recovery codes.
  /// - Returns: the session's new token.
  public func setRecoveryCodes(_ hashes: [[UInt8]], of moderator: Session, at time: Date) async throws -> String {
    try await secure(moderator, "account.recovery_codes", after: ["recovery_codes": "new"], at: time) { connection in
      _ = try await connection.run(SQL.dropRecoveryCodes(id: moderator.id))
      _ = try await connection.run(SQL.addRecoveryCodes(id: moderator.id, hashes: hashes))
    }
  }

  /// Sets the language of the signed-in account's pages; nil leaves it to the browser.
  public func setLanguage(_ language: String?, of moderator: Session) async throws {
    _ = try await pool.run(SQL.setLanguage(id: moderator.id, language: language))
  }

  /// Sets the keys of the signed-in account.
  public func setShortcuts(_ shortcuts: ShortcutKeys, of moderator: Session) async throws {
    let text = shortcuts == .standard ? nil : shortcuts.text
    _ = try await pool.run(SQL.setShortcuts(id: moderator.id, shortcuts: text))
  }

  /// Consumes a second factor without signing in.
  /// - Returns: whether it was not used before.
  public func use(_ factor: SecondFactor, of moderator: Session) async throws -> Bool {
    switch factor {
    case .code(let step): try await !pool.run(SQL.takeCode(accountID: moderator.id, step: step)).isEmpty
    case .recovery(let hash): try await !pool.run(SQL.takeRecoveryCode(accountID: moderator.id, codeHash: hash)).isEmpty
    }
  }

  private func secure(
    _ moderator: Session, _ action: String, before: [String: String]? = nil, after: [String: String]? = nil,
    at time: Date, _ change: @Sendable (PostgresConnection) async throws -> Void
  ) async throws -> String {
    let token = Secret.make(prefix: "")
    let event = Actor(moderator).did(action, to: moderator.name, before: before, after: after)
    try await pool.transaction { connection in
      try await change(connection)
      // An unused link, or a first factor that was already accepted, could still open a session.
      _ = try await connection.run(SQL.dropEntrances(id: moderator.id))
      _ = try await connection.run(SQL.endSessions(accountID: moderator.id, only: nil, except: moderator.sessionID))
      _ = try await connection.run(SQL.rotateSession(sessionID: moderator.sessionID, tokenHash: Secret.hash(token)))
      try await connection.append(event, at: time)
    }
    return token
  }
}
