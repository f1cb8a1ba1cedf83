// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import HTTPTypes
import Hummingbird
import Moderation
import Publishing
import Storage
import TestSupport
import Testing

@Suite(.database) struct PublicationPageTests {
  private func page(_ server: TestServer, _ path: String = "") async throws -> String {
    let token = try await server.sessions.makeSignInToken(for: "Ada", at: Date())
    let answer = try await server.client.execute(
      uri: "/sign-in", method: .post, headers: [.contentType: "application/x-www-form-urlencoded"],
      body: ByteBuffer(string: "token=\(token)"))
    let session = String(try #require(answer.headers[.setCookie]).prefix { $0 != ";" })
    let page = try await server.client.execute(
      uri: "/moderation/publications\(path)", method: .get, headers: [.cookie: session])
    #expect(page.status == .ok)
    return String(buffer: page.body)
  }

  @Test func `a visitor without a session is sent to sign in`() async throws {
    try await TestServer.run { server in
      let answer = try await server.client.execute(uri: "/moderation/publications", method: .get)
      #expect(answer.status == .seeOther)
    }
  }

  @Test func `the page shows published, running and refused publications`() async throws {
    let store = PublicationStore(pool: TestDatabase.current.pool)
    try await TestServer.run { server in
      #expect(try await page(server).contains("There is no publication yet"))

      try await store.record(
        Publication(serial: 1, publishedAt: now, asOf: now, manifestSHA256: [UInt8](repeating: 1, count: 32)),
        packs: [
          PublishedPack(
            name: "toxic", kind: "identification", packSerial: 1, entries: 1_234, bytes: 56_789, deltaBytes: 321)
        ], gates: [GateRecord(gate: "cap", pack: "toxic", passed: true, finding: .hasEntries(entries: 1_234))])
      let refused = try #require(try await store.claim(2, cause: .schedule, asOf: now))
      try await store.end(
        refused, as: .refused, failure: .cannotWrite(path: "/data/<b>", detail: "No space <left>"),
        gates: [
          GateRecord(
            gate: "churn", pack: "toxic", passed: false,
            finding: .tooMuchChurn(.init(added: 900, removed: 3, formerEntries: 1_234), maximumPercent: 50))
        ])
      let running = try #require(try await store.claim(3, cause: .revocation, asOf: now))
      #expect(try await store.report(running, step: .makingDeltas(pack: "toxic"), percent: 42) == true)

      let text = try await page(server)
      for part in [
        "56.8\u{A0}kB", "321\u{A0}B", "1,234", "href=\"/moderation/publications/2\"", "value=\"42\"",
        "Writing deltas to toxic", "revocation", "data-again", "Refresh",
      ] {
        #expect(text.contains(part), "\(part)")
      }
      #expect(text.contains("</time> <a href"), "A space stands between the time and the link.")
      // Each has its page.
      let first = try await page(server, "/1")
      #expect(first.contains("<h1>Publication 1: ") && first.contains(">toxic</th><td>labels</td>"))
      let second = try await page(server, "/2")
      for part in [
        "Cannot write /data/&lt;b&gt;.",
        "The operating system reports: <span lang=\"en\">No space &lt;left&gt;</span>",
        "<strong>Too many numbers were added or removed</strong> (toxic): Added: 900. Removed: 3. Entries before: 1,234. ",
      ] {
        #expect(second.contains(part), "\(part)")
      }
      #expect(!second.contains("<left>"))
      #expect(text.contains("Publication 3 is in progress."))
    }
  }

  @Test func `the changes begin with the first pack that has some`() async throws {
    let pool = TestDatabase.current.pool
    let (service, first) = (DecisionService(pool: pool), Int64(33_199_001_021))
    @Sendable func decide(_ number: Int64, _ treatment: Decision.Treatment, label: String? = nil) async throws {
      let decision = try Decision(
        number: number, treatment: treatment, label: label, category: .fraud, reason: "Checked.", decidedBy: "Ada",
        decidedAt: Date())
      #expect(try await service.record(decision) == .recorded)
    }
    try await TestServer.run { server in
      let key = SigningKey()
      let publisher = Publisher(
        store: PublicationStore(pool: pool), folder: server.folder, signing: { key }, logger: .forTests)
      for number in first..<first + 4 { try await decide(number, .block) }
      _ = try await publisher.publish(at: Date())
      // Only packs of names contain a number that is not blocked.
      try await decide(first + 9, .identify, label: "A shop")
      _ = try await publisher.publish(at: Date())
      let changes = try await page(server, "/2/changes")
      #expect(changes.contains(#"pack=blocklist">blocklist</a>"#))
      #expect(changes.contains(#"pack=toxic" aria-current="true">toxic</a>"#))
      #expect(changes.contains("/moderation/numbers/\(first + 9)") && changes.contains("A shop"))
      let chosen = try await page(server, "/2/changes?pack=blocklist")
      #expect(chosen.contains(#"pack=blocklist" aria-current="true">blocklist</a>"#))
      #expect(!chosen.contains("/moderation/numbers/\(first + 9)"))
    }
  }

  @Test func `one banner names the failures, and the form keeps its text`() async throws {
    let store = PublicationStore(pool: TestDatabase.current.pool)
    try await TestServer.run(publish: { _ in }) { server in
      let visitor = try await Visitor(server, role: .administrator)
      let path = "/moderation/publications"
      #expect(try await visitor.get(path).text.contains("There is no publication yet."))
      let claim = try #require(try await store.claim(2, cause: .schedule, asOf: now))
      let passed = (0..<81).map {
        GateRecord(gate: "cap", pack: "pack-\($0)", passed: true, finding: .hasEntries(entries: 1))
      }
      let failed = (0..<4).map {
        GateRecord(
          gate: "churn", pack: "pack-\($0)", passed: false,
          finding: .tooMuchChurn(.init(added: 9, removed: 3, formerEntries: 10), maximumPercent: 50))
      }
      try await store.end(claim, as: .refused, failure: .gatesClosed, gates: passed + failed)
      let page = try await visitor.get(path).text
      #expect(page.contains("Held back: 4 of 85 gates failed."))
      #expect(page.components(separatedBy: "role=\"status\"").count == 2, "There is one banner.")

      let refused = try await visitor.post(path, ["gate": "churn"])
      #expect(refused.status == .unprocessableContent && refused.text.contains("Enter a reason to overrule a gate."))
      #expect(refused.text.contains(#"name="gate" value="churn" checked"#))
      #expect(refused.text.contains(#"value="" aria-invalid="true" aria-describedby="order-problem" autofocus"#))
      let long = String(repeating: "é", count: 1_001)
      let tooLong = try await visitor.post(path, ["gate": "churn", "reason": long])
      #expect(tooLong.status == .unprocessableContent && tooLong.text.contains("value=\"\(long)\""))
      #expect(try await JobStore(pool: TestDatabase.current.pool).job(.publication) == nil)

      let taken = try await visitor.post(path, ["gate": "churn", "reason": "A new list."])
      #expect(taken.status == .seeOther && taken.location == path)
      let job = try #require(try await JobStore(pool: TestDatabase.current.pool).job(.publication))
      #expect(job.request.contains("churn") && job.request.contains("A new list."))
    }
  }

  @Test func `home says that no publication is scheduled`() async throws {
    try await TestServer.run { server in
      let visitor = try await Visitor(server, role: .moderator)
      #expect(try await visitor.get("/moderation").text.contains("No publication is scheduled."))
    }
  }
}
