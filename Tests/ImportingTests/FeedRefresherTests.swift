// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import Intake
import PostgreSQL
import Storage
import TestSupport
import Testing

@testable import Importing

/// The reports of a list's entries follow what the list contains.
@Suite(.database) struct FeedRefresherTests {
  private let now = Date(timeIntervalSince1970: 1_795_000_000)
  private static let numbers: [Int64] = [12_015_550_123, 12_015_550_124, 33_162_000_248]

  private var stores: Stores { Stores(pool: TestDatabase.current.pool) }

  private func refresher(_ stores: Stores) -> FeedRefresher {
    FeedRefresher(
      stores: stores, pseudonymizer: Pseudonymizer(key: [UInt8](repeating: 1, count: 32)), subjects: SubjectTable(),
      folder: NSTemporaryDirectory())
  }

  private func add(_ name: String = "list", to stores: Stores) async throws -> SourceFeed {
    let list = try await stores.apps.source(named: name, at: now)
    let settings = SourceFeed.Settings(name: name, url: "http://127.0.0.1/list", format: .csv, every: 3_600)
    let event = Actor.commandLine("Test").did("source.add", to: name)
    #expect(try await stores.feeds.add(settings, as: list, at: now, audit: event))
    return try #require(try await stores.feeds.feed(named: name))
  }

  private func content(_ entries: [(Int64, ReportCategory)]) -> FeedContent {
    var content = FeedContent()
    content.entries = entries.map { .init(number: $0.0, category: $0.1) }
    return content
  }

  private func heat(_ number: Int64, _ stores: Stores, at time: Date) async throws -> Double {
    Decay.heat.value(ofStoredSum: try await stores.numbers.standing(of: number).heat, at: time)
  }

  @Test func `a number has one report while the list contains it and none afterwards`() async throws {
    let stores = stores
    let (feed, refresher) = (try await add(to: stores), refresher(stores))
    let all = content(Self.numbers.map { ($0, .fraud) })
    let first = try await refresher.store(all, isComplete: true, of: feed, at: now)
    #expect((first.entries, first.added, first.replaced, first.removed) == (3, 3, 0, 0))
    let again = try await refresher.store(all, isComplete: true, of: feed, at: now + 3_600)
    #expect((again.entries, again.added, again.replaced, again.removed) == (3, 0, 0, 0))

    // After a week the report is replaced; it is as hot as the first one was.
    let later = now + 8 * 86_400
    let renewed = try await refresher.store(all, isComplete: true, of: feed, at: later)
    #expect((renewed.entries, renewed.added, renewed.replaced, renewed.removed) == (3, 0, 3, 0))
    #expect(try await heat(Self.numbers[0], stores, at: later) > 0.9)
    #expect(try await heat(Self.numbers[0], stores, at: later) < 1.1)
    #expect(try await stores.numbers.standing(of: Self.numbers[0]).reports == 1)

    let fewer = try await refresher.store(
      content([(Self.numbers[2], .fraud)]), isComplete: true, of: feed, at: later + 3_600)
    #expect((fewer.entries, fewer.removed) == (1, 2))
    #expect(try await stores.numbers.standing(of: Self.numbers[0]).reports == 0)
    #expect(try await heat(Self.numbers[0], stores, at: later) == 0)
    #expect(try await stores.feeds.entries(of: feed.id, after: 0).map(\.number) == [Self.numbers[2]])
    #expect(try await differences(stores) == 0)
  }

  @Test func `a changed category replaces the report`() async throws {
    let stores = stores
    let (feed, refresher) = (try await add(to: stores), refresher(stores))
    _ = try await refresher.store(content([(Self.numbers[0], .fraud)]), isComplete: true, of: feed, at: now)
    let change = try await refresher.store(content([(Self.numbers[0], .survey)]), isComplete: true, of: feed, at: now)
    #expect((change.entries, change.added, change.replaced) == (1, 0, 1))
    #expect(try await stores.numbers.standing(of: Self.numbers[0]).leading == .survey)
    #expect(try await differences(stores) == 0)
  }

  @Test func `changes leave other entries and renew them`() async throws {
    let stores = stores
    let (feed, refresher) = (try await add(to: stores), refresher(stores))
    _ = try await refresher.store(
      content(Self.numbers.map { ($0, .fraud) }), isComplete: true, of: feed, at: now)
    var changes = FeedContent()
    changes.removals = [Self.numbers[1]]
    let change = try await refresher.store(changes, isComplete: false, of: feed, at: now + 86_400)
    #expect((change.entries, change.removed, change.replaced) == (2, 1, 0))
    let unchanged = try await refresher.store(FeedContent(), isComplete: false, of: feed, at: now + 9 * 86_400)
    #expect((unchanged.entries, unchanged.replaced) == (2, 2))
  }

