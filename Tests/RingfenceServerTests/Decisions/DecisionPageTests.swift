// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import HTTPTypes
import Hummingbird
import Moderation
import PostgreSQL
import Storage
import TestSupport
import Testing

/// A moderator's decision is stored once, only with the required role, and never over changes that were not shown.
@Suite(.database) struct DecisionPageTests {
  private let number: Int64 = 33_199_000_248
  private var uri: String { "/moderation/numbers/\(number)" }

  private var queue: QueueStore { QueueStore(pool: TestDatabase.current.pool) }
  private var decisions: DecisionStore { DecisionStore(pool: TestDatabase.current.pool) }
  private var decisionService: DecisionService { DecisionService(pool: TestDatabase.current.pool) }

  private func enqueue(_ numbers: [Int64]) async throws {
    _ = try await TestDatabase.current.pool.run(SQL.enqueueCases(numbers.map { ($0, .held) }, at: Date()))
  }

  @Test func `a stale page overwrites nothing and keeps the typed text`() async throws {
    try await TestServer.run { server in
      let client = try await ModeratorClient.signIn(server, as: "Ada")
      let page = try await client.page(uri)
      let other = try Decision(number: number, treatment: .allow, decidedBy: "Bob", decidedAt: Date())
      _ = try await decisionService.record(other)

      let typed = [("decision", "block"), ("confirm", "1"), ("reason", "They <lie> & sell.")]
      let refused = try await client.send(page, to: "\(uri)/decision", typed)
      #expect(refused.status == .conflict)
      #expect(refused.text.contains("Another moderator has decided on this number"))
      #expect(refused.text.contains("They &lt;lie&gt; &amp; sell.") && !refused.text.contains("<lie>"))
      #expect(refused.text.contains(#"value="block" data-key="b" required checked"#))
      #expect(try await decisions.history(of: number).count == 1)

      let done = try await client.send(refused.text, to: "\(uri)/decision", typed)
      #expect(done.status == .seeOther)
      #expect(try await decisions.standing(of: number)?.treatment == .block)
      // Sent again because the response was lost: the same decision, stored once.
      #expect(try await client.send(refused.text, to: "\(uri)/decision", typed).status == .seeOther)
      #expect(try await decisions.history(of: number).count == 2)

      let next = try await client.page(try #require(done.headers[.location]))
      #expect(next.contains("Blocked: +33 1 99 00 02 48"))
      let undone = try await client.send(next, to: "\(uri)/undo", [])
      #expect(undone.status == .seeOther)
      #expect(try await decisions.standing(of: number)?.treatment == .allow)
    }
  }

  @Test(arguments: [("", nil), ("30", 30)] as [(String, Int?)])
  func `a decision stores the chosen expiry`(_ chosen: String, _ days: Int?) async throws {
    try await TestServer.run { server in
      let client = try await ModeratorClient.signIn(server, as: "Ada")
      let page = try await client.page(uri)
      let fields = [("decision", "block"), ("confirm", "1"), ("expires", chosen)]
      let refused = try await client.send(page, to: "\(uri)/decision", fields)
      #expect(refused.status == .unprocessableContent)
      if days != nil { #expect(refused.text.contains("<option value=\"\(chosen)\" selected>")) }
      let done = try await client.send(refused.text, to: "\(uri)/decision", fields + [("reason", "Calls.")])
      #expect(done.status == .seeOther)
      let stored = try #require(try await decisions.history(of: number).first)
      #expect(Decision.lifetime(from: stored.time, to: stored.expiresAt) == days)
      #expect(try await client.page(uri).contains("expires on ") == (days != nil))
      guard let expiry = stored.expiresAt else { return }
      #expect(try await decisionService.expire(at: expiry) == 1)
      let after = try await client.page(uri)
      #expect(after.contains("Expired on ") && after.contains(" · expired") && !after.contains("decision undone"))
      #expect(!after.contains("\(uri)/undo"))
    }
  }

  @Test func `only the decision in force can be undone on the page`() async throws {
    try await TestServer.run { server in
      let client = try await ModeratorClient.signIn(server, as: "Ada")
      for decision in ["block", "allow"] {
        let fields = [("decision", decision), ("reason", "Calls."), ("confirm", "1")]
        let done = try await client.send(try await client.page(uri), to: "\(uri)/decision", fields)
        let after = try await client.page(try #require(done.headers[.location]))
        #expect(after.components(separatedBy: "\(uri)/undo").count == 2, "\(decision)")
        #expect(try await client.page(uri).components(separatedBy: "\(uri)/undo").count == 2, "\(decision)")
      }
      let first = try await client.send(try await client.page(uri), to: "\(uri)/undo", [])
      #expect(first.status == .seeOther)
      #expect(try await decisions.standing(of: number)?.treatment == .block)
      _ = try await client.send(try await client.page(uri), to: "\(uri)/undo", [])
      #expect(try await decisions.standing(of: number) == nil)
    }
  }

  @Test func `a missing field is named and nothing is stored`() async throws {
    try await TestServer.run { server in
      let client = try await ModeratorClient.signIn(server, as: "Ada")
      let page = try await client.page(uri)
      for (fields, said) in [
        ([("decision", "block")], "Enter a reason"), ([("decision", "identify"), ("reason", "x")], "Enter a label"),
        ([], "Choose a decision"),
        ([("decision", "allow"), ("note", String(repeating: "a", count: 2_001))], "Enter a note"),
      ] {
        let answer = try await client.send(page, to: "\(uri)/decision", fields)
        #expect(answer.status == .unprocessableContent && answer.text.contains(said), "\(said)")
      }
      #expect(try await decisions.history(of: number).isEmpty)
    }
  }

  @Test func `the triage role may escalate a case but not block or decide in bulk`() async throws {
    try await TestServer.run { server in
      try await enqueue([number])
      let triage = try await ModeratorClient.signIn(server, as: "Tim", role: .triage)
      let page = try await triage.page(uri)
      #expect(!page.contains(#"value="block""#) && page.contains(#"value="escalate""#))
      let refused = try await triage.send(page, to: "\(uri)/decision", [("decision", "block"), ("reason", "x")])
      #expect(refused.status == .forbidden)
      let bulk = try await triage.send(page, to: "\(uri)/decision", [("number", "1")], at: "/moderation/bulk/preview")
      #expect(bulk.status == .forbidden)
      #expect(try await triage.send(page, to: "\(uri)/decision", [("decision", "escalate")]).status == .seeOther)
      #expect(try await queue.find(number)?.level == 1)
      // The case has been escalated to moderators.
      #expect(try await triage.send(page, to: "\(uri)/decision", [("decision", "allow")]).status == .forbidden)
      let ada = try await ModeratorClient.signIn(server, as: "Ada")
      let allowed = try await ada.send(try await ada.page(uri), to: "\(uri)/decision", [("decision", "allow")])
      #expect(allowed.status == .seeOther)
      // Triage may undo only its own decisions.
      let history = try await triage.page(uri)
      #expect(!history.contains("\(uri)/undo"))
    }
  }

  @Test func `two moderators never have the same case open`() async throws {
    try await TestServer.run { server in
      try await enqueue([number, number + 1])
      let (ada, bob) = (
        try await ModeratorClient.signIn(server, as: "Ada"), try await ModeratorClient.signIn(server, as: "Bob")
      )
      let open = try await ada.page(uri)
      let looked = try await bob.page(uri)
      #expect(looked.contains("Claimed by Ada until") && !looked.contains("\(uri)/decision"))
      let refused = try await bob.send(open, to: "\(uri)/decision", [("decision", "allow")])
      #expect(refused.status == .forbidden, "Ada's form is not Bob's.")

      let list = try await bob.page("/moderation/queue")
      let next = try await bob.send(list, to: "/moderation/queue/next", [])
      #expect(next.headers[.location] == "/moderation/numbers/\(number + 1)?queue=1")
      let token = try #require(list.firstMatch(of: /name="csrf" value="([0-9a-f]{64})"/)?.1)
      let forced = try await bob.post("\(uri)/decision", [("decision", "allow")], token: String(token))
      #expect(forced.status == .conflict && forced.text.contains("Another moderator has claimed the case."))
      #expect(try await bob.post("\(uri)/take-over", [], token: String(token)).status == .forbidden)

      let chief = try await ModeratorClient.signIn(server, as: "Chief", role: .administrator)
      let taken = try await chief.send(try await chief.page(uri), to: "\(uri)/take-over", [])
      #expect(taken.status == .seeOther)
      #expect(try await queue.find(number)?.claim?.account == "Chief")
      let ping = try await ada.send(open, to: "\(uri)/decision", [], at: "/moderation/queue/ping")
      #expect(ping.status == .conflict)
    }
  }

  @Test func `the next case follows and the count decreases`() async throws {
    try await TestServer.run { server in
      try await enqueue([number, number + 1, 493_012_345_678])
      let client = try await ModeratorClient.signIn(server, as: "Ada")
      let left = try await client.get("/moderation/queue/left?country=FR")
      #expect(left.text == #"{"left":2,"text":"2 of 3 cases left","waiting":"3"}"#)
      let same = try await client.get(
        "/moderation/queue/left?country=FR", headers: [.ifNoneMatch: try #require(left.headers[.eTag])])
      #expect(same.status == .notModified && same.body.readableBytes == 0)
      let list = try await client.page("/moderation/queue?country=FR")
      #expect(list.contains("+33 1 99 00 02 48") && !list.contains("+49 30 12345678"))
      var page = try await client.send(list, to: "/moderation/queue/next", [])
      for count in [1, 0] {
        let address = try #require(page.headers[.location])
        let digits = try #require(address.firstMatch(of: /numbers\/([0-9]+)/)?.1)
        page = try await client.send(
          try await client.page(address), to: "/moderation/numbers/\(digits)/decision", [("decision", "allow")])
        #expect(try await client.get("/moderation/queue/left?country=FR").text.contains("\"left\":\(count)"))
      }
      #expect(page.headers[.location]?.hasPrefix("/moderation/queue?country=FR&did=decision.") == true)
      #expect(try await client.page("/moderation/queue?country=FR").contains("No case matches this filter."))
      #expect(try await client.get("/moderation/queue?days=x&cause=x&after=x").status == .ok)
      let unknown = try await client.get("/moderation/queue?country=XX")
      #expect(unknown.status == .badRequest && unknown.text.contains("“XX” is not a country"))
    }
  }

  @Test func `malformed requests cause no server error`() async throws {
    try await TestServer.run { server in
      let client = try await ModeratorClient.signIn(server, as: "Ada", role: .administrator)
      let page = try await client.page(uri)
      let token = String(try #require(page.firstMatch(of: /name="csrf" value="([0-9a-f]{64})"/)?.1))
      let numbers = ["9223372036854775807", "0", "-5", "1000000000000000"].map { ("number", $0) }
      let none = try await client.post("/moderation/bulk/preview", numbers, token: token)
      #expect(none.status == .ok && none.text.contains("No numbers are selected."))
      let id = UUID().uuidString
      for time in [Int64.min, .max] {
        for address in [
          "\(uri)?comments=\(time).\(id)", "/moderation/audit?after=\(time)_\(id)",
          "/moderation/appeals?after=\(time)_1_\(id)",
        ] {
          let status = try await client.get(address).status.code
          #expect(status < 500, "\(address)")
        }
      }
    }
  }

  @Test func `a bulk decision matches its preview or changes nothing`() async throws {
    try await TestServer.run { server in
      let numbers = (0..<30).map { number + Int64($0) }
      try await enqueue(numbers)
      let client = try await ModeratorClient.signIn(server, as: "Ada")
      let list = try await client.page("/moderation/queue")
      let first = try await client.send(list, to: "/moderation/bulk/preview", [("all", "1")])
      #expect(first.text.contains("30 numbers selected.") && !first.text.contains("fingerprint"))
      let fields = [("decision", "block"), ("confirm", "1"), ("reason", "One campaign.")]
      let preview = try await client.send(first.text, to: "/moderation/bulk", fields, at: "/moderation/bulk/preview")
      #expect(preview.text.contains("30 numbers get this decision.") && preview.text.contains("fingerprint"))
      #expect(preview.text.contains(">Block 30 numbers</button>"))
      let one = fields + [("number", "\(numbers[0])")]
      let token = String(try #require(preview.text.firstMatch(of: /name="csrf" value="([^"]+)"/)?.1))
      #expect(
        try await client.post("/moderation/bulk/preview", one, token: token).text.contains(">Block 1 number</button>"))
      // Another decision than the previewed one, or for a number that has changed since.
      let other = [("decision", "allow"), ("reason", "One campaign.")]
      #expect(try await client.send(preview.text, to: "/moderation/bulk", other).status == .conflict)
      let decision = try Decision(number: numbers[3], treatment: .allow, decidedBy: "Bob", decidedAt: Date())
      _ = try await decisionService.record(decision)
      let stale = try await client.send(preview.text, to: "/moderation/bulk", fields)
      #expect(stale.status == .conflict && stale.text.contains("have changed since the preview."))
      #expect(try await decisions.standing(of: numbers[0]) == nil)
      // A colleague's decision is named, and stays unless its replacement is chosen.
      #expect(stale.text.contains("1 number has a decision and is left out.") && stale.text.contains("allowed, Bob,"))
      #expect(stale.text.contains(">Block 29 numbers</button>"))
      let ticked = fields + [("replace", "1")]
      let changed = try await client.send(stale.text, to: "/moderation/bulk", ticked)
      #expect(changed.status == .conflict && changed.text.contains(">Block 30 numbers</button>"))
      #expect(changed.text.contains("1 number has a decision, which is replaced."))
      #expect(try await decisions.standing(of: numbers[0]) == nil)

      let done = try await client.send(changed.text, to: "/moderation/bulk", ticked)
      let address = try #require(done.headers[.location])
      let result = try await client.page(address)
      #expect(result.contains("30 numbers are blocked."))
      #expect(try await client.page("/moderation/queue").contains("The queue is empty."))
      let undone = try await client.send(result, to: "\(address)/undo", [])
      #expect(undone.headers[.location] == address)
      let line = try #require(try await client.page(address).firstMatch(of: /<h1>(.*?)<\/h1>\s*<p [^>]*>([^<]*)/))
      #expect(line.1 == "Undone" && line.2.contains("Ada has undone this bulk decision (blocked, 30 numbers)."))
      #expect(try await decisions.standing(of: numbers[3])?.treatment == .allow)
      #expect(try await decisions.standing(of: numbers[4]) == nil)
    }
  }

  /// The browser's history has an address for the preview: going back needs no second POST.
  @Test func `the preview of a bulk decision keeps its selection and input in its address`() async throws {
    try await TestServer.run { server in
      let numbers = (0..<250).map { number + Int64($0) }
      try await enqueue(numbers)
      let ada = try await Visitor(server, role: .moderator)
      let preview = "/moderation/bulk/preview"
      let all = numbers.map { ("number", "\($0)") }
      let asked = try await ada.post(preview, all.prefix(2) + [("reason", "Calls & fees")])
      let selection = "number=\(numbers[0])&number=\(numbers[1])"
      #expect(asked.status == .seeOther && asked.location == "\(preview)?\(selection)&reason=Calls%20%26%20fees")
      for _ in 0..<2 {
        let page = try await ada.get(asked.location)
        #expect(page.status == .ok && page.text.contains("2 numbers selected."))
        #expect(page.text.contains(#"value="Calls &amp; fees""#))
      }
      let filter = try await ada.post(preview, [("all", "1"), ("filter_days", "1")])
      #expect(filter.location == "\(preview)?all=1&filter_days=1")
      #expect(try await ada.get("\(preview)?number=%zz").status.code < 500)
      // Too many numbers for an address: proxies limit the headers of an answer to 4 KB.
      let long = try await ada.post(preview, Array(all.prefix(160)))
      #expect(long.status == .ok && long.text.contains("160 numbers selected."))
      #expect(try await ada.post(preview, all).text.contains("250 numbers selected."))
      #expect(try await Visitor(server, role: .triage).get(asked.location).status == .forbidden)
    }
  }

  @Test func `the page of a long bulk shows its progress`() async throws {
    try await TestServer.run { server in
      let numbers = (0..<120).map { number + Int64($0) }
      try await enqueue(numbers)
      let client = try await ModeratorClient.signIn(server, as: "Ada")
      let list = try await client.page("/moderation/queue")
      let first = try await client.send(list, to: "/moderation/bulk/preview", [("all", "1")])
      let fields = [("decision", "block"), ("confirm", "1"), ("reason", "One campaign.")]
      let preview = try await client.send(first.text, to: "/moderation/bulk", fields, at: "/moderation/bulk/preview")
      // Another transaction holds a number of the second batch.
      let pool = TestDatabase.current.pool
      let address = try await pool.transaction { connection in
        _ = try await connection.run(SQL.lockAppeals(number: numbers[60]))
        let done = try await client.send(preview.text, to: "/moderation/bulk", fields)
        let address = try #require(done.headers[.location])
        let page = try await client.page(address)
        #expect(page.contains("<h1>Saving</h1>") && page.contains("50 of 120 numbers are decided."))
        #expect(page.contains("<progress value=\"50\" max=\"120\"") && page.contains("data-again"))
        #expect(!page.contains("/undo"))
        return address
      }
      let result = try await page(address, of: client, with: "120 numbers are blocked.")
      try await pool.transaction { connection in
        _ = try await connection.run(SQL.lockAppeals(number: numbers[60]))
        _ = try await client.send(result, to: "\(address)/undo", [])
        let page = try await client.page(address)
        #expect(page.contains("<h1>Undoing</h1>") && page.contains("50 of 120 decisions are undone."))
      }
      _ = try await page(address, of: client, with: "<h1>Undone</h1>")
    }
  }

  /// The page once it has a text.
  private func page(_ address: String, of client: ModeratorClient, with text: String) async throws -> String {
    var page = ""
    for _ in 0..<600 {
      page = try await client.page(address)
      if page.contains(text) { return page }
      try await Task.sleep(for: .milliseconds(50))
    }
    Issue.record("\(text) is missing in \(page)")
    return page
  }

  @Test func `an interrupted bulk decision is finished with one button`() async throws {
    let numbers = (0..<120).map { number + Int64($0) }
    let bulks = BulkStore(pool: TestDatabase.current.pool)
    let bulkService = BulkService(pool: TestDatabase.current.pool)
    let bulk = Bulk(
      treatment: .block, reason: "One campaign.", worker: Actor(name: "Ada", role: .moderator),
      decidedAt: Date())
    _ = try await bulkService.apply(bulk, to: try await bulks.items(numbers))
    // Simulates a server that was killed before the last batch.
    try await TestDatabase.current.pool.withConnection { connection in
      for number in numbers.suffix(20) {
        _ = try await connection.query("DELETE FROM bulk_decisions WHERE number = \(number)")
        _ = try await connection.query("DELETE FROM decisions WHERE number = \(number)")
        _ = try await connection.query("DELETE FROM number_decisions WHERE number = \(number)")
      }
      _ = try await connection.query("UPDATE bulks SET finished_at = NULL, heartbeat_at = \(Date() - 600)")
    }
    try await TestServer.run { server in
      let (ada, bob) = (
        try await ModeratorClient.signIn(server, as: "Ada"), try await ModeratorClient.signIn(server, as: "Bob")
      )
      let finish = "/moderation/bulk/\(bulk.id.uuidString.lowercased())/finish"
      let page = try await ada.page("/moderation/queue")
      #expect(page.contains("was interrupted: 100 of 120 numbers are decided. 20 numbers are left."))
      #expect(try await ada.page("/moderation/audit").contains(finish))
      #expect(try await ada.page(String(finish.dropLast(7))).contains(">Finish</button>"))
      for uri in ["/moderation/queue", "/moderation/audit", String(finish.dropLast(7))] {
        #expect(try await !bob.page(uri).contains(">Finish</button>"), "\(uri)")
      }
      let list = try await bob.page("/moderation/audit")
      let token = String(try #require(list.firstMatch(of: /name="csrf" value="([0-9a-f]{64})"/)?.1))
      #expect(try await bob.post(finish, [], token: token).status == .forbidden)

      let done = try await ada.send(page, to: finish, [])
      let address = try #require(done.headers[.location])
      // The page answers after a second, whether or not the work has ended.
      let end = ContinuousClock.now + .seconds(60)
      while try await ada.page(address).contains("of 120 numbers are decided."), .now < end { await Task.yield() }
      #expect(try await ada.page(address).contains("120 numbers are blocked."))
      #expect(try await ada.send(page, to: finish, []).status == .seeOther)
      for number in numbers { #expect(try await decisions.history(of: number).count == 1) }
      #expect(try await !ada.page("/moderation/queue").contains(">Finish</button>"))
      #expect(try await ada.page("/moderation/audit").contains("finished a bulk decision"))
    }
  }
}
