// SPDX-License-Identifier: Apache-2.0

public import Curation
public import Foundation
public import PostgreSQL

/// Accounts and their credentials. Every change is recorded in the audit log.
public struct AccountStore: Sendable {
  let pool: PostgresPool

  public init(pool: PostgresPool) {
    self.pool = pool
  }

  /// All accounts: those that can sign in first, by name.
  public func accounts(at time: Date) async throws -> [Account] {
    try await pool.run(SQL.readAccounts(time: time))
  }

  public func account(_ id: Int32, at time: Date) async throws -> Account? {
    try await pool.run(SQL.readAccounts(id: id, time: time)).first
  }

  public func account(named name: String, at time: Date) async throws -> Account? {
    try await pool.run(SQL.readAccounts(name: name, time: time)).first
  }

  /// Credentials of an enabled account.
  public func credentials(of name: String) async throws -> Credentials? {
    try await pool.run(
      """
      SELECT \(SQL.credentials) FROM accounts a WHERE a.name = $1 AND a.disabled_at IS NULL
      """,
      name
    ) { try $0.credentials() }.first
  }

  /// - Throws: ``AccountError/taken(_:)``; `RuleViolation` for a name that ``AccountName`` refuses.
  public func add(_ name: String, role: Role, by actor: Actor, at time: Date) async throws {
    _ = try AccountName.check(name, "name")
    try await pool.change(at: time) { connection in
      guard try await !connection.run(SQL.addAccount(name: name, role: role, time: time)).isEmpty else {
        throw AccountError.taken(name)
      }
      return .made(actor.did(.accountAdd, to: name, after: ["role": role.rawValue]))
    }
  }

  /// Changes an account's role with effect from its next request.
  /// - Throws: ``AccountError``.
  public func setRole(_ role: Role, of name: String, by actor: Actor, at time: Date) async throws {
    try await pool.change(at: time) { connection in
      let account = try await connection.account(named: name, at: time)
      guard account.role != role else { return .none }
      if role != .administrator { try await connection.keepAnAdministrator(without: account) }
      _ = try await connection.run(SQL.setRole(id: account.id, role: role))
      _ = try await connection.run(SQL.unassignCases(account: name))
      return .made(
        actor.did(.accountRole, to: name, before: ["role": account.role.rawValue], after: ["role": role.rawValue]))
    }
  }

  /// Disables an account and ends its sessions, or enables it again.
  /// - Throws: ``AccountError``.
  public func setDisabled(_ isDisabled: Bool, name: String, by actor: Actor, at time: Date) async throws {
    try await pool.change(at: time) { connection in
      let account = try await connection.account(named: name, at: time)
      guard (account.disabledAt != nil) != isDisabled else { return .none }
      if isDisabled { try await connection.keepAnAdministrator(without: account) }
      _ = try await connection.run(SQL.setDisabled(id: account.id, time: isDisabled ? time : nil))
      if isDisabled {
        _ = try await connection.close(account)
        _ = try await connection.run(SQL.unassignCases(account: name))
      }
      return .made(actor.did(isDisabled ? .accountDisable : .accountEnable, to: name))
    }
  }

  /// Removes an account's password, second factor, passkeys, recovery codes, links and sessions, and its tie to the
  /// identity provider. The account then signs in with a new link.
  ///
  /// When the last second factor is removed, the key's fingerprint is deleted: the next server may start with another
  /// key.
  /// - Throws: ``AccountError/unknown(_:)``.
  public func reset(_ name: String, by actor: Actor, at time: Date) async throws {
    try await pool.change(at: time) { connection in
      let account = try await connection.account(named: name, at: time)
      _ = try await connection.run(SQL.setPassword(id: account.id, hash: nil))
      _ = try await connection.run(SQL.setSecondFactor(id: account.id, secret: nil, step: 0))
      _ = try await connection.run(SQL.dropIdentity(accountID: account.id))
      _ = try await connection.run(SQL.dropPasskeys(accountID: account.id))
      _ = try await connection.run(SQL.dropRecoveryCodes(id: account.id))
      _ = try await connection.run(SQL.forgetAccountKey())
      let ended = try await connection.close(account)
      return .made(
        actor.did(.accountReset, to: name, before: account.factors.merging(["sessions": String(ended)]) { $1 }))
    }
  }

  /// Ends an account's sessions: one, all but one, or all. Unless only one is ended, links, steps and known browsers
  /// are deleted too.
  /// - Returns: number of sessions that were ended.
  @discardableResult
  public func endSessions(
    of account: Account, only: UUID? = nil, except: UUID? = nil, by actor: Actor, at time: Date
  ) async throws -> Int {
    try await pool.change(at: time) { connection in
      if only == nil { _ = try await connection.run(SQL.dropEntrances(id: account.id)) }
      let ended = try await connection.run(SQL.endSessions(accountID: account.id, only: only, except: except)).count
      guard ended > 0 else { return .none(0) }
      return .made(actor.did(.sessionEnd, to: account.name, before: ["sessions": String(ended)]), ended)
    }
  }

  /// An account's open sessions, the newest first.
  public func sessions(of id: Int32, at time: Date) async throws -> [AccountSession] {
    try await pool.run(
      """
      SELECT session_id, opened_at, seen_at, browser FROM sessions
      WHERE account_id = $1 AND expires_at > $2 AND seen_at > $3 ORDER BY opened_at DESC, session_id
      """,
      id, time, time - SessionStore.idleLifetime
    ) { row in
      AccountSession(
        id: try row.decode(0), openedAt: try row.decode(1), seenAt: try row.decode(2), browser: try row.decode(3))
    }
  }
}

