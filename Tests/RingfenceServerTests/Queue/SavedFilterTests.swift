// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import HTTPTypes
import PostgreSQL
import Storage
import TestSupport
import Testing

/// Filters of the queue that accounts save: what is stored, who sees it, and limits.
@Suite(.database) struct SavedFilterTests {
  private static let path = "/moderation/queue/filters"
  private var queue: QueueStore { QueueStore(pool: pool) }

  private func save(
    _ client: ModeratorClient, _ filter: String, _ fields: [(String, String)]
  ) async throws -> TestResponse {
    let list = try await client.page(filter.isEmpty ? "/moderation/queue" : "/moderation/queue?\(filter)")
    return try await client.send(list, to: Self.path, fields)
  }

  @Test(arguments: [
    ("", QueueFilter(), QueueOrder.urgency), ("country=FR", QueueFilter(country: "FR"), .urgency),
    ("country=-", QueueFilter(country: ""), .urgency), ("sort=heat", QueueFilter(), .heat),
    (
      "country=FR&category=fraud&cause=held&days=7&sort=reports",
      QueueFilter(country: "FR", category: .fraud, cause: .held, days: 7), .reports
    ),
  ]) func `stores the filter of the list`(_ query: String, _ filter: QueueFilter, _ order: QueueOrder) async throws {
    try await TestServer.run { server in
      let client = try await ModeratorClient.signIn(server, as: "Ada")
      let answer = try await save(client, query, [("name", " My filter ")])
      #expect(answer.status == .seeOther)
      let address = query.isEmpty ? "/moderation/queue" : "/moderation/queue?\(query)"
      #expect(answer.headers[.location] == address + (query.isEmpty ? "?" : "&") + "saved=1")
      let saved = try #require(try await queue.savedFilters(of: "Ada").first)
      #expect(saved.name == "My filter" && saved.account == "Ada" && !saved.isShared)
      #expect(saved.filter == filter && saved.order == order)
      // The link leads to the same filter, and is marked there.
      let page = try await client.page(address)
      let link = address.replacing("&", with: "&amp;")
      #expect(page.contains("href=\"\(link)\" aria-current=\"page\">My filter</a>"))
      // Deleting it from another filter keeps that filter.
      let other = try await client.page("/moderation/queue?cause=split")
      let deleted = try await client.send(other, to: "\(Self.path)/delete", [])
      #expect(deleted.headers[.location] == "/moderation/queue?cause=split")
      #expect(try await queue.savedFilters(of: "Ada").isEmpty)
    }
  }

  @Test func `the same name replaces the filter`() async throws {
    try await TestServer.run { server in
      let client = try await ModeratorClient.signIn(server, as: "Ada")
      _ = try await save(client, "country=FR", [("name", "Mine")])
      _ = try await save(client, "country=DE&sort=age", [("name", "Mine"), ("shared", "1")])
      let saved = try await queue.savedFilters(of: "Ada")
      #expect(saved.map(\.filter) == [QueueFilter(country: "DE")] && saved[0].order == .age && saved[0].isShared)
    }
  }

  @Test func `moderators share and only owners and administrators delete`() async throws {
    try await TestServer.run { server in
      let ada = try await ModeratorClient.signIn(server, as: "Ada")
      let bob = try await ModeratorClient.signIn(server, as: "Bob")
      let tim = try await ModeratorClient.signIn(server, as: "Tim", role: .triage)
      let eve = try await ModeratorClient.signIn(server, as: "Eve", role: .administrator)
      _ = try await save(ada, "country=FR", [("name", "France"), ("shared", "1")])
      _ = try await save(ada, "country=DE", [("name", "Private")])
      let triage = try await tim.page("/moderation/queue")
      #expect(triage.contains(">France <span class=\"small\">(Ada)</span>") && !triage.contains("Private"))
      #expect(!triage.contains("name=\"shared\"") && !triage.contains("Delete “"))
      // Triage saves filters, and shares none.
      #expect(try await save(tim, "", [("name", "Mine"), ("shared", "1")]).status == .forbidden)
      #expect(try await save(tim, "", [("name", "Mine")]).status == .seeOther)
      #expect(try await queue.savedFilters(of: "Tim").filter { $0.account == "Tim" }.map(\.isShared) == [false])

      let saved = try await queue.savedFilters(of: "Ada")
      func delete(_ client: ModeratorClient, _ name: String) async throws -> HTTPResponse.Status {
        let page = try await client.page("/moderation/queue")
        let token = try #require(page.firstMatch(of: /name="csrf" value="([^"]+)"/)).1
        let id = try #require(saved.first { $0.name == name }).id.uuidString
        return try await client.post("\(Self.path)/delete", [("id", id)], token: String(token)).status
      }
      for client in [bob, tim] {
        #expect(try await delete(client, "France") == .forbidden)
        #expect(try await delete(client, "Private") == .forbidden)
      }
      // An administrator deletes what is shared, for example by an account that is disabled.
      #expect(try await delete(eve, "Private") == .forbidden)
      #expect(try await queue.savedFilters(of: "Ada").count == 2)
      #expect(try await delete(eve, "France") == .seeOther)
      #expect(try await delete(ada, "Private") == .seeOther)
      // A second click deletes nothing and is no error.
      #expect(try await delete(ada, "Private") == .seeOther)
      #expect(try await queue.savedFilters(of: "Ada").isEmpty)
    }
  }

  @Test func `refuses wrong names and too many`() async throws {
    try await TestServer.run { server in
      let client = try await ModeratorClient.signIn(server, as: "Ada")
      for name in ["", "   ", "two\nlines", String(repeating: "a", count: 61)] {
        let answer = try await save(client, "country=FR", [("name", name)])
        #expect(answer.status == .unprocessableContent && answer.text.contains("at most 60 characters"))
        // The list is the list of the filter, and the name is kept.
        #expect(answer.text.contains("name=\"filter_country\" value=\"FR\""))
      }
      #expect(try await save(client, "", [("name", String(repeating: "é", count: 60))]).status == .seeOther)
      for index in 2...SavedFilter.most {
        #expect(try await save(client, "", [("name", "<b>\(index)")]).status == .seeOther)
      }
      let full = try await save(client, "", [("name", "One more")])
      #expect(full.status == .unprocessableContent && full.text.contains("An account can have 20 saved filters."))
      #expect(full.text.contains("value=\"One more\"") && full.text.contains(">&lt;b&gt;7</a>"))
      // An existing one can still be replaced, and another account has its own limit.
      #expect(try await save(client, "cause=held", [("name", "<b>2")]).status == .seeOther)
      #expect(try await queue.savedFilters(of: "Ada").count == SavedFilter.most)
      let bob = try await ModeratorClient.signIn(server, as: "Bob")
      #expect(try await save(bob, "", [("name", "One more")]).status == .seeOther)
    }
  }

  @Test func `refuses a form without the token of the session`() async throws {
    try await TestServer.run { server in
      let client = try await ModeratorClient.signIn(server, as: "Ada")
      for path in [Self.path, "\(Self.path)/delete"] {
        #expect(try await client.post(path, [("name", "Mine")], token: "wrong").status == .forbidden)
      }
      #expect(try await queue.savedFilters(of: "Ada").isEmpty)
    }
  }
}
