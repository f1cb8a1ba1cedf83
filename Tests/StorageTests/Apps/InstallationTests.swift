// SPDX-License-Identifier: Apache-2.0

import Foundation
import PostgreSQL
import TestSupport
import Testing

@testable import Storage

@Suite(.database) struct InstallationTests {
  private var installations: InstallationStore { InstallationStore(pool: pool) }

  private func app(_ name: String) async throws -> App {
    let apps = AppStore(pool: pool)
    let key = try await apps.create(name: name, at: now).key
    return try #require(try await apps.app(key: key, at: now))
  }

  @Test func `tokens outlive the rotation of a key and end with its revocation or withdrawal`() async throws {
    let apps = AppStore(pool: pool)
    let (app, other) = (try await app("Phone"), try await app("Tablet"))
    let made = try #require(try await installations.create(for: app, at: now))
    let another = try #require(try await installations.create(for: other, at: now))
    _ = try await apps.rotate(name: "Phone", overlap: 0, at: now)
    let found = try #require(try await installations.find(token: made.token))
    #expect(found.app == app && found.digest == made.digest)
    let keyID = try #require(app.keyID)
    let withdrawal = try await apps.withdrawals.ask(
      keyID: keyID, since: now, until: nil, because: "It leaked.", by: "Ada", at: now + 3_600)
    #expect(try await installations.find(token: made.token) == nil)
    // Servers may still store reports of the tokens for some seconds.
    #expect(withdrawal.until == now + 3_670)
    #expect(try await installations.find(token: another.token) != nil)
    try await apps.revoke(keyID: try #require(other.keyID), at: now)
    #expect(try await installations.find(token: another.token) == nil)
    #expect(try await installations.find(token: "none") == nil)
  }

  @Test func `an ended key creates no token, and its tokens end with its revocation`() async throws {
    let apps = AppStore(pool: pool)
    let app = try await app("Phone")
    let made = try #require(try await installations.create(for: app, at: now))
    _ = try await apps.rotate(name: "Phone", overlap: 0, at: now + 60)
    #expect(try await installations.create(for: app, at: now + 61) == nil)
    #expect(try await installations.find(token: made.token) != nil)
    let keyID = try #require(app.keyID)
    try await apps.revoke(keyID: keyID, at: now + 86_400)
    // Reports of the token arrived until the revocation.
    let withdrawal = try await apps.withdrawals.ask(
      keyID: keyID, since: now, until: nil, because: "It leaked.", by: "Ada", at: now + 90_000)
    #expect(withdrawal.until == now + 86_400 + 70)
  }

  @Test func `a key without the scope for reports ends its tokens`() async throws {
    let app = try await app("Phone")
    let made = try #require(try await installations.create(for: app, at: now))
    #expect(try await installations.reportingApp(named: "Phone", at: now)?.id == app.id)
    #expect(try await installations.reportingApp(named: "Other", at: now) == nil)
    try await AppStore(pool: pool).change(keyID: try #require(app.keyID), to: .lookup, at: now)
    #expect(try await installations.find(token: made.token) == nil)
    #expect(try await installations.reportingApp(named: "Phone", at: now) == nil)
  }

  @Test func `retention deletes tokens without a report for 400 days`() async throws {
    let app = try await app("Phone")
    let made = try #require(try await installations.create(for: app, at: now))
    let unused = try #require(try await installations.create(for: app, at: now))
    let found = try #require(try await installations.find(token: made.token))
    try await installations.noteUse(of: found, at: now + 86_400)
    let retention = RetentionStore(pool: pool)
    #expect(try await retention.purgeInstallations(before: now) == 0)
    #expect(try await retention.purgeInstallations(before: now + 86_400) == 1)
    #expect(try await installations.find(token: unused.token) == nil)
    #expect(try await installations.find(token: made.token) != nil)
  }
}
