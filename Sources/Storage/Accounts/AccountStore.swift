// SPDX-License-Identifier: Apache-2.0

public import Curation
public import Foundation
public import PostgreSQL

/// Accounts and their credentials. Every change is recorded in the audit log.
public struct AccountStore: Sendable {
  let pool: PostgresPool

  /// - Parameter pool: where accounts are kept.
  public init(pool: PostgresPool) {
    self.pool = pool
  }

  /// All accounts: those that can sign in first, by name.
  public func accounts(at time: Date) async throws -> [Account] {
    try await pool.run(SQL.readAccounts(time: time))
  }

  /// An account by its key.
  public func account(_ id: Int32, at time: Date) async throws -> Account? {
    try await pool.run(SQL.readAccounts(id: id, time: time)).first
  }

  /// An account by its name.
  public func account(named name: String, at time: Date) async throws -> Account? {
    try await pool.run(SQL.readAccounts(name: name, time: time)).first
  }

  /// Credentials of an enabled account; nil where there is none of this name.
  public func credentials(of name: String) async throws -> Credentials? {
    try await pool.run(SQL.findCredentials(name: name)).first
  }

  /// Adds an account.
  /// - Throws: ``AccountError/taken(_:)``.
  public func add(_ name: String, role: Role, by actor: Actor, at time: Date) async throws {
    try await add(
      name, role: role, noting: actor.did("account.add", to: name, after: ["role": role.rawValue]), at: time)
  }

  /// As above. Safe to call again with the same event, because a transaction is repeated when its commit was in doubt.
  func add(_ name: String, role: Role, noting event: AuditEvent, at time: Date) async throws {
    try await pool.transaction { connection in
      guard try await !connection.run(SQL.addAccount(name: name, role: role, time: time)).isEmpty else {
        if try await connection.hasMade(event.id, at: time) { return }
        throw AccountError.taken(name)
      }
      try await connection.append(event, at: time)
    }
  }

  /// Changes an account's role with effect from its next request.
  /// - Throws: ``AccountError``.
  public func setRole(_ role: Role, of name: String, by actor: Actor, at time: Date) async throws {
    let id = UUID()
    try await pool.transaction { connection in
      let account = try await connection.account(named: name, at: time)
      guard account.role != role else { return }
      if role != .administrator { try await connection.keepAnAdministrator(without: account) }
      _ = try await connection.run(SQL.setRole(id: account.id, role: role))
      try await connection.append(
        AuditEvent(
          id: id, actor: actor.name, role: actor.role, action: "account.role", subject: name,
          before: ["role": account.role.rawValue], after: ["role": role.rawValue]), at: time)
    }
  }

  /// Disables an account and ends its sessions, or enables it again.
  /// - Throws: ``AccountError``.
  public func setDisabled(_ isDisabled: Bool, name: String, by actor: Actor, at time: Date) async throws {
    let event = actor.did(isDisabled ? "account.disable" : "account.enable", to: name)
    try await pool.transaction { connection in
      let account = try await connection.account(named: name, at: time)
      guard (account.disabledAt != nil) != isDisabled else { return }
      if isDisabled { try await connection.keepAnAdministrator(without: account) }
      _ = try await connection.run(SQL.setDisabled(id: account.id, time: isDisabled ? time : nil))
      if isDisabled { _ = try await connection.close(account) }
      try await connection.append(event, at: time)
    }
  }

  /// Removes an account's password, second factor, recovery codes, links and sessions. The account then signs in with a
  /// new link.
  ///
  /// When the last second factor is removed, the key's fingerprint is deleted: the next server may start with another
  /// key.
  /// - Throws: ``AccountError/unknown(_:)``.
  public func reset(_ name: String, by actor: Actor, at time: Date) async throws {
    let id = UUID()
    try await pool.transaction { connection in
      let account = try await connection.account(named: name, at: time)
      _ = try await connection.run(SQL.setPassword(id: account.id, hash: nil))
      _ = try await connection.run(SQL.setSecondFactor(id: account.id, secret: nil, step: 0))
      _ = try await connection.run(SQL.dropRecoveryCodes(id: account.id))
      _ = try await connection.run(SQL.forgetAccountKey())
      let ended = try await connection.close(account)
      try await connection.append(
        AuditEvent(
          id: id, actor: actor.name, role: actor.role, action: "account.reset", subject: name,
          before: account.factors.merging(["sessions": String(ended)]) { $1 }), at: time)
    }
  }

  /// Ends an account's sessions: one, all but one, or all. Unless only one is ended, links, steps and known browsers
  /// are deleted too.
  /// - Returns: number of sessions that were ended.
  @discardableResult
  public func endSessions(
    of account: Account, only: UUID? = nil, except: UUID? = nil, by actor: Actor, at time: Date
  ) async throws -> Int {
    let id = UUID()
    return try await pool.transaction { connection in
      if only == nil { _ = try await connection.run(SQL.dropEntrances(id: account.id)) }
      let ended = try await connection.run(SQL.endSessions(accountID: account.id, only: only, except: except)).count
      guard ended > 0 else { return 0 }
      try await connection.append(
        AuditEvent(
          id: id, actor: actor.name, role: actor.role, action: "session.end", subject: account.name,
          before: ["sessions": String(ended)]), at: time)
      return ended
    }
  }

  /// An account's open sessions, the newest first.
  public func sessions(of id: Int32, at time: Date) async throws -> [AccountSession] {
    try await pool.run(SQL.readSessions(accountID: id, time: time, seenAfter: time - SessionStore.idleLifetime))
  }
}

extension Account {
  /// The state of the credentials, for the audit log.
  fileprivate var factors: [String: String] {
    ["password": hasPassword ? "set" : "none", "second_factor": hasSecondFactor ? "set" : "none"]
  }
}

extension PostgresConnection {
  fileprivate func account(named name: String, at time: Date) async throws -> Account {
    guard let account = try await run(SQL.readAccounts(name: name, time: time)).first else {
      throw AccountError.unknown(name)
    }
    return account
  }

  fileprivate func keepAnAdministrator(without account: Account) async throws {
    if try await run(SQL.lockAdministrators()) == [account.id] { throw AccountError.lastAdministrator(account.name) }
  }

  /// Ends an account's sessions, links and steps, and deletes its known browsers.
  fileprivate func close(_ account: Account) async throws -> Int {
    _ = try await run(SQL.dropEntrances(id: account.id))
    return try await run(SQL.endSessions(accountID: account.id, only: nil, except: nil)).count
  }
}
