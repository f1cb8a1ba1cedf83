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

  @Test func `stores the filter of the list`() async throws {
    try await TestServer.run { server in
      let client = try await ModeratorClient.signIn(server, as: "Ada")
      for (query, filter, order) in [
        ("", QueueFilter(), .urgency), ("country=FR", QueueFilter(country: "FR"), .urgency),
        ("country=-", QueueFilter(country: ""), .urgency), ("sort=heat", QueueFilter(), .heat),
        (
          "country=FR&category=fraud&cause=held&days=7&sort=reports",
          QueueFilter(country: "FR", category: .fraud, cause: .held, days: 7), .reports
        ),
      ] as [(String, QueueFilter, QueueOrder)] {
        let answer = try await save(client, query, [("name", " My filter ")])
        #expect(answer.status == .seeOther)
        let address = query.isEmpty ? "/moderation/queue" : "/moderation/queue?\(query)"
        #expect(answer.headers[.location] == address + (query.isEmpty ? "?" : "&") + "saved=1")
        let saved = try #require(try await queue.savedFilters(of: "Ada").first)
        #expect(saved.name == "My filter" && saved.account == "Ada" && !saved.isShared)
        #expect(saved.filter == filter && saved.order == order)
        // The link leads to the same filter, and is marked there.
        let link = address.replacing("&", with: "&amp;")
        #expect(try await client.page(address).contains("href=\"\(link)\" aria-current=\"page\">My filter</a>"))
        // Deleting it from another filter keeps that filter.
        let other = try await client.page("/moderation/queue?cause=split")
        let deleted = try await client.send(other, to: "\(Self.path)/delete", [])
        #expect(deleted.headers[.location] == "/moderation/queue?cause=split")
        #expect(try await queue.savedFilters(of: "Ada").isEmpty)
      }
    }
  }

  @Test func `moderators share, and others delete nothing of theirs`() async throws {
    try await TestServer.run { server in
      let ada = try await ModeratorClient.signIn(server, as: "Ada")
      let tim = try await ModeratorClient.signIn(server, as: "Tim", role: .triage)
      _ = try await save(ada, "country=FR", [("name", "France"), ("shared", "1")])
      _ = try await save(ada, "country=DE", [("name", "Private")])
      let triage = try await tim.page("/moderation/queue")
      #expect(triage.contains(">France <span class=\"small\">(Ada)</span>") && !triage.contains("Private"))
      #expect(!triage.contains("name=\"shared\"") && !triage.contains("Delete “"))
      #expect(try await save(tim, "", [("name", "Mine"), ("shared", "1")]).status == .forbidden)
      let france = try #require(try await queue.savedFilters(of: "Ada").first { $0.isShared })
      // A second click deletes nothing and is no error.
      for (client, status) in [(tim, HTTPResponse.Status.forbidden), (ada, .seeOther), (ada, .seeOther)] {
        let token = try #require(
          try await client.page("/moderation/queue").firstMatch(of: /name="csrf" value="([^"]+)"/)
        ).1
        let answer = try await client.post("\(Self.path)/delete", [("id", france.id.uuidString)], token: String(token))
        #expect(answer.status == status)
      }
      #expect(try await queue.savedFilters(of: "Ada").map(\.name) == ["Private"])
    }
  }

  @Test func `refuses wrong names and too many`() async throws {
    try await TestServer.run { server in
      let client = try await ModeratorClient.signIn(server, as: "Ada")
      let refused = try await save(client, "country=FR", [("name", String(repeating: "a", count: 61))])
      #expect(refused.status == .unprocessableContent && refused.text.contains("at most 60 characters"))
      // The list is the list of the filter, and the name is kept.
      #expect(refused.text.contains("name=\"filter_country\" value=\"FR\""))
      for index in 1...SavedFilter.most {
        let filter = try SavedFilter(
          account: "Ada", name: "<b>\(index)", filter: QueueFilter(), order: .urgency, isShared: false)
        _ = try await pool.run(SQL.saveFilter(filter: filter, time: now))
      }
      let full = try await save(client, "", [("name", "One more")])
      #expect(full.status == .unprocessableContent && full.text.contains("An account can have 20 saved filters."))
      #expect(full.text.contains("value=\"One more\"") && full.text.contains(">&lt;b&gt;7</a>"))
    }
  }
}
