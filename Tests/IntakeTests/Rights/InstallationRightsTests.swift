// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import PostgreSQL
import Storage
import TestSupport
import Testing

@testable import Intake

/// Reports that came with the token of an installation belong to the person whom the app names.
@Suite(.database) struct InstallationRightsTests {
  private let now = Date(timeIntervalSince1970: 1_795_000_000)
  private let pseudonymizer = Pseudonymizer(key: [UInt8](repeating: 7, count: 32))
  private var stores: Stores { Stores(pool: TestDatabase.current.pool) }
  private var service: RightsService { RightsService(stores: stores, pseudonymizer: pseudonymizer, journal: nil) }

  private func app() async throws -> App {
    let key = try await stores.apps.create(name: "One", at: now).key
    return try #require(try await stores.apps.app(key: key, at: now))
  }

  private func found(_ name: String?, _ installation: String? = nil, _ app: App) async throws -> Int {
    struct Answer: Decodable { let found: Int }
    return try JSONDecoder().decode(
      Answer.self, from: try await service.export(name, installation: installation, of: app, at: now)
    ).found
  }

  /// Stores a report as the API does: under the installation's name, with a link to the app's.
  @discardableResult
  private func report(_ name: String, _ token: String, _ app: App) async throws -> Report {
    let installation = try #require(try await stores.installations.find(token: token, at: now))
    let pseudonym = pseudonymizer.pseudonym(of: installation.reporter, appID: app.id)
    let report = Report(
      number: 493_023_125_123, appID: app.id, reportID: UUID(), reportedAt: now - 60, category: .fraud,
      reporter: pseudonym, comment: "Needle.")
    #expect(try await stores.reports.accept([report], receivedAt: now - 60) == [.created])
    try await stores.reports.link(
      [pseudonymizer.pseudonym(of: name, appID: app.id)], to: pseudonym, at: now - 60)
    return report
  }

  private func rows(_ table: String) async throws -> Int {
    try await TestDatabase.current.pool.withConnection {
      try await $0.query(PostgresQuery(unsafeRaw: "SELECT 1 FROM \(table)")).count
    }
  }

  @Test(arguments: ["name", "token", "id", "deleted token"])
  func `an erasure finds the reports of a person's installations`(way: String) async throws {
    let app = try await app()
    let made = try #require(try await stores.installations.create(for: app, at: now))
    let other = try #require(try await stores.installations.create(for: app, at: now))
    let erased = try await report("user-17", made.token, app)
    try await report("user-18", other.token, app)
    if way == "name" { try await report("user-17", made.token, app) }
    if way == "deleted token" {
      try await TestDatabase.current.pool.withConnection { try await $0.execute(script: "DELETE FROM installations") }
    }
    let id = made.digest.map { String(format: "%02x", $0) }.joined()
    let (name, installation) = (
      way == "name" ? "user-17" : nil, ["token": made.token, "id": id][way] ?? (way == "name" ? nil : id)
    )
    let reports = way == "name" ? 2 : 1
    #expect(try await found(name, installation, app) == reports)
    #expect(try await service.erase(name, installation: installation, of: app, at: now) == reports)
    #expect(try await found(name, installation, app) == 0)
    #expect(try await found("user-18", nil, app) == 1)
    #expect(try await found("nobody", nil, app) == 0)
    #expect(try await service.erase("nobody", of: app, at: now) == 0)
    #expect(try await rows("reports") == 1)
    #expect(try await rows("reporter_installations") == 1)
    // The app sends the report again.
    #expect(try await stores.reports.accept([erased], receivedAt: now) == [.withdrawn])
    #expect(try await ReportStore(pool: TestDatabase.current.pool).accept([erased], receivedAt: now) == [.withdrawn])
    #expect(try await rows("reports") == 1)
  }

  @Test func `a restriction reaches the installations of a person, and later ones`() async throws {
    let app = try await app()
    let restricted = "reporter_weights WHERE restricted_at IS NOT NULL"
    let first = try #require(try await stores.installations.create(for: app, at: now))
    try await report("user-17", first.token, app)
    try await service.restrict("user-17", to: true, of: app, at: now)
    #expect(try await rows(restricted) == 2)
    let second = try #require(try await stores.installations.create(for: app, at: now))
    try await report("user-17", second.token, app)
    #expect(try await rows(restricted) == 3)
    try await service.restrict("user-17", to: false, of: app, at: now)
    #expect(try await rows(restricted) == 0)
  }

  @Test func `a repeated journal erases installations too`() async throws {
    try await withTemporaryFolder { folder in
      let (journal, app) = (ErasureJournal(path: "\(folder)/erasures.jsonl"), try await app())
      let made = try #require(try await stores.installations.create(for: app, at: now))
      try await report("user-17", made.token, app)
      let service = RightsService(stores: stores, pseudonymizer: pseudonymizer, journal: journal)
      try await service.erase("user-17", of: app, at: now)
      // A backup from before brings the report and the link back.
      try await report("user-17", made.token, app)
      #expect(try await self.service.apply([journal], at: now + 60).reporters == 2)
      #expect(try await rows("reports") == 0)
      #expect(try await rows("reporter_installations") == 0)
    }
  }

  @Test func `without its journal a right is refused before anything is done`() async throws {
    try await withTemporaryFolder { folder in
      let (journal, app) = (ErasureJournal(path: "\(folder)/missing/erasures.jsonl"), try await app())
      let service = RightsService(stores: stores, pseudonymizer: pseudonymizer, journal: journal)
      let made = try #require(try await stores.installations.create(for: app, at: now))
      try await report("user-17", made.token, app)
      #expect(throws: ErasureJournalUnavailable.self) { try service.checkJournal() }
      await #expect(throws: ErasureJournalUnavailable.self) {
        try await service.erase("user-17", of: app, at: now)
      }
      await #expect(throws: ErasureJournalUnavailable.self) {
        try await service.restrict("user-17", to: false, of: app, at: now)
      }
      await #expect(throws: ErasureJournalUnavailable.self) {
        try await service.suppress(493_023_125_123, at: now)
      }
      #expect(try await rows("reports") == 1)
      #expect(try await rows("protected_numbers") == 0)
      try ErasureJournal(path: "\(folder)/erasures.jsonl").check()
      #expect(FileManager.default.fileExists(atPath: "\(folder)/erasures.jsonl") == false)
    }
  }

  @Test func `a message with a code is ciphertext in the database, and is deleted after its delivery`() async throws {
    let service = RightsService(
      stores: stores, pseudonymizer: pseudonymizer, journal: nil, gateways: ["https://gateway.example.org/"])
    #expect(try await service.sendCode(to: 493_023_125_123, form: (.init(repeating: 1, count: 16), now + 900), at: now))
    let message = try #require(try await stores.outbox.take(at: now, until: now, limit: 8).first)
    #expect(!message.body.contains("code") && !message.body.contains("493023125123"))
    #expect(message.expiresAt == now + 900)
    let body = try #require(OwnerCodeMessage(pseudonymizer: pseudonymizer).body(of: message))
    struct Sent: Decodable { let number, code: String }
    let sent = try JSONDecoder().decode(Sent.self, from: Data(body.utf8))
    #expect(try await service.enter(sent.code, for: 493_023_125_123, at: now) != nil)
    let other = OwnerCodeMessage(pseudonymizer: Pseudonymizer(key: [UInt8](repeating: 8, count: 32)))
    #expect(other.body(of: message) == nil)
    try await stores.outbox.settle(message, at: now)
    #expect(try await rows("outbox") == 0)
  }
}
