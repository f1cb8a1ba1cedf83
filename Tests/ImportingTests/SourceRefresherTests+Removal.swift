// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import Storage
import TestSupport
import Testing

@testable import Importing

/// Sources that are removed, and added again.
extension SourceRefresherTests {
  @Test func `a refresh of a removed source changes nothing of the one that was added again`() async throws {
    let (former, refresher) = (try await add(to: stores), refresher(stores))
    _ = try await refresher.store(content(Self.numbers.map { ($0, .fraud) }), isComplete: true, of: former, at: now)
    let actor = Actor.commandLine("Test")
    #expect(try await stores.sources.remove("list", by: actor, at: now))
    let subscriptions = SourceSubscriptions(stores: stores)
    await #expect(throws: SourceFailure.stillRemoving) {
      try await subscriptions.add(former.settings, by: actor, at: now + 1)
    }
    try await refresher.withdrawRemoved(at: now)
    #expect(try await subscriptions.add(former.settings, by: actor, at: now + 1))
    var state = Source.State()
    (state.etag, state.refreshedAt) = ("\"1\"", now)
    await #expect(throws: SourceFailure.self) { try await stores.sources.succeed(former, with: state, next: now) }
    try await stores.sources.fail(former, because: .silent, at: now, next: now + 3_600)
    let again = try #require(try await stores.sources.source(named: "list"))
    #expect((again.state.etag, again.failures, again.nextAt) == (nil, 0, now + 1))
  }

  @Test func `entries of a source that was removed on the page are withdrawn later`() async throws {
    let (feed, refresher) = (try await add(to: stores), refresher(stores))
    _ = try await refresher.store(content(Self.numbers.map { ($0, .fraud) }), isComplete: true, of: feed, at: now)
    let actor = Actor.commandLine("Test")
    #expect(try await stores.sources.remove("list", by: actor, at: now))
    #expect(try await !stores.sources.remove("list", by: actor, at: now))
    #expect(try await stores.sources.removed() == [feed.id])
    try await refresher.withdrawRemoved(at: now)
    #expect(try await stores.sources.removed() == [])
    #expect(try await stores.sources.entryCount(of: feed.id) == 0)
    #expect(try await stores.numbers.standing(of: Self.numbers[0]).reports == 0)
  }

  @Test func `a removed source keeps its ceiling and can be added again`() async throws {
    let (feed, refresher) = (try await add(to: stores), refresher(stores))
    var state = Source.State()
    (state.etag, state.entries, state.refreshedAt) = ("\"1\"", 3, now)
    try await stores.sources.succeed(feed, with: state, next: now)
    let actor = Actor.commandLine("Test")
    #expect(try await refresher.remove("list", by: actor, at: now))
    #expect(try await stores.thresholds.current().ceiling(ofSource: feed.id) == .review)
    #expect(try await stores.sources.due(at: now + 86_400, limit: 10) == [])
    #expect(try await stores.sources.source(named: "list") == nil)
    #expect(try await !stores.sources.hasten("list", by: .ringfence, at: now))
    #expect(try await !stores.sources.change("list", to: .block, by: actor, at: now))
    let again = try await add(to: stores)
    #expect((again.id, again.state, again.nextAt) == (feed.id, Source.State(), now))
    #expect(try await stores.sources.list().map(\.name) == ["list"])
  }

  @Test func `a removed source leaves no reports`() async throws {
    let (feed, refresher) = (try await add(to: stores), refresher(stores))
    _ = try await refresher.store(content(Self.numbers.map { ($0, .fraud) }), isComplete: true, of: feed, at: now)
    let actor = Actor.commandLine("Test")
    #expect(try await refresher.remove("list", by: actor, at: now))
    #expect(try await stores.sources.list() == [])
    #expect(try await stores.numbers.standing(of: Self.numbers[2]).reports == 0)
    #expect(try await !refresher.remove("list", by: actor, at: now))
  }
}
