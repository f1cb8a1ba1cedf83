// SPDX-License-Identifier: Apache-2.0

import CurlHTTP
import Jobs
import CallerPack
import Curation
import Foundation
import OutboundHTTP
import PostgreSQL
import Storage
import TestSupport
import Testing

@testable import Publishing

@Suite(.database) struct OutboxTests {
  private static let manifest = Manifest(
    serial: 7, issued: Date(timeIntervalSince1970: 1_700_000_000), asOf: Date(timeIntervalSince1970: 1_700_000_000),
    expires: Date(timeIntervalSince1970: 1_700_086_400), previous: nil, packs: [])
  private static let link = Manifest.Link(serial: 7, sha256: String(repeating: "ab", count: 32))

  private func queue(_ urls: String...) async throws {
    let webhooks = Webhooks(urls: urls.compactMap { URL(string: $0) })
    try await TestDatabase.current.pool.transaction { connection in
      try await webhooks.announce(Self.manifest, Self.link, on: connection)
    }
  }

  /// The example of the documentation, computed with `openssl dgst -sha256 -hmac`.
  @Test func `the webhook signature equals the documented example`() throws {
    let secret = try #require(WebhookSecret(" a secret of 26 characters\n"))
    #expect(
      secret.signature(of: #"{"event":"publication"}"#, at: Date(timeIntervalSince1970: 1_700_000_000))
        == "t=1700000000,v1=b7f7bc5f9fbe3df515771907a1b9b704f66ebf069bea668c478ddabb31e7d0b4")
    #expect(WebhookSecret("too short") == nil)
  }

