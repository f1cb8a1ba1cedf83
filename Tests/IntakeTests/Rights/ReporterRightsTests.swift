// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import PostgreSQL
import Storage
import TestSupport
import Testing

@testable import Intake

@Suite(.database) struct ReporterRightsTests {
  private let number: Int64 = 493_023_125_123
  private let pseudonymizer = Pseudonymizer(key: [UInt8](repeating: 7, count: 32))
  private var stores: Stores { Stores(pool: TestDatabase.current.pool) }

  private func service(_ journal: ErasureJournal? = nil) -> RightsService {
    RightsService(stores: stores, pseudonymizer: pseudonymizer, journal: journal)
  }

  private func app(_ name: String) async throws -> App {
    let key = try await stores.apps.create(name: name, at: now).key
    return try #require(try await stores.apps.app(key: key, at: now))
  }

  private func report(_ name: String, of app: App, receivedAt time: Date? = nil) async throws {
    let report = Report(
      number: number, appID: app.id, reportID: UUID(), reportedAt: now - 60, category: .fraud,
      reporter: pseudonymizer.pseudonym(of: name, appID: app.id), comment: "Of \(app.name).")
    _ = try await stores.reports.accept([report], receivedAt: time ?? now - 60)
  }

  @Test func `a wrong, old or repeated signature is refused`() async throws {
    let (service, text) = (service(), Data("/v1/reporters/erase\n{}".utf8))
    // Computed with: printf '/v1/reporters/erase\n{}' | openssl dgst -sha256 -hmac rf_key
    let signature = "v1=\(Self.signature)"
    func accept(_ signature: String, key: String = "rf_key", requestedAt: Date? = nil) async throws -> Bool {
      try await service.accept(signature, of: text, key: key, requestedAt: requestedAt ?? now, at: now)
    }
    #expect(try await !accept(signature, key: "rf_other"))
    #expect(try await !accept("v1=" + String(repeating: "0", count: 64)))
    #expect(try await !accept(""))
    #expect(try await !accept(signature, requestedAt: now - 301))
    #expect(try await !accept(signature, requestedAt: now + 301))
    #expect(try await accept(signature, requestedAt: now - 299))
    #expect(try await !accept(signature, requestedAt: now - 299))
  }

  private static let signature = "6138dcf4a9e15abcdf65c38377512badf18de5d51159c5c87d391b29bac1b861"

  @Test func `a signed request reaches the reporters of its own app`() async throws {
    let (one, other) = (try await app("One"), try await app("Other"))
    try await report("user-17", of: one)
    try await report("user-17", of: other)
    let service = service()
    func export(_ app: App, _ name: String = "user-17") async throws -> String {
      String(decoding: try await service.export(name, of: app, at: now), as: UTF8.self)
    }
    let exported = try await export(one)
    #expect(exported.contains("Of One.") && !exported.contains("Of Other."))
    // The answer for an unknown reporter differs in nothing but its rows.
    #expect(try await export(one, "nobody").contains(#""reports":[]"#))
    try await service.erase("user-17", of: one, at: now)
    #expect(try await !export(one).contains("Of One."))
    #expect(try await export(other).contains("Of Other."))
    let events = try await stores.auditLog.events(AuditFilter(action: "right.erase"), limit: 10)
    #expect(events.map(\.event.actor) == ["One"] && events.allSatisfy { $0.event.subject.hasPrefix("reporter ") })
  }

  @Test func `a journal erases and restricts reporters of a restored database`() async throws {
    try await withTemporaryFolder { folder in
      let (journal, app) = (ErasureJournal(path: "\(folder)/erasures.jsonl"), try await app("One"))
      let service = service(journal)
      try await service.erase("user-17", of: app, at: now + 0.5)
      // The second one has reported nothing yet.
      let restricted = ["user-18", "user-19"]
      for name in restricted { try await service.restrict(name, to: true, of: app, at: now) }
      let pseudonym = pseudonymizer.pseudonym(of: "user-17", appID: app.id).map { String(format: "%02x", $0) }.joined()
      #expect(try !String(contentsOfFile: journal.path, encoding: .utf8).contains(pseudonym))
      // A backup from before brings the reports back. The journal has whole seconds.
      try await report("user-17", of: app, receivedAt: now + 0.4)
      try await report("user-18", of: app)
      let names = restricted.map { pseudonymizer.pseudonym(of: $0, appID: app.id) }
      try await stores.erasures.restrict(names, to: false, at: now, audit: [])
      #expect(try await self.service().apply([journal], at: now + 60).reporters == 3)
      let left = try await stores.erasures.export(pseudonymizer.pseudonym(of: "user-17", appID: app.id))
      #expect(left.allSatisfy { $0.rows.isEmpty })
      for name in names {
        let kept = try await stores.erasures.export(name)
        #expect(kept.first { $0.table == "reporter_weights" }?.rows.count == 1)
      }
      // A backup that has all of it changes nothing, and counts no use of a right again.
      let before = try await stores.auditLog.events(AuditFilter(action: "right."), limit: 100)
      #expect(try await self.service().apply([journal], at: now + 120).reporters == 0)
      #expect(try await stores.auditLog.events(AuditFilter(action: "right."), limit: 100).count == before.count)
    }
  }

  @Test func `a repeated journal erases nothing that arrived after the erasure, and counts no use of a right`()
    async throws
  {
    try await withTemporaryFolder { folder in
      let (journal, app) = (ErasureJournal(path: "\(folder)/erasures.jsonl"), try await app("One"))
      let service = service(journal)
      try await service.erase("user-17", of: app, at: now)
      try await report("user-17", of: app, receivedAt: now + 60)
      let pseudonym = pseudonymizer.pseudonym(of: "user-17", appID: app.id)
      try await TestDatabase.current.pool.execute(
        "INSERT INTO hold_reporters (number, reporter) VALUES (\(number), \(pseudonym))")
      let before = try await stores.erasures.export(pseudonym)
      #expect(before.first { $0.table == "hold_reporters" }?.rows.count == 1)
      #expect(try await service.apply([journal], at: now + 120).reporters == 0)
      #expect(try await stores.erasures.export(pseudonym).map { $0.rows } == before.map { $0.rows })
      #expect(try await stores.auditLog.events(AuditFilter(action: "right.erase"), limit: 10).count == 1)
    }
  }

  @Test(arguments: [-300.0, 300]) func `a signature counts once until its request is too old`(age: Double) async throws
  {
    let (service, text) = (service(), Data("/v1/reporters/erase\n{}".utf8))
    func accept(requestedAt: Date, at time: Date) async throws -> Bool {
      try await service.accept("v1=\(Self.signature)", of: text, key: "rf_key", requestedAt: requestedAt, at: time)
    }
    #expect(try await accept(requestedAt: now + age, at: now))
    // A clock that was ahead by five minutes can repeat it for ten.
    #expect(try await !accept(requestedAt: now + 300, at: now + 599))
    #expect(try await !accept(requestedAt: now + 300, at: now + 600.001))
  }
}
