// SPDX-License-Identifier: Apache-2.0

import CallerPack
import Curation
import Foundation
import Intake
import Moderation
import PostgreSQL
import Publishing
import Storage
import Synchronization
import TestSupport
import Testing

@testable import Importing

/// A preview has the figures of a publication with the source.
@Suite(.database) struct SourcePreviewerTests {
  private static let numbers = (0..<6).map { Int64(33_199_000_000 + $0) }

  static func previewer(_ stores: Stores) -> SourcePreviewer {
    SourcePreviewer(stores: stores, subjects: SubjectTable(), folder: NSTemporaryDirectory())
  }

  private func settings(_ ceiling: SourceCeiling) -> Source.Settings {
    Source.Settings(name: "list", url: "https://a.example/list", format: .csv, every: 3_600, ceiling: ceiling)
  }

  private func entries(_ numbers: some Sequence<Int64>) -> [SourceEntry] {
    numbers.map { SourceEntry(number: $0, category: .fraud, reportedAt: now) }
  }

  private func preview(
    _ numbers: some Sequence<Int64>, _ ceiling: SourceCeiling, weight: Double? = 5
  ) async throws -> SourcePreview {
    try await Self.previewer(Stores(pool: TestDatabase.current.pool)).evaluate(
      entries(numbers), of: settings(ceiling), SourceRuleChange(weight: weight), at: now, SourcePreview())
  }

  @Test func `the ceiling of a new source decides what its numbers become`() async throws {
    let stores = Stores(pool: TestDatabase.current.pool)
    try await stores.protection.add([(.number(Self.numbers[0]), "A bank")], by: "Ada", at: now)
    let decision = try Decision(
      number: Self.numbers[1], treatment: .block, label: nil, category: .fraud, reason: "Fraud", decidedBy: "Ada",
      decidedAt: now)
    _ = try await DecisionService(pool: TestDatabase.current.pool).record(decision, role: .administrator)
    for (ceiling, block, identify, review) in [
      (SourceCeiling.block, 4, 0, 0), (.identify, 0, 4, 0), (.review, 0, 0, 4), (.nothing, 0, 0, 0),
    ] {
      let preview = try await preview(Self.numbers, ceiling)
      #expect((preview.block, preview.identify, preview.review) == (block, identify, review), "\(ceiling)")
      #expect((preview.protected, preview.decided, preview.listed, preview.lost) == (1, 1, 0, 0))
    }
    // One complaint is not enough to be listed.
    #expect(try await preview(Self.numbers, .block, weight: 1).block == 0)
    #expect(try await stores.sources.list() == [])
    #expect(try await stores.thresholds.lists() == [])
  }

  @Test func `a preview of an existing source has its changes and the publication agrees`() async throws {
    let stores = Stores(pool: TestDatabase.current.pool)
    let actor = Actor.commandLine("Test")
    #expect(
      try await SourceSubscriptions(stores: stores).add(
        settings(.block), rule: SourceRuleChange(weight: 5), by: actor, at: now))
    let feed = try #require(try await stores.sources.source(named: "list"))
    let refresher = SourceRefresher(
      stores: stores, pseudonymizer: Pseudonymizer(key: [UInt8](repeating: 1, count: 32)), subjects: SubjectTable(),
      folder: NSTemporaryDirectory())
    var content = SourceContent()
    content.entries = Self.numbers[..<4].map { .init(number: $0, category: .fraud) }
    _ = try await refresher.store(content, isComplete: true, of: feed, at: now)
    // Two numbers leave the list, and two are new.
    let same = try await preview(Self.numbers[2...], .block, weight: nil)
    #expect((same.block, same.lost, same.listed) == (2, 2, 2))
    let lower = try await preview(Self.numbers[..<4], .review, weight: nil)
    #expect((lower.lost, lower.listed, lower.block) == (4, 0, 0))
    let named = try await preview(Self.numbers[..<4], .identify, weight: nil)
    #expect((named.identify, named.lost) == (4, 0))
    // All entries get the other weight within a week.
    #expect(try await preview(Self.numbers[..<4], .block, weight: 1).lost == 4)