  @Test func `an event is the same whenever it is created`() {
    let one = Webhooks.event(of: Self.manifest, Self.link)
    #expect(Webhooks.event(of: Self.manifest, Self.link) == one)
    #expect(
      one.body
        == #"{"as_of":"2023-11-14T22:13:20Z","changed":[],"event":"publication","expires":"2023-11-15T22:13:20Z","#
        + #""id":"\#(one.id.uuidString.lowercased())","issued":"2023-11-14T22:13:20Z","manifest_sha256":"\#(Self.link.sha256)","#
        + #""occurred_at":"2023-11-14T22:13:20Z","packs":0,"serial":7}"#)
    let other = Event(.appealFiled, id: one.id, at: Self.manifest.issued, ["number": .text("+33199000248")])
    #expect(
      other.body
        == #"{"event":"appeal_filed","id":"\#(one.id.uuidString.lowercased())","number":"+33199000248","occurred_at":"2023-11-14T22:13:20Z"}"#
    )
  }

  @Test func `an event names the packs that the publication changed`() {
    var manifest = Self.manifest
    manifest.packs = [7, 6].map { serial in
      ManifestPack(
        name: "pack-\(serial)", kind: "block", serial: serial, entries: 0, first: nil, last: nil, bytes: 1, sha256: "",
        contentSHA256: "", path: "")
    }
    #expect(Webhooks.event(of: manifest, Self.link).body.contains(#""changed":["pack-7"]"#))
  }

  @Test func `accounts get the events that they chose, while they are enabled`() async throws {
    let pool = TestDatabase.current.pool
    let store = OutboxStore(pool: pool)
    try await TestDatabase.current.addModerators(3)
    let ids = try await pool.withConnection { connection in
      try await connection.query("SELECT account_id FROM accounts ORDER BY name").map {
        try $0.decode(0) as Int32
      }
    }
    for (index, id) in ids.enumerated() {
      let events: [Event.Kind] = index == 0 ? [.appealFiled] : Event.Kind.offered(to: .administrator)
      try await store.choose(MailAddress("person\(index)@example.org"), events, of: id)
    }
    try await pool.withConnection {
      _ = try await $0.execute(
        "UPDATE accounts SET disabled_at = '2026-01-01T00:00:00Z', language = 'ru' WHERE account_id = \(ids[2])")
      _ = try await $0.execute("UPDATE accounts SET language = 'ru' WHERE account_id = \(ids[1])")
    }
    let now = Date()
    try await store.record(Event(.caseOverdue, at: now), at: now)
    try await store.record(Event(.appealFiled, at: now), at: now)
    #expect(try await store.take(at: now, until: now + 60, limit: 8, isMail: false).isEmpty)
    let taken = try await store.take(at: now, until: now + 60, limit: 8, isMail: true)
    #expect(
      Set(taken.map { "\($0.event) \($0.receiver) \($0.language ?? "")" }) == [
        "case_overdue mailto:person1@example.org ru", "appeal_filed mailto:person0@example.org en",
        "appeal_filed mailto:person1@example.org ru",
      ])
  }

  @Test func `an account gets no mail that is for a higher role`() async throws {
    #expect(Event.Kind.offered(to: .triage) == [.publication, .caseOverdue])
    let (store, now) = (OutboxStore(pool: TestDatabase.current.pool), Date())
    try await TestDatabase.current.pool.withConnection {
      // Chosen before the roles of two of them were lowered.
      _ = try await $0.execute(
        """
        INSERT INTO accounts (name, role, created_at, mail_address, mail_events)
        SELECT role, role, '2026-01-01T00:00:00Z', role || '@example.org', '{backup_failed}'
        FROM unnest('{triage,moderator,administrator}'::text[]) AS t (role)
        """)
    }
    try await store.record(Event(.backupFailed, at: now), at: now)
    let taken = try await store.take(at: now, until: now + 60, limit: 8, isMail: true)
    #expect(taken.map(\.receiver) == ["mailto:administrator@example.org"])
  }

  @Test func `a delivery queued twice is sent once and by one server`() async throws {
    let store = OutboxStore(pool: TestDatabase.current.pool)
    try await queue("https://a.example/", "https://b.example/")
    try await queue("https://a.example/", "https://b.example/")
    let later = Date().addingTimeInterval(1)
    let taken = try await withThrowingTaskGroup(of: [OutboxMessage].self) { group in
      for _ in 0..<4 {
        group.addTask { try await store.take(at: later, until: later.addingTimeInterval(60), limit: 8) }
      }
      return try await group.reduce(into: []) { $0 += $1 }
    }
    #expect(taken.map(\.receiver).sorted() == ["https://a.example/", "https://b.example/"])
    try await store.settle(taken[0], at: later)
    try await store.postpone(taken[1], until: later.addingTimeInterval(5), failure: .unexpectedStatus(status: 500))
    #expect(try await store.take(at: later.addingTimeInterval(4), until: later, limit: 8).isEmpty)
    let again = try await store.take(at: later.addingTimeInterval(6), until: later.addingTimeInterval(70), limit: 8)
    #expect(again.map(\.id) == [taken[1].id] && again[0].attempts == 2)
  }

  @Test func `a publication notifies all stored receivers once`() async throws {
    let store = OutboxStore(pool: TestDatabase.current.pool)
    try await store.replaceReceivers(["https://gone.example/"])
    try await store.replaceReceivers(["https://a.example/", "https://b.example/", "https://a.example/"])
    try await queue("https://a.example/")
    let later = Date().addingTimeInterval(1)
    let taken = try await store.take(at: later, until: later.addingTimeInterval(60), limit: 8)
    #expect(taken.map(\.receiver).sorted() == ["https://a.example/", "https://b.example/"])
  }

  @Test func `a publication that is not recorded notifies no receiver`() async throws {
    struct Failure: Error {}
    let webhooks = Webhooks(urls: [URL(string: "https://a.example/")!])
    await #expect(throws: Failure.self) {
      try await TestDatabase.current.pool.transaction { connection in
        try await webhooks.announce(Self.manifest, Self.link, on: connection)
        throw Failure()
      }
    }
    let store = OutboxStore(pool: TestDatabase.current.pool)
    #expect(try await store.take(at: .now.addingTimeInterval(5), until: .now, limit: 8).isEmpty)
  }

  @Test func `an unreachable receiver is retried with backoff`() async throws {
    let store = OutboxStore(pool: TestDatabase.current.pool)
    let secret = try #require(WebhookSecret("a secret of 26 characters"))
    let job = OutboxJob(store: store, secret: secret, mailer: nil, writer: { _ in nil }, logger: .forTests)
    // No server listens on this port.
    try await queue("http://127.0.0.1:9/")
    let now = Date().addingTimeInterval(1)
    try await OutboundHTTP.withClient { client throws in
      #expect(try await job.sendDue(at: now, by: client).count == 1)
      #expect(try await job.sendDue(at: now.addingTimeInterval(4), by: client).isEmpty)
      #expect(try await job.sendDue(at: now.addingTimeInterval(6), by: client).count == 1)
    }
    #expect(
      (1...12).map { OutboxJob.delay(after: $0) } == [5, 10, 20, 40, 80, 160, 320, 640, 1_280, 2_560, 3_600, 3_600])
  }
}
