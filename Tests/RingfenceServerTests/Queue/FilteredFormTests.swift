// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import PostgreSQL
import Storage
import TestSupport
import Testing

/// Every form of the queue and of a case, from every filter: it stores the chosen values and leads to the same filter.
@Suite(.database) struct FilteredFormTests {
  private static let filters = [
    "", "country=FR", "category=fraud", "cause=held", "country=FR&category=fraud&cause=held",
    "sort=reports", "country=FR&sort=age",
  ]
  private let numbers = (0..<8).map { 33_162_000_200 + Int64($0) }

  private var pool: PostgresPool { TestDatabase.current.pool }
  private var decisions: DecisionStore { DecisionStore(pool: pool) }

  private func enqueue() async throws {
    _ = try await pool.run(EnqueueCases(numbers.map { ($0, .held) }, at: Date()))
    try await pool.withConnection { connection in
      _ = try await connection.execute(
        "UPDATE queue SET stale = false, category_id = \(ReportCategory.fraud.rawValue)")
    }
  }

  private func address(_ path: String, _ parts: String...) -> String {
    let query = parts.filter { !$0.isEmpty }.joined(separator: "&")
    return query.isEmpty ? path : "\(path)?\(query)"
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
          page, to: "\(path)/decision", [("decision", "block"), ("reason", "Calls."), ("category", category)])
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

  @Test(arguments: filters) func `a bulk decision stores the chosen category and keeps the filter`(_ filter: String)
    async throws
  {
    try await TestServer.run { server in
      try await enqueue()
      let client = try await ModeratorClient.signIn(server, as: "Ada")
      for category in ["robocall", ""] {
        let list = try await client.page(address("/moderation/queue", filter))
        let form = try await client.send(list, to: "/moderation/bulk/preview", [("number", "\(numbers[0])")])
        let fields = [("decision", "block"), ("reason", "Calls."), ("category", category)]
        let preview = try await client.send(form.text, to: "/moderation/bulk", fields, at: "/moderation/bulk/preview")
        let done = try await client.send(preview.text, to: "/moderation/bulk", fields)
        let location = try #require(done.headers[.location])
        #expect(location.hasSuffix(filter.isEmpty ? "" : "?\(filter)"))
        #expect(try await decisions.standing(of: numbers[0])?.category == ReportCategory(slug: category))
        let path = String(location.prefix { $0 != "?" })
        let undone = try await client.send(try await client.page(location), to: "\(path)/undo", [])
        #expect(undone.headers[.location] == location)
        #expect(try await decisions.standing(of: numbers[0]) == nil)
      }
    }
  }
}