extension Account {
  /// The state of the credentials, for the audit log.
  fileprivate var factors: [String: String] {
    ["password": hasPassword ? "set" : "none", "second_factor": hasSecondFactor ? "set" : "none"]
  }
}

extension PostgresConnection {
  /// - Throws: ``AccountError/unknown(_:)``.
  func account(named name: String, at time: Date) async throws -> Account {
    guard let account = try await run(SQL.readAccounts(name: name, time: time)).first else {
      throw AccountError.unknown(name)
    }
    return account
  }

  fileprivate func keepAnAdministrator(without account: Account) async throws {
    if try await run(SQL.lockAdministrators()) == [account.id] { throw AccountError.lastAdministrator(account.name) }
  }

  /// Ends an account's sessions, links and steps, and deletes its known browsers.
  func close(_ account: Account) async throws -> Int {
    _ = try await run(SQL.dropEntrances(id: account.id))
    return try await run(SQL.endSessions(accountID: account.id, only: nil, except: nil)).count
  }
}

/// Changes that people make to their own accounts. A change that makes an account safer ends its other sessions,
/// deletes its links, steps and known browsers, and replaces this session's token, so that a stolen token becomes
/// useless.
extension AccountStore {
  /// - Parameter hash: as `PasswordHash` encodes it.
  /// - Returns: the session's new token.
  public func setPassword(_ hash: String, of moderator: Session, at time: Date) async throws -> String {
    try await secure(
      moderator, .accountPassword, before: ["password": moderator.hasPassword ? "set" : "none"],
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
      moderator, .accountSecondFactor, before: ["second_factor": moderator.hasAuthenticator ? "set" : "none"],
      after: ["second_factor": "set"], at: time
    ) { connection in
      _ = try await connection.run(SQL.setSecondFactor(id: moderator.id, secret: secret, step: step))
      _ = try await connection.run(SQL.dropRecoveryCodes(id: moderator.id))
      _ = try await connection.run(SQL.addRecoveryCodes(id: moderator.id, hashes: recovery))
    }
  }

  /// Removes the signed-in account's authenticator app. Without passkeys the recovery codes are deleted too.
  /// - Returns: the session's new token.
  public func removeSecondFactor(of moderator: Session, at time: Date) async throws -> String {
    try await secure(
      moderator, .accountSecondFactor, before: ["second_factor": "set"], after: ["second_factor": "none"], at: time
    ) { connection in
      _ = try await connection.run(SQL.setSecondFactor(id: moderator.id, secret: nil, step: 0))
      if !moderator.hasPasskeys { _ = try await connection.run(SQL.dropRecoveryCodes(id: moderator.id)) }
    }
  }

  /// - Returns: the session's new token.
  public func setRecoveryCodes(_ hashes: [[UInt8]], of moderator: Session, at time: Date) async throws -> String {
    try await secure(moderator, .accountRecoveryCodes, after: ["recovery_codes": "new"], at: time) { connection in
      _ = try await connection.run(SQL.dropRecoveryCodes(id: moderator.id))
      _ = try await connection.run(SQL.addRecoveryCodes(id: moderator.id, hashes: hashes))
    }
  }

  /// Nil leaves it to the browser.
  public func setLanguage(_ language: String?, of moderator: Session) async throws {
    _ = try await pool.run(SQL.setLanguage(id: moderator.id, language: language))
  }

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
    // A passkey confirms nothing: the password does.
    case .passkey: false
    }
  }

  /// Changes an account's credentials, ends its other sessions, and replaces the token of this one.
  func secure(
    _ moderator: Session, _ action: AuditAction, before: [String: String]? = nil, after: [String: String]? = nil,
    at time: Date, _ change: @Sendable (PostgresConnection) async throws -> Void
  ) async throws -> String {
    let token = Secret.make(prefix: "")
    try await pool.change(at: time) { connection in
      try await change(connection)
      // An unused link, or a first factor that was already accepted, could still open a session.
      _ = try await connection.run(SQL.dropEntrances(id: moderator.id))
      _ = try await connection.run(SQL.endSessions(accountID: moderator.id, only: nil, except: moderator.sessionID))
      _ = try await connection.run(SQL.rotateSession(sessionID: moderator.sessionID, tokenHash: Secret.hash(token)))
      return .made(Actor(moderator).did(action, to: moderator.name, before: before, after: after))
    }
    return token
  }
}

extension AccountStore {
  /// Whether the secrets in this database are encrypted with a key. The first key that is asked about becomes the
  /// stored one.
  /// - Parameter fingerprint: 32 bytes that distinguish keys and reveal nothing about them.
  public func isKept(with fingerprint: [UInt8]) async throws -> Bool {
    try await pool.retrying { try await $0.run(SQL.claimAccountKey(fingerprint: fingerprint)).first } == fingerprint
  }

  /// The fingerprint of the key that encrypts the secrets in this database; nil where none is stored.
  public func keyFingerprint() async throws -> [UInt8]? {
    try await pool.run("SELECT fingerprint FROM account_key") { try $0.decode(0, as: [UInt8].self) }.first
  }
}
