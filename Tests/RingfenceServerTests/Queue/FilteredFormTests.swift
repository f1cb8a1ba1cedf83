// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import HTTPTypes
import Moderation
import PostgreSQL
import Storage
import TestSupport
import Testing

/// Every form of the queue and of a case, from every filter: it stores the chosen values and leads to the same filter.
@Suite(.database) struct FilteredFormTests {
  private static let filters = ["", "country=FR&category=fraud&cause=held", "country=FR&sort=age"]
  private let numbers = (0..<8).map { 33_199_000_200 + Int64($0) }

  private var decisions: DecisionStore { DecisionStore(pool: pool) }
  private var decisionService: DecisionService { DecisionService(pool: pool) }

  private func enqueue() async throws {
    _ = try await pool.run(SQL.enqueueCases(numbers.map { ($0, .held) }, at: Date()))
    try await pool.execute("UPDATE queue SET stale = false, category_id = \(ReportCategory.fraud.rawValue)")
  }

  private func address(_ path: String, _ parts: String...) -> String {
    let query = parts.filter { !$0.isEmpty }.joined(separator: "&")
    return query.isEmpty ? path : "\(path)?\(query)"
  }

  private func split(_ filter: String, _ number: Int64) -> String {
    address("/moderation/queue", filter, "case=\(number)")
  }

  private func opened(_ location: String?) throws -> Int64 {
    try #require(location?.firstMatch(of: /case=([0-9]+)/).flatMap { Int64($0.1) })
  }

  private func digits(_ location: String?) throws -> Int64 {
    try #require(location?.firstMatch(of: /numbers\/([0-9]+)/).flatMap { Int64($0.1) })
  }

  @Test(arguments: filters) func `a decision stores the chosen category and keeps the filter`(_ filter: String)
    async throws
  {
    try await TestServer.run { server in
      try await enqueue()
      let client = try await ModeratorClient.signIn(server, as: "Ada")
      let list = try await client.page(address("/moderation/queue", filter))
      var answer = try await client.send(list, to: "/moderation/queue/next", [])
      for category in ["robocall", "", "fraud"] {
        let number = try digits(answer.headers[.location])
        let path = "/moderation/numbers/\(number)"
        #expect(answer.headers[.location]?.hasPrefix(address(path, filter, "queue=1")) == true, "\(category)")
        let page = try await client.page(address(path, filter, "queue=1"))
        answer = try await client.send(
          page, to: "\(path)/decision",
          [("decision", "block"), ("confirm", "1"), ("reason", "Calls."), ("category", category)])
        let standing = try await decisions.standing(of: number)
        #expect(standing?.treatment == .block && standing?.category == ReportCategory(slug: category), "\(category)")
        #expect(try digits(answer.headers[.location]) != number, "\(category)")
      }
    }
  }

