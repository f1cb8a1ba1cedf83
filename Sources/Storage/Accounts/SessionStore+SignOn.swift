// SPDX-License-Identifier: Apache-2.0

public import Curation
public import Foundation
import PostgreSQL

/// A person whom an identity provider has signed in.
public struct Identity: Sendable, Equatable {
  public let issuer: String
  /// The provider's name for the person, which never changes; 1 to 255 characters.
  public let subject: String
  /// The name of a new account, 1 to 70 characters.
  public let name: String
  public let role: Grant

  /// A role from a provider.
  public enum Grant: Sendable, Equatable {
    /// The provider gives no roles: an account keeps its own, and a new one has the role triage.
    case own
    /// The provider gives roles, but none to this person.
    case none
    case role(Role)
  }

  public init(issuer: String, subject: String, name: String, role: Grant) {
    (self.issuer, self.subject, self.name, self.role) = (issuer, subject, name, role)
  }
}

/// Result of a sign-in with an identity provider.
public enum IdentityEntrance: Sendable {
  /// The account is signed in, or has to show its second factor.
  case entered(FirstFactor)
  /// The person has no account, and none is added.
  case noAccount
  /// The provider gives the person no role; the sessions of the account have ended, and its role is triage.
  case noRole(Credentials?)
  case disabled(Credentials)
}

extension SessionStore {
  /// Signs in the account that is tied to a person at an identity provider. An account of the same name that is not
  /// tied to this person is never used.
  ///
  /// A role that the provider gives replaces the role of the account. The last administrator loses the role too: the
  /// command line adds a new one.
  /// - Parameter adds: whether a person without an account gets one.
  public func enter(
    identity: Identity, adds: Bool, replacing former: String? = nil, browser: String = "", at time: Date
  ) async throws -> IdentityEntrance {
    let opening = opening(browser, former, at: time)
    return try await pool.change(at: time) { connection in
      if let opened = try await connection.entrance(of: opening) { return .none(.entered(opened)) }
      var events: [AuditEvent] = []
      let lookup = SQL.findIdentity(issuer: identity.issuer, subject: identity.subject)
      guard let (account, isEnabled) = try await connection.run(lookup).first else {
        guard identity.role != .none else { return .none(.noRole(nil)) }
        guard adds else { return .none(.noAccount) }
        try await connection.addAccount(of: identity, at: time, &events)
        guard let (added, _) = try await connection.run(lookup).first else { return .made(events, .noAccount) }
        let opened = try await connection.enter(added, way: "sign_on", opening, &events)
        return .made(events, .entered(opened))
      }
      guard isEnabled else { return .none(.disabled(account)) }
      switch identity.role {
      case .own: break
      case .none:
        _ = try await connection.run(SQL.dropEntrances(id: account.id))
        // Otherwise it would count as an administrator who can sign in.
        try await connection.give(.triage, to: account, &events)
        _ = try await connection.run(SQL.unassignCases(account: account.name))
        let ended = try await connection.run(SQL.endSessions(accountID: account.id, only: nil, except: nil)).count
        if ended > 0 {
          events.append(Actor.signOn.did(.sessionEnd, to: account.name, before: ["sessions": String(ended)]))
        }
        return .made(events, .noRole(account))
      case .role(let role): try await connection.give(role, to: account, &events)
      }
      guard let (current, _) = try await connection.run(lookup).first else { return .made(events, .noAccount) }
      let opened = try await connection.enter(current, way: "sign_on", opening, &events)
      return .made(events, .entered(opened))
    }
  }
}

extension PostgresConnection {
  fileprivate func give(_ role: Role, to account: Credentials, _ events: inout [AuditEvent]) async throws {
    guard role != account.role else { return }
    _ = try await run(SQL.setRole(id: account.id, role: role))
    _ = try await run(SQL.unassignCases(account: account.name))
    events.append(
      Actor.signOn.did(
        .accountRole, to: account.name, before: ["role": account.role.rawValue], after: ["role": role.rawValue]))
  }

  /// Adds an account for a person, with a number after its name where the name is taken.
  fileprivate func addAccount(of identity: Identity, at time: Date, _ events: inout [AuditEvent]) async throws {
    let role = if case .role(let role) = identity.role { role } else { Role.triage }
    for place in 1...100 {
      let name = place == 1 ? identity.name : "\(identity.name) (\(place))"
      guard let id = try await run(SQL.addAccount(name: name, role: role, time: time)).first else { continue }
      let tie = SQL.addIdentity(issuer: identity.issuer, subject: identity.subject, accountID: id, time: time)
      // Another request has just added the person's account.
      guard try await !run(tie).isEmpty else { throw AccountError.tied(identity.subject) }
      let values = ["role": role.rawValue, "subject": identity.subject]
      return events.append(Actor.signOn.did(.accountAdd, to: name, after: values))
    }
    throw AccountError.taken(identity.name)
  }
}

extension AccountStore {
  /// Ties an account to a person at an identity provider. The account loses its password, passkeys and sessions, and
  /// signs in with the provider from then on.
  /// - Throws: ``AccountError``.
  public func tie(_ name: String, issuer: String, subject: String, by actor: Actor, at time: Date) async throws {
    try await pool.change(at: time) { connection in
      let account = try await connection.account(named: name, at: time)
      let tie = SQL.addIdentity(issuer: issuer, subject: subject, accountID: account.id, time: time)
      guard try await !connection.run(tie).isEmpty else { throw AccountError.tied(subject) }
      _ = try await connection.run(SQL.setPassword(id: account.id, hash: nil))
      _ = try await connection.run(SQL.dropPasskeys(accountID: account.id))
      _ = try await connection.close(account)
      return .made(actor.did(.accountTie, to: name, after: ["subject": subject]))
    }
  }
}
