// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import HTTPTypes
import PostgreSQL
import Publishing
import Storage
import Synchronization
import TestSupport
import Testing

/// Two servers on one database, behind a proxy that alternates between them.
@Suite(.database) struct SeveralServersTests {
  private let fields: KeyValuePairs<String, String> = [
    "category": "fraud", "country": "", "base": "1", "enter.heat": "2", "leave.heat": "1", "enter.evidence": "2",
    "leave.evidence": "1", "enter.confidence": "0.3", "leave.confidence": "0.2", "enter.reporters": "9",
    "leave.reporters": "2", "enter.networks": "2", "leave.networks": "1", "enter.days": "2", "leave.days": "1",
    "review_heat": "1",
  ]

  private static func run(
    publish: (@Sendable (PublicationRequest) async throws -> Void)? = nil,
    _ body: @Sendable @escaping (TestServer, TestServer) async throws -> Void
  ) async throws {
    try await TestServer.run(publish: publish) { first in
      try await TestServer.run(app: "Another app", publish: publish) { second in try await body(first, second) }
    }
  }

  /// Loads a page until it has a text.
  private func page(_ visitor: Visitor, _ uri: String, saying text: String) async throws -> String {
    let deadline = ContinuousClock.now + .seconds(300)
    while true {
      let page = try await visitor.get(uri).text
      if page.contains(text) { return page }
      try #require(ContinuousClock.now < deadline, "\(uri) never says: \(text)")
    }
  }

  /// Waits until the job of an order has ended: the page says that there is no publication while it waits, too.
  private func ended() async throws {
    let deadline = ContinuousClock.now + .seconds(300)
    while try await TestDatabase.current.pool.column("SELECT state FROM background_jobs", as: String.self) != ["done"] {
      try #require(ContinuousClock.now < deadline, "the order does not end")
    }
  }

  @Test func `a preview is shown and saved by either server`() async throws {
    try await Self.run { first, second in
      let here = try await Visitor(first, role: .administrator)
      let there = here.at(second)
      #expect(try await here.post("/moderation/thresholds/preview", fields).status == .seeOther)
      let result = try await page(there, "/moderation/thresholds/preview", saying: "name=\"preview\"")
      #expect(result.contains("Reporters to enter"))
      let id = String(try #require(result.firstMatch(of: /name="preview" value="([^"]+)"/)?.1))
      let shown = try await here.get("/moderation/thresholds/preview").text
      #expect(shown.contains("value=\"\(id)\""))
      #expect(try await here.get("/moderation/thresholds").text.contains("You have a preview that is not saved."))
      let saved = try await there.post("/moderation/thresholds/save", ["preview": id, "reason": "Fewer guesses."])
      #expect(saved.location == "/moderation/thresholds?saved=1")
      let set = try await ThresholdStore(pool: TestDatabase.current.pool).current()
      #expect(set.threshold(for: .fraud) { nil }?.enter.reporters == 9)
      #expect(try await here.get("/moderation/thresholds/preview").status == .seeOther)
    }
  }

  @Test func `a preview whose server died is marked as broken and can be restarted`() async throws {
    try await Self.run { first, second in
      let here = try await Visitor(first, role: .administrator)
      let there = here.at(second)
      #expect(try await here.post("/moderation/thresholds/preview", fields).status == .seeOther)
      _ = try await page(there, "/moderation/thresholds/preview", saying: "name=\"preview\"")
      // Simulates a third server that started it and was killed.
      try await TestDatabase.current.pool.execute(
        """
        UPDATE background_jobs SET state = 'running', server = \(UUID()), outcome = NULL,
          heartbeat_at = \(Date() - 120)
        """)
      let broken = try await page(there, "/moderation/thresholds/preview", saying: "was interrupted")
      #expect(broken.contains("/moderation/thresholds/again") && !broken.contains("data-again"))
      #expect(try await there.post("/moderation/thresholds/again", [:]).location == "/moderation/thresholds/preview")
      let result = try await page(here, "/moderation/thresholds/preview", saying: "name=\"preview\"")
      #expect(result.contains("Reporters to enter"))
    }
  }

  @Test func `one publication order is open at a time and both servers show its progress`() async throws {
    let press = Press()
    try await Self.run(publish: press.publish) { first, second in
      let here = try await Visitor(first, role: .administrator)
      let there = here.at(second)
      let address = "/moderation/publications"
      let taken = try await here.post(address, ["gate": "churn", "reason": "A new list."])
      #expect(taken.status == .seeOther && taken.location == address)
      _ = try await page(there, address, saying: "A publication was requested. It starts shortly.")
      #expect(try await there.post(address, [:]).status == .conflict)
      press.open()
      try await ended()
      _ = try await page(there, address, saying: "There is no publication yet.")
      #expect(press.orders.map(\.overrules) == [[.init(gate: .churn, reason: "A new list.", by: "The administrator")]])
      let events = try await TestDatabase.current.pool.column(
        "SELECT action FROM audit_events WHERE action LIKE 'publication.%'", as: String.self)
      #expect(events == ["publication.overrule"])

      // Simulates that the server of the order was killed. Orders that overrule gates cannot be repeated with one
      // button.
      func kill() async throws {
        try await TestDatabase.current.pool.execute(
          "UPDATE background_jobs SET state = 'running', server = \(UUID()), heartbeat_at = \(Date() - 120)")
      }
      try await kill()
      let broken = try await page(here, address, saying: "The server stopped during the requested publication.")
      #expect(!broken.contains("Request again"))
      #expect(try await here.post(address, [:]).status == .seeOther)
      try await ended()
      _ = try await page(there, address, saying: "There is no publication yet.")
      #expect(press.orders.count == 2)
      // The claim and the lease of a killed server may last up to a minute; no order can succeed before that.
      let pool = TestDatabase.current.pool
      _ = try #require(try await PublicationStore(pool: pool).claim(1, cause: .command, asOf: Date()))
      _ = try #require(try await LeaseStore(pool: pool).take(LeaseStore.publishing))
      // It began before the order, which therefore has no result.
      try await pool.withConnection {
        try await $0.execute(script: "UPDATE publications SET started_at = started_at - interval '1 hour'")
      }
      try await kill()
      func age(_ script: String) async throws { try await pool.withConnection { try await $0.execute(script: script) } }
      let wait = "You can request it again when no publication is in progress"
      for script in [
        "UPDATE publications SET heartbeat_at = heartbeat_at - interval '61 seconds'",
        "UPDATE job_leases SET expires_at = expires_at - interval '31 seconds'",
      ] {
        #expect(try await !page(here, address, saying: wait).contains("Request again"))
        try await age(script)
      }
      #expect(try await page(here, address, saying: "Request again").contains(address))
      #expect(try await !here.get(address).text.contains(wait))
    }
  }
}

extension Visitor {
  /// The same browser, directed to another server by the proxy.
  fileprivate func at(_ server: TestServer) -> Visitor {
    var other = Visitor(server)
    (other.session, other.token) = (session, token)
    return other
  }
}

/// Publishes only after it is released.
private final class Press: Sendable {
  private let made = Mutex([PublicationRequest]())
  private let gate = AsyncStream.makeStream(of: Void.self)

  var orders: [PublicationRequest] { made.withLock { $0 } }

  func open() { gate.continuation.finish() }

  @Sendable func publish(_ request: PublicationRequest) async throws {
    made.withLock { $0.append(request) }
    for await _ in gate.stream {}
    try Task.checkCancellation()
  }
}