  @Test func `a number that comes back on the same day counts again on the next one`() async throws {
    let stores = stores
    let (feed, refresher) = (try await add(to: stores), refresher(stores))
    let (both, one) = (
      content([(Self.numbers[0], .fraud), (Self.numbers[1], .fraud)]), content([(Self.numbers[1], .fraud)])
    )
    for content in [both, one, both] {
      _ = try await refresher.store(content, isComplete: true, of: feed, at: now)
    }
    #expect(try await stores.feeds.entries(of: feed.id, after: 0).map(\.number) == [Self.numbers[1]])
    _ = try await refresher.store(both, isComplete: true, of: feed, at: now + 86_400)
    #expect(try await stores.numbers.standing(of: Self.numbers[0]).reports == 1)
  }

  @Test func `an interrupted refresh can be repeated`() async throws {
    let stores = stores
    let (feed, refresher) = (try await add(to: stores), refresher(stores))
    // The report was stored, and the process was killed before its entry was.
    let day = Date(timeIntervalSince1970: (now.timeIntervalSince1970 / 86_400).rounded(.down) * 86_400)
    let entry = SourceEntry(number: Self.numbers[0], category: .fraud, reportedAt: day)
    _ = try await stores.reports.accept(
      [
        Report(
          number: entry.number, appID: feed.id, reportID: entry.reportID(of: feed.id), reportedAt: day,
          category: .fraud, reporter: nil)
      ], receivedAt: now)
    let summary = try await refresher.store(content([(Self.numbers[0], .fraud)]), isComplete: true, of: feed, at: now)
    #expect(summary.entries == 1)
    #expect(try await stores.numbers.standing(of: Self.numbers[0]).reports == 1)
  }

  @Test func `a removed source leaves no reports`() async throws {
    let stores = stores
    let (feed, refresher) = (try await add(to: stores), refresher(stores))
    _ = try await refresher.store(content(Self.numbers.map { ($0, .fraud) }), isComplete: true, of: feed, at: now)
    let event = Actor.commandLine("Test").did("source.remove", to: "list")
    #expect(try await refresher.remove("list", at: now, audit: event))
    #expect(try await stores.feeds.list() == [])
    #expect(try await stores.numbers.standing(of: Self.numbers[2]).reports == 0)
    #expect(try await !refresher.remove("list", at: now, audit: event))
  }

  @Test func `ceilings are part of the thresholds in force`() async throws {
    let stores = stores
    let feed = try await add(to: stores)
    #expect(try await stores.thresholds.current().ceiling(ofSource: feed.id) == .review)
    let event = Actor.commandLine("Test").did("source.ceiling", to: "list")
    #expect(try await stores.feeds.change("list", to: .nothing, at: now, audit: event))
    #expect(try await stores.thresholds.current().ceiling(ofSource: feed.id) == .nothing)
  }

  @Test func `failures back off and a success ends them`() async throws {
    let stores = stores
    let feed = try await add(to: stores)
    #expect(try await stores.feeds.due(at: now, limit: 10).map(\.name) == ["list"])
    try await stores.feeds.fail(feed, because: .unexpectedStatus(500), at: now, next: now + 300)
    let failed = try #require(try await stores.feeds.feed(named: "list"))
    #expect((failed.failures, failed.failure) == (1, .unexpectedStatus(500)))
    #expect(try await stores.feeds.due(at: now, limit: 10) == [])
    #expect([1, 2, 3, 9, 50].map { FeedRefresher.pause(after: $0) } == [300, 600, 1_200, 76_800, 86_400])
    var state = SourceFeed.State()
    (state.etag, state.entries, state.refreshedAt) = ("\"1\"", 3, now)
    try await stores.feeds.succeed(failed, with: state, next: now + 3_600)
    let succeeded = try #require(try await stores.feeds.feed(named: "list"))
    #expect((succeeded.failures, succeeded.failure, succeeded.state) == (0, nil, state))
    #expect(try await stores.feeds.hasten("list", at: now + 60))
    #expect(try await stores.feeds.due(at: now + 60, limit: 10).count == 1)
  }

  private func differences(_ stores: Stores) async throws -> Int {
    try await stores.recount.recount(repairs: false).differences
  }
}