    let before = try await published(stores)
    content.entries = Self.numbers[2...].map { .init(number: $0, category: .fraud) }
    _ = try await refresher.store(content, isComplete: true, of: feed, at: now)
    let after = try await published(stores)
    #expect(
      (after.subtracting(before).count, before.subtracting(after).count, after.intersection(before).count)
        == (same.block, same.lost, same.listed))
    #expect(try await stores.sources.change("list", to: .review, by: actor, at: now))
    #expect(try await published(stores) == [])
  }

  /// The numbers that a publication made now would list.
  private func published(_ stores: Stores) async throws -> Set<Int64> {
    try await stores.publications.withSnapshot { connection in
      let numbers = Mutex<Set<Int64>>([])
      try await Selection().forEachListed(at: now, on: connection) { batch in
        numbers.withLock { $0.formUnion(batch.map(\.number)) }
      }
      return numbers.withLock { $0 }
    }
  }

  @Test func `another ceiling is previewed from stored entries once the list was read`() async throws {
    let stores = Stores(pool: TestDatabase.current.pool)
    let previewer = Self.previewer(stores)
    let actor = Actor.commandLine("Test")
    #expect(
      try await SourceSubscriptions(stores: stores).add(
        settings(.review), rule: SourceRuleChange(weight: 5), by: actor, at: now))
    let feed = try #require(try await stores.sources.source(named: "list"))
    await #expect(throws: SourceFailure.notRead) { try await previewer.preview(.block, of: feed, at: now) }
    let refresher = SourceRefresher(
      stores: stores, pseudonymizer: Pseudonymizer(key: [UInt8](repeating: 1, count: 32)), subjects: SubjectTable(),
      folder: NSTemporaryDirectory())
    var content = SourceContent()
    content.entries = Self.numbers.sorted().map { .init(number: $0, category: .fraud) }
    _ = try await refresher.store(content, isComplete: true, of: feed, at: now)
    var state = feed.state
    state.refreshedAt = now
    try await stores.sources.succeed(feed, with: state, next: now + 60)
    let read = try #require(try await stores.sources.source(named: "list"))
    let preview = try await previewer.preview(.block, of: read, at: now)
    #expect((preview.entries, preview.block) == (Self.numbers.count, Self.numbers.count))
    try await stores.sources.beginChanges(of: feed, to: "a")
    let changing = try #require(try await stores.sources.source(named: "list"))
    await #expect(throws: SourceFailure.notRead) { try await previewer.preview(.block, of: changing, at: now) }
  }

  @Test func `a list with stored complaints has no preview`() async throws {
    let stores = Stores(pool: TestDatabase.current.pool)
    let previewer = Self.previewer(stores)
    let list = try await stores.apps.source(named: "list", at: now)
    try await previewer.checkHasNoComplaints(settings(.block), list.id)
    let report = Report(
      number: Self.numbers[0], appID: list.id, reportID: UUID(), reportedAt: now, category: .fraud, reporter: nil)
    _ = try await stores.reports.accept([report], receivedAt: now)
    await #expect(throws: SourceFailure.storedComplaints) {
      try await previewer.checkHasNoComplaints(settings(.block), list.id)
    }
    // Its entries are all of its complaints.
    #expect(try await !SourceSubscriptions(stores: stores).isFree("list"))
    let actor = Actor.commandLine("Test")
    #expect(try await stores.sources.add(settings(.block), as: list, by: actor, at: now))
    try await previewer.checkHasNoComplaints(settings(.block), list.id)
    var complaints = settings(.block)
    complaints.format = .jsonLines
    await #expect(throws: SourceFailure.storedComplaints) {
      try await previewer.checkHasNoComplaints(complaints, list.id)
    }
  }

  @Test func `a publication of another server is previewed`() async throws {
    let stores = Stores(pool: TestDatabase.current.pool)
    try await withTemporaryFolder { folder in
      var site = ProvenancePublication("\(folder)/c")
      let id = try site.id(at: now)
      let own = String(repeating: "a", count: 16)
      // Evidence of the server, evidence of this one, and a row with few reporters.
      try site.publish(
        1,
        [
          .test(Self.numbers[0], id), .test(Self.numbers[1], id), .test(Self.numbers[2], own),
          .test(Self.numbers[3], id, strength: nil),
        ], at: now)
      var options = SourceOptions()
      (options.trustedKey, options.pack) = (site.key.verifying.base64, ProvenancePublication.pack)
      options.categories = SourceOptions.ringfenceCategories
      var settings = Source.Settings(
        name: "c", url: site.url, format: .ringfence, every: 30, options: options, ceiling: .block)
      let previewer = SourcePreviewer(
        stores: stores, subjects: SubjectTable(), folder: NSTemporaryDirectory(), serverID: { own })
      let preview = try await self.preview(settings, by: previewer)
      #expect(preview.entries == 2 && preview.block == 2 && preview.rejected.count == 0)
      let sources = try await stores.sources.list()
      #expect(sources.isEmpty)

      settings.options.pack = "another"
      let missing = await failure(of: settings, by: previewer)
      #expect(missing == .noPack(pack: "another"))
      let same = SourcePreviewer(
        stores: stores, subjects: SubjectTable(), folder: NSTemporaryDirectory(), serverID: { id })
      settings.options.pack = ProvenancePublication.pack
      let refused = await failure(of: settings, by: same)
      #expect(refused == .ownServer)
    }
  }

  private func preview(_ settings: Source.Settings, by previewer: SourcePreviewer) async throws -> SourcePreview {
    try await previewer.withClient {
      try await previewer.preview(settings, rule: SourceRuleChange(weight: 5), by: $0, at: now)
    }
  }

  private func failure(of settings: Source.Settings, by previewer: SourcePreviewer) async -> SourceFailure? {
    do {
      _ = try await preview(settings, by: previewer)
      return nil
    } catch {
      return error as? SourceFailure
    }
  }

  @Test func `changes come in bounded pages in ascending order`() {
    let stored = entries([2, 4, 6, 8])
    var changes = SourceChanges(entries([1, 2, 3, 6, 7, 9]), isList: true, isNew: false, at: now)
    var found: [String] = []
    var page = 0
    while true {
      while changes.wanted != nil {
        changes.take(Array(stored.dropFirst(page * 2).prefix(2)))
        page += 1
      }
      let next = changes.next(atMost: 2)
      guard !next.isEmpty else { break }
      #expect(next.count <= 2)
      found += next.map { "\($0.number)+\($0.added.count)-\($0.removed.count)" }
    }
    #expect(found == ["1+1-0", "2+1-1", "3+1-0", "4+0-1", "6+1-1", "7+1-0", "8+0-1", "9+1-0"])
  }
}