  @Test(arguments: filters) func `skip, escalate, undo and notes keep the filter`(_ filter: String) async throws {
    try await TestServer.run { server in
      try await enqueue()
      let client = try await ModeratorClient.signIn(server, as: "Ada")
      let list = try await client.page(address("/moderation/queue", filter))
      var location = try await client.send(list, to: "/moderation/queue/next", []).headers[.location]
      for choice in ["unsure", "escalate", "allow"] {
        let number = try digits(location)
        let path = "/moderation/numbers/\(number)"
        let page = try await client.page(address(path, filter, "queue=1"))
        // The category of the form has no effect on these.
        let answer = try await client.send(
          page, to: "\(path)/decision", [("decision", choice), ("category", "robocall")])
        location = answer.headers[.location]
        let next = "/moderation/numbers/\(try digits(location))"
        #expect(location?.hasPrefix(address(next, filter, "queue=1")) == true, "\(choice)")
        guard choice == "allow" else { continue }
        let undone = try await client.send(try await client.page(try #require(location)), to: "\(path)/undo", [])
        #expect(undone.headers[.location]?.hasPrefix(address(path, filter, "queue=1")) == true)
        #expect(try await decisions.standing(of: number) == nil)
      }
      let path = "/moderation/numbers/\(try digits(location))"
      let page = try await client.page(address(path, filter, "queue=1"))
      let noted = try await client.send(page, to: "\(path)/notes", [("note", "Ask again.")])
      #expect(noted.headers[.location] == address(path, filter, "queue=1") + "#notes")
      let skipped = try await client.send(page, to: "/moderation/queue/next", [])
      #expect(filter.isEmpty || skipped.headers[.location]?.contains(filter) == true)
      let left = try await client.send(page, to: "/moderation/queue/release", [])
      #expect(left.headers[.location] == address("/moderation/queue", filter))
    }
  }

  @Test(arguments: filters) func `a decision beside the list stores the chosen category and keeps the filter`(
    _ filter: String
  ) async throws {
    try await TestServer.run { server in
      try await enqueue()
      let client = try await ModeratorClient.signIn(server, as: "Ada")
      var open = numbers[3]
      for category in ["robocall", "", "fraud"] {
        let page = try await client.page(split(filter, open))
        #expect(page.contains(#"href="\#(split(filter, open).replacing("&", with: "&amp;"))" aria-current="true""#))
        let answer = try await client.send(
          page, to: "/moderation/numbers/\(open)/decision",
          [("decision", "block"), ("confirm", "1"), ("reason", "Calls."), ("category", category)])
        let standing = try await decisions.standing(of: open)
        #expect(standing?.treatment == .block && standing?.category == ReportCategory(slug: category), "\(category)")
        let next = try opened(answer.headers[.location])
        #expect(next != open && answer.headers[.location]?.hasPrefix(split(filter, next)) == true, "\(category)")
        // Undone from the notice beside the next case.
        let after = try await client.page(try #require(answer.headers[.location]))
        #expect(try await QueueStore(pool: pool).find(next)?.claim?.account == "Ada")
        let undone = try await client.send(after, to: "/moderation/numbers/\(open)/undo", [])
        #expect(undone.headers[.location]?.hasPrefix(split(filter, open)) == true)
        #expect(try await decisions.standing(of: open) == nil)
        open = next
      }
    }
  }

  @Test(arguments: filters) func `skip, escalate, stay, next and leave keep the list beside the case`(_ filter: String)
    async throws
  {
    try await TestServer.run { server in
      try await enqueue()
      let client = try await ModeratorClient.signIn(server, as: "Ada")
      var open = numbers[0]
      for choice in ["unsure", "escalate", "allow"] {
        let answer = try await client.send(
          try await client.page(split(filter, open)), to: "/moderation/numbers/\(open)/decision",
          [("decision", choice), ("category", "robocall")])
        let next = try opened(answer.headers[.location])
        #expect(next != open && answer.headers[.location]?.hasPrefix(split(filter, next)) == true, "\(choice)")
        open = next
      }
      #expect(try await decisions.standing(of: numbers[0]) == nil)
      let page = try await client.page(split(filter, open))
      let skipped = try await client.send(page, to: "/moderation/queue/next", [])
      let next = try opened(skipped.headers[.location])
      #expect(
        next != open
          && skipped.headers[.location]
            == address(
              "/moderation/queue", filter, "skipped=\(open)", "case=\(next)")
      )
      #expect(try await QueueStore(pool: pool).find(open)?.claim == nil)
      let left = try await client.send(
        try await client.page(try #require(skipped.headers[.location])), to: "/moderation/queue/release", [])
      #expect(left.headers[.location] == address("/moderation/queue", filter))
      #expect(try await QueueStore(pool: pool).find(next)?.claim == nil)
      let stayed = try await client.send(
        try await client.page(split(filter, next)), to: "/moderation/numbers/\(next)/decision",
        [("decision", "allow"), ("stay", "1")])
      #expect(stayed.headers[.location]?.hasPrefix(split(filter, next)) == true)
      #expect(try await decisions.standing(of: next)?.treatment == .allow)
      // One button to undo it: the button of the notice.
      let after = try await client.page(try #require(stayed.headers[.location]))
      #expect(after.matches(of: /action="\/moderation\/numbers\/[0-9]+\/undo"/).count == 1)
    }
  }

  @Test func `refusals beside the list are those of the page of the case`() async throws {
    try await TestServer.run { server in
      try await enqueue()
      let ada = try await ModeratorClient.signIn(server, as: "Ada")
      let bob = try await ModeratorClient.signIn(server, as: "Bob")
      let (filter, number) = ("country=FR&category=fraud&sort=age", numbers[1])
      let path = "/moderation/numbers/\(number)"
      let page = try await ada.page(split(filter, number))
      let other = try await bob.page(split(filter, number))
      #expect(other.contains("Claimed by Ada until") && !other.contains("\(path)/decision"))
      let token = String(try #require(other.firstMatch(of: /name="csrf" value="([0-9a-f]{64})"/)?.1))
      let forced = try await bob.post("\(path)/decision", [("decision", "allow"), ("split", "1")], token: token)
      #expect(forced.status == .conflict && forced.text.contains("Another moderator has claimed the case."))
      #expect(forced.text.contains("id=\"bulk\""))

      let missing = try await ada.send(
        page, to: "\(path)/decision", [("decision", "block"), ("confirm", "1"), ("note", "Kept.")])
      #expect(missing.status == .unprocessableContent && missing.text.contains("Enter a reason"))
      #expect(missing.text.contains("id=\"bulk\"") && missing.text.contains("Kept."))
      let decided = try Decision(
        number: number, treatment: .allow, reason: "Mine.", decidedBy: "Bob", decidedAt: Date())
      _ = try await decisionService.record(decided)
      let typed = [("decision", "block"), ("confirm", "1"), ("reason", "They lie.")]
      let stale = try await ada.send(missing.text, to: "\(path)/decision", typed)
      #expect(stale.status == .conflict && stale.text.contains("Another moderator has decided on this number"))
      #expect(stale.text.contains("id=\"bulk\"") && stale.text.contains("They lie."))
      #expect(try await decisions.history(of: number).count == 1)
      let done = try await ada.send(stale.text, to: "\(path)/decision", typed)
      let next = try opened(done.headers[.location])
      #expect(done.headers[.location]?.hasPrefix(split(filter, next)) == true)
      #expect(try await decisions.standing(of: number)?.treatment == .block)
      #expect(try await ada.get("/moderation/queue?case=0").status == .notFound)
    }
  }

  @Test func `a further page of the list stays beside the case until it is decided`() async throws {
    try await TestServer.run { server in
      let many = (0..<(QueueStore.pageSize + 2)).map { 33_199_000_300 + Int64($0) }
      _ = try await pool.run(SQL.enqueueCases(many.map { ($0, .held) }, at: Date()))
      let client = try await ModeratorClient.signIn(server, as: "Ada")
      let first = try await client.page(split("", many[0]))
      let link = try #require(first.firstMatch(of: /rel="next" href="([^"]+)"/)?.1)
      let next = String(link).replacing("&amp;", with: "&")
      #expect(next.hasPrefix("/moderation/queue?case=\(many[0])&after="))
      let second = try await client.page(next)
      let last = try #require(many.last)
      let cursor = String(
        try #require(second.firstMatch(of: /class="to-split" href="[^"]+after=([0-9.-]+)"/)?.1))
      let page = try await client.page("/moderation/queue?case=\(last)&after=\(cursor)")
      let refused = try await client.send(
        page, to: "/moderation/numbers/\(last)/decision", [("decision", "block"), ("confirm", "1")])
      #expect(
        refused.status == .unprocessableContent && refused.text.contains(#"after=\#(cursor)" aria-current="true""#))
      let left = try await client.send(page, to: "/moderation/queue/release", [])
      #expect(left.headers[.location] == "/moderation/queue?after=\(cursor)")
      let done = try await client.send(page, to: "/moderation/numbers/\(last)/decision", [("decision", "allow")])
      #expect(done.headers[.location]?.contains("after=") == false)
    }
  }

  @Test func `the last decision of the queue can be undone from the list`() async throws {
    try await TestServer.run { server in
      let number = numbers[0]
      _ = try await pool.run(SQL.enqueueCases([(number, .held)], at: Date()))
      let client = try await ModeratorClient.signIn(server, as: "Ada")
      let path = "/moderation/numbers/\(number)"
      let done = try await client.send(
        try await client.page(split("", number)), to: "\(path)/decision", [("decision", "allow")])
      let list = try await client.page(try #require(done.headers[.location]))
      #expect(list.contains("Allowed: +33 1 99 00 02 00") && list.contains("The queue is empty."))
      #expect(try await client.send(list, to: "\(path)/undo", []).status == .seeOther)
      #expect(try await decisions.standing(of: number) == nil)
    }
  }

  @Test func `a new round begins when all cases were skipped`() async throws {
    try await TestServer.run { server in
      let three = Array(numbers.prefix(3))
      _ = try await pool.run(SQL.enqueueCases(three.map { ($0, .held) }, at: Date()))
      let client = try await ModeratorClient.signIn(server, as: "Ada")
      var location = try await client.send(
        try await client.page("/moderation/queue"), to: "/moderation/queue/next", []
      ).headers[.location]
      var order: [Int64] = []
      for _ in 0..<7 {
        order.append(try digits(location))
        let page = try await client.page(try #require(location))
        location = try await client.send(page, to: "/moderation/queue/next", []).headers[.location]
      }
      // Every case is offered again, and "Next case" never leads to the case that it leaves.
      #expect(Set(order.prefix(3)) == Set(three) && Set(order.dropFirst(3)) == Set(three), "\(order)")
      #expect(zip(order, order.dropFirst()).allSatisfy { $0 != $1 }, "\(order)")
    }
  }

  /// A bulk goes on after its answer where it takes longer than a moment.
  private func wait(untilDecided isDecided: Bool) async throws {
    let end = ContinuousClock.now + .seconds(60)
    while try await (decisions.standing(of: numbers[0]) != nil) != isDecided, ContinuousClock.now < end {
      try await Task.sleep(for: .milliseconds(20))
    }
  }

  @Test(arguments: filters) func `a bulk decision stores the chosen category and keeps the filter`(_ filter: String)
    async throws
  {
    try await TestServer.run { server in
      try await enqueue()
      let client = try await ModeratorClient.signIn(server, as: "Ada")
      for category in ["robocall", ""] {
        let list = try await client.page(address("/moderation/queue", filter))
        let form = try await client.send(list, to: "/moderation/bulk/preview", [("number", "\(numbers[0])")])
        let fields = [("decision", "block"), ("confirm", "1"), ("reason", "Calls."), ("category", category)]
        let preview = try await client.send(form.text, to: "/moderation/bulk", fields, at: "/moderation/bulk/preview")
        let done = try await client.send(preview.text, to: "/moderation/bulk", fields)
        let location = try #require(done.headers[.location])
        #expect(location.hasSuffix(filter.isEmpty ? "" : "?\(filter)"))
        try await wait(untilDecided: true)
        #expect(try await decisions.standing(of: numbers[0])?.category == ReportCategory(slug: category))
        let path = String(location.prefix { $0 != "?" })
        let undone = try await client.send(try await client.page(location), to: "\(path)/undo", [])
        #expect(undone.headers[.location] == location)
        try await wait(untilDecided: false)
        #expect(try await decisions.standing(of: numbers[0]) == nil)
      }
    }
  }
}
