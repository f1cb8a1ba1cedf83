public import Foundation
import PostgreSQL

/// What people change of their own accounts. What makes an account safer ends its other sessions, forgets links, steps and
/// known browsers, and gives this session another token, so that whoever had a hand on an old one is out.
extension AccountStore {
  /// Sets the own password.
  /// - Parameter hash: as `PasswordHash` writes it.
  /// - Returns: the session's new token.
  public func setPassword(_ hash: String, of moderator: Session, at time: Date) async throws -> String {
    try await secure(
      moderator, "account.password", before: ["password": moderator.hasPassword ? "set" : "none"],
      after: ["password": "changed"], at: time
    ) { _ = try await $0.run(SetPassword(id: moderator.id, hash: hash)) }
  }

  /// Sets the own second factor, with new recovery codes.
  /// - Parameters:
  ///   - secret: encrypted.
  ///   - step: of the code that showed that the app has it.
  ///   - recovery: hashes of the codes, 32 bytes each.
  /// - Returns: the session's new token.
  public func setSecondFactor(
    _ secret: [UInt8], step: Int64, recovery: [[UInt8]], of moderator: Session, at time: Date
  ) async throws -> String {
    try await secure(
      moderator, "account.second_factor", before: ["second_factor": moderator.hasSecondFactor ? "set" : "none"],
      after: ["second_factor": "set"], at: time
    ) { connection in
      _ = try await connection.run(SetSecondFactor(id: moderator.id, secret: secret, step: step))
      _ = try await connection.run(DropRecoveryCodes(id: moderator.id))
      _ = try await connection.run(AddRecoveryCodes(id: moderator.id, hashes: recovery))
    }
  }

  /// Takes the own second factor away.
  /// - Returns: the session's new token.
  public func removeSecondFactor(of moderator: Session, at time: Date) async throws -> String {
    try await secure(
      moderator, "account.second_factor", before: ["second_factor": "set"], after: ["second_factor": "none"], at: time
    ) { connection in
      _ = try await connection.run(SetSecondFactor(id: moderator.id, secret: nil, step: 0))
      _ = try await connection.run(DropRecoveryCodes(id: moderator.id))
    }
  }

  /// Replaces the own recovery codes.
  /// - Returns: the session's new token.
  public func setRecoveryCodes(_ hashes: [[UInt8]], of moderator: Session, at time: Date) async throws -> String {
    try await secure(moderator, "account.recovery_codes", after: ["recovery_codes": "new"], at: time) { connection in
      _ = try await connection.run(DropRecoveryCodes(id: moderator.id))
      _ = try await connection.run(AddRecoveryCodes(id: moderator.id, hashes: hashes))
    }
  }

  /// Sets the language of the own pages; nil leaves it to the browser.
  public func setLanguage(_ language: String?, of moderator: Session) async throws {
    _ = try await pool.run(SetLanguage(id: moderator.id, language: language))
  }

  /// Uses up a second factor without signing in.
  /// - Returns: whether it was not used before.
  public func use(_ factor: SecondFactor, of moderator: Session) async throws -> Bool {
    switch factor {
    case .code(let step): try await !pool.run(TakeCode(accountID: moderator.id, step: step)).isEmpty
    case .recovery(let hash): try await !pool.run(TakeRecoveryCode(accountID: moderator.id, codeHash: hash)).isEmpty
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
      // A link, or a first factor that was shown before, would open a session still.
      _ = try await connection.run(DropEntrances(id: moderator.id))
      _ = try await connection.run(EndSessions(accountID: moderator.id, only: nil, except: moderator.sessionID))
      _ = try await connection.run(RotateSession(sessionID: moderator.sessionID, tokenHash: Secret.hash(token)))
      try await connection.append(event, at: time)
    }
    return token
  }
}
