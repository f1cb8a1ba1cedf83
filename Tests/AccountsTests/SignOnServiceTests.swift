// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import PostgreSQL
import TestSupport
import Testing

@testable import Storage

/// Accounts of people whom an identity provider signs in.
@Suite(.database) struct SignOnServiceTests {
  private var sessions: SessionStore { SessionStore(pool: pool) }
  private var accounts: AccountStore { AccountStore(pool: pool) }

  private func identity(
    _ subject: String = "s-1", name: String = "Ada", _ role: Identity.Grant = .role(.moderator)
  ) -> Identity {
    Identity(issuer: "https://id.example.org", subject: subject, name: name, role: role)
  }

  private func enter(_ identity: Identity, adds: Bool = true) async throws -> Session? {
    guard
      case .entered(.session(let token, let isNew)) = try await sessions.enter(
        identity: identity, adds: adds, at: now)
    else { return nil }
    #expect(!isNew)
    return try await sessions.moderator(session: token, at: now)
  }

  private func actions() async throws -> [String] {
    try await AuditLog(pool: pool).events(AuditFilter(), limit: 100).map { $0.event.action }.sorted()
  }

  @Test func `a person gets an account once, and only if that is allowed`() async throws {
    guard case .noAccount = try await sessions.enter(identity: identity(), adds: false, at: now) else {
      Issue.record("an account was added")
      return
    }
    let first = try #require(try await enter(identity()))
    #expect(first.name == "Ada" && first.role == .moderator && first.isTied)
    #expect(try await enter(identity(name: "Countess"), adds: false)?.id == first.id)
    #expect(try await actions() == ["account.add", "session.open", "session.open"])
  }

  @Test func `an account of the same name is never used`() async throws {
    try await accounts.add("Ada", role: .administrator, by: .commandLine("test"), at: now)
    let session = try #require(try await enter(identity(.own)))
    #expect(session.name == "Ada (2)" && session.role == .triage)
    #expect(try await enter(identity("s-2"))?.name == "Ada (3)")
    // Another provider's person of the same subject is another person.
    let stranger = Identity(issuer: "https://other.example.org", subject: "s-1", name: "Ada", role: .own)
    #expect(try await enter(stranger)?.name == "Ada (4)")
  }

  private func identity(_ role: Identity.Grant) -> Identity { identity("s-1", role) }

  @Test func `people who sign in at the same moment get one account`() async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<8 {
        group.addTask {
          do {
            _ = try await enter(identity())
          } catch AccountError.tied {
            _ = try await enter(identity())
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(try await accounts.accounts(at: now).map(\.name) == ["Ada"])
  }

  @Test func `the provider's role replaces the account's, and none ends its sessions`() async throws {
    let session = try #require(try await enter(identity(.role(.administrator))))
    #expect(session.role == .administrator)
    // Even the last administrator loses the role.
    #expect(try await enter(identity(.role(.triage)))?.role == .triage)
    try await pool.execute(
      """
      INSERT INTO queue (number, causes, urgency, country, since, assigned_to)
      VALUES (33199000248, 1, 1, 'FR', '2026-11-18', 'Ada')
      """)
    guard case .noRole(let account?) = try await sessions.enter(identity: identity(.none), adds: true, at: now) else {
      Issue.record("a person without a role was let in")
      return
    }
    // Other people are not offered an assigned case.
    #expect(try await pool.column("SELECT assigned_to IS NULL FROM queue", as: Bool.self) == [true])
    #expect(account.name == "Ada")
    #expect(try await accounts.account(named: "Ada", at: now)?.sessions == 0)
    #expect(
      try await actions() == ["account.add", "account.role", "session.end", "session.open", "session.open"])
  }

  @Test func `an account without a role of the provider does not count as an administrator`() async throws {
    let operate = Actor.commandLine("test")
    try await accounts.add("Local", role: .administrator, by: operate, at: now)
    _ = try await enter(identity(.role(.administrator)))
    guard case .noRole = try await sessions.enter(identity: identity(.none), adds: true, at: now) else {
      Issue.record("a person without a role was let in")
      return
    }
    await #expect(throws: AccountError.lastAdministrator("Local")) {
      try await accounts.setDisabled(true, name: "Local", by: operate, at: now)
    }
    // The local account signs in as before, and the provider can give the role again.
    let link = try await sessions.makeSignInToken(for: "Local", role: .administrator, at: now)
    #expect(try await sessions.enter(link: link, at: now) != nil)
    #expect(try await enter(identity(.role(.administrator)))?.role == .administrator)
  }

  @Test func `a disabled account stays out`() async throws {
    _ = try await enter(identity())
    try await accounts.setDisabled(true, name: "Ada", by: .commandLine("test"), at: now)
    guard case .disabled = try await sessions.enter(identity: identity(), adds: true, at: now) else {
      Issue.record("a disabled account was let in")
      return
    }
  }

  @Test func `an account that is tied loses its password and its sessions`() async throws {
    let token = try await sessions.makeSignInToken(for: "Ada", role: .moderator, at: now)
    guard case .session(let session, _)? = try await sessions.enter(link: token, at: now) else { return }
    let moderator = try #require(try await sessions.moderator(session: session, at: now))
    let fresh = try await accounts.setPassword(
      "scrypt$15$8$1$AAAAAAAAAAAAAAAAAAAAAA==$AA==", of: moderator, at: now)
    let operate = Actor.commandLine("test")
    try await accounts.tie("Ada", issuer: "https://id.example.org", subject: "s-1", by: operate, at: now)
    #expect(try await sessions.moderator(session: fresh, at: now) == nil)
    #expect(try await accounts.credentials(of: "Ada")?.password == nil)
    #expect(try await enter(identity(), adds: false)?.name == "Ada")
    await #expect(throws: AccountError.tied("s-2")) {
      try await accounts.tie("Ada", issuer: "https://id.example.org", subject: "s-2", by: operate, at: now)
    }
    try await accounts.reset("Ada", by: operate, at: now)
    #expect(try await enter(identity(), adds: false) == nil)
  }

  @Test func `a session lasts no longer than is set`() async throws {
    let short = sessions.with(sessionLifetime: 3_600)
    guard case .entered(.session(let token, _)) = try await short.enter(identity: identity(), adds: true, at: now)
    else { return }
    #expect(try await short.moderator(session: token, at: now + 3_599) != nil)
    #expect(try await short.moderator(session: token, at: now + 3_601) == nil)
  }
}
