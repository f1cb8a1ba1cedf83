// SPDX-License-Identifier: Apache-2.0

import CallerPack
import Curation
import Foundation
import Moderation
import PostgreSQL
import Publishing
import Storage
import TestSupport
import Testing

/// Gates and the changes that have a reason: what is in the packs on disk, and what is stored.
@Suite(.database) struct ExplainedChangesTests {
  /// Any lost or added number is too many.
  private let strict = GateLimits(minSize: 0.99, maxSize: 1.01, maxChurn: 0.01, tolerance: 0)

  private var store: PublicationStore { PublicationStore(pool: pool) }

  private func withPublisher(_ body: (Publisher, PublicationFolder) async throws -> Void) async throws {
    try await withTemporaryFolder { path in
      let folder = PublicationFolder(path: path)
      let key = try #require(SigningKey(String(repeating: "07", count: 32)))
      let publisher = Publisher(
        store: store, folder: folder, recipes: Recipe.shipped.filter { $0.source == .reports }, signing: { key },
        policy: PublicationPolicy(limits: strict), logger: .forTests)
      try await body(publisher, folder)
    }
  }

  private func run(_ sql: String) async throws {
    try await pool.withConnection { try await $0.execute(script: sql) }
  }

  /// Adds a source whose entries alone list their numbers, as after its first refresh.
  /// - Parameter isRead: whether that refresh has ended.
  private func addSource(_ name: String, _ numbers: Range<Int64>, isRead: Bool = true) async throws -> Int32 {
    let app = try await AppStore(pool: pool).source(named: name, at: now)
    let thresholds = ThresholdStore(pool: pool)
    let (version, set) = try await thresholds.version(nil)
    let one = SourceRule.Bar(complaints: 1, days: 1)
    try await thresholds.save(
      try set.lenient.replacing(SourceRule(appID: app.id, weight: 10, enter: one, leave: one)), after: version.version,
      by: .commandLine("Ada"), because: "Test", at: now)
    let settings = Source.Settings(
      name: name, url: "https://localhost/\(name)", format: .csv, every: 3_600, ceiling: .block)
    #expect(
      try await SourceStore(pool: pool).add(settings, as: app, by: Actor(name: "Ada", role: .administrator), at: now))
    let reports = numbers.map {
      Report(
        number: $0, appID: app.id, reportID: UUID(), reportedAt: now, category: .fraud, reporter: nil, weight: 10)
    }
    _ = try await ReportStore(pool: pool).accept(reports, receivedAt: now)
    if isRead { try await finishRefresh(of: app.id) }
    return app.id
  }

  private func finishRefresh(of id: Int32) async throws {
    try await run("UPDATE source_feeds SET refreshed_at = '2026-11-20Z', changing_sha256 = NULL WHERE app_id = \(id)")
  }

  private func suspend(_ id: Int32) async throws {
    try await run("UPDATE source_feeds SET suspended_at = '2026-11-20Z', suspended_weight = 10 WHERE app_id = \(id)")
  }

  /// Reports of several reporters, which list their numbers.
  private func report(_ numbers: Range<Int64>) async throws {
    var reports: [Report] = []
    for number in numbers {
      for reporter: UInt8 in 0..<8 {
        let day = now - Double(reporter % 4) * 86_400
        reports.append(
          Report(
            number: number, appID: 1, reportID: UUID(), reportedAt: day, category: .fraud,
            reporter: [UInt8](repeating: reporter, count: 16), network: [UInt8](repeating: reporter, count: 8)))
      }
    }
    for (time, reports) in Dictionary(grouping: reports, by: \.reportedAt) {
      _ = try await ReportStore(pool: pool).accept(reports, receivedAt: time)
    }
  }

  /// The numbers of each pack on disk, which must be equal, and the numbers of the stored listings.
  private func published(_ folder: PublicationFolder) async throws -> [Int64] {
    let manifest = try #require(try folder.manifest()?.manifest)
    let packs = try manifest.packs.map { pack in
      let cursor = try PackReader.open(path: folder.filePath(pack.path)).makeCursor()
      var numbers: [Int64] = []
      while try cursor.next() { numbers.append(cursor.number) }
      return numbers
    }
    let stored = try await pool.column("SELECT number FROM listings ORDER BY number", as: Int64.self)
    #expect(packs == [stored, stored])
    return stored
  }

  private func gates(of run: Int = 0) async throws -> Set<String> {
    Set(try await store.history(limit: 9)[run].gates.filter { !$0.passed }.map(\.gate))
  }

  private let listed: Range<Int64> = 12_015_550_100..<12_015_550_140
  private let reported: Range<Int64> = 12_015_550_160..<12_015_550_180

  @Test(arguments: [false, true]) func `numbers of a suspended source leave the list`(isAlone: Bool) async throws {
    let id = try await addSource("list", listed)
    if !isAlone { try await report(reported) }
    try await withPublisher { publisher, folder in
      _ = try await publisher.publish(at: now)
      #expect(try await published(folder) == Array(listed) + (isAlone ? [] : Array(reported)))
      try await suspend(id)
      let manifest = try await publisher.publish(at: now + 60)
      #expect(manifest.packs.map(\.entries) == (isAlone ? [0, 0] : [20, 20]))
      #expect(try await published(folder) == (isAlone ? [] : Array(reported)))
      #expect(try await gates() == [])
    }
  }

  @Test func `allowed numbers of a suspended source leave the list with the others`() async throws {
    let id = try await addSource("list", listed)
    try await withPublisher { publisher, folder in
      _ = try await publisher.publish(at: now)
      for number in listed.prefix(30) {
        _ = try await DecisionService(pool: pool).record(
          try Decision(
            number: number, treatment: .allow, category: nil, reason: "A clinic", decidedBy: "Ada", decidedAt: now))
      }
      // First without the suspension.
      _ = try await publisher.publish(at: now + 60)
      #expect(try await published(folder) == Array(listed.dropFirst(30)))
      try await suspend(id)
      _ = try await publisher.publish(at: now + 120)
      #expect(try await published(folder) == [])
      #expect(try await gates() == [])
    }
  }

  @Test(arguments: [
    "TRUNCATE numbers, number_categories, number_sources, source_feeds, reports CASCADE", "TRUNCATE number_categories",
    "UPDATE numbers SET heat = 0; UPDATE number_categories SET heat = 0, evidence = 0",
  ]) func `an accident stops the publication, also beside a suspension`(_ accident: String) async throws {
    let id = try await addSource("list", listed)
    try await report(reported)
    try await withPublisher { publisher, folder in
      _ = try await publisher.publish(at: now)
      try await suspend(id)
      try await run(accident)
      await #expect(throws: PublishingError.self) { try await publisher.publish(at: now + 60) }
      #expect(try await published(folder) == Array(listed) + Array(reported))
      #expect(try await gates().contains("non-empty"))
      try await run("UPDATE source_feeds SET suspended_at = NULL, suspended_weight = NULL")
      await #expect(throws: PublishingError.self) { try await publisher.publish(at: now + 120) }
      #expect(try await published(folder) == Array(listed) + Array(reported))
    }
  }

  @Test func `an empty list is published until there are numbers`() async throws {
    try await withPublisher { publisher, folder in
      for serial in 1...2 as ClosedRange<Int64> {
        #expect(try await publisher.publish(at: now + Double(serial)).serial == serial)
        #expect(try await published(folder) == [])
        #expect(try await store.history(limit: 1)[0].run.state == .published)
      }
      _ = try await addSource("list", listed)
      _ = try await publisher.publish(at: now + 60)
      #expect(try await published(folder) == Array(listed))
      // Nothing shows what an empty list would lose.
      try await run("TRUNCATE number_categories")
      try FileManager.default.removeItem(atPath: folder.manifestPath)
      await #expect(throws: PublishingError.self) { try await publisher.publish(at: now + 120) }
    }
  }

  @Test func `the numbers of a removed source leave the list`() async throws {
    let id = try await addSource("list", listed.lowerBound..<listed.lowerBound)
    let entries = listed.map { SourceEntry(number: $0, category: .fraud, reportedAt: now, weight: 10) }
    let reports = ReportStore(pool: pool)
    try await reports.change(entries.map { SourceEntryChange(old: nil, new: $0) }, of: id, at: now)
    try await report(reported)
    let sources = SourceStore(pool: pool)
    try await withPublisher { publisher, folder in
      _ = try await publisher.publish(at: now)
      #expect(try await sources.remove("list", by: Actor(name: "Ada", role: .administrator), at: now))
      // The entries are withdrawn in two parts, with a publication in between.
      for gone in [entries.prefix(25), entries.dropFirst(25)] {
        try await reports.change(gone.map { SourceEntryChange(old: $0, new: nil) }, of: id, at: now)
        if gone.endIndex == entries.endIndex { try await sources.finishRemoval(of: id) }
        _ = try await publisher.publish(at: now + 60)
        #expect(try await published(folder) == entries[gone.endIndex...].map(\.number) + Array(reported))
      }
      // From then on, the removal explains nothing.
      try await run("TRUNCATE number_categories")
      await #expect(throws: PublishingError.self) { try await publisher.publish(at: now + 120) }
    }
  }

  @Test func `numbers leave for a reason even if gates refuse the publication`() async throws {
    let id = try await addSource("list", listed)
    try await report(reported)
    try await withPublisher { publisher, folder in
      _ = try await publisher.publish(at: now)
      try await suspend(id)
      // An accident adds as many numbers.
      try await report(12_015_550_900..<12_015_550_940)
      await #expect(throws: PublishingError.self) { try await publisher.publish(at: now + 60) }
      #expect(try await published(folder) == Array(reported))
      let runs = try await store.runs(limit: 2)
      #expect(runs.map(\.state) == [.published, .refused] && runs[0].cause == .revocation)
      #expect(try await gates(of: 1) == ["size", "churn"])
    }
  }

  @Test func `only the first refresh of a source may add any count of numbers`() async throws {
    try await report(reported)
    try await withPublisher { publisher, folder in
      _ = try await publisher.publish(at: now)
      let id = try await addSource("list", listed, isRead: false)
      // Nothing is published from an unfinished refresh.
      _ = try await publisher.publish(at: now + 60)
      #expect(try await published(folder) == Array(reported))
      try await finishRefresh(of: id)
      // The expected numbers do not let others through.
      try await report(12_015_550_900..<12_015_550_901)
      await #expect(throws: PublishingError.self) { try await publisher.publish(at: now + 120) }
      #expect(try await published(folder) == Array(reported))
      try await run("DELETE FROM number_categories WHERE number = 12015550900")
      _ = try await publisher.publish(at: now + 180)
      #expect(try await published(folder) == Array(listed) + Array(reported))
      // Listed numbers stay while the next refresh is unfinished, and its new ones wait.
      try await run("UPDATE source_feeds SET changing_sha256 = '00'")
      let reports = (12_015_550_800..<12_015_550_840 as Range<Int64>).map {
        Report(number: $0, appID: id, reportID: UUID(), reportedAt: now, category: .fraud, reporter: nil, weight: 10)
      }
      _ = try await ReportStore(pool: pool).accept(reports, receivedAt: now)
      _ = try await publisher.publish(at: now + 240)
      #expect(try await published(folder) == Array(listed) + Array(reported))
      try await finishRefresh(of: id)
      await #expect(throws: PublishingError.self) { try await publisher.publish(at: now + 300) }
      #expect(try await published(folder) == Array(listed) + Array(reported))
      // A change of the ceiling and the end of a suspension have effects that are expected.
      #expect(
        try await SourceStore(pool: pool).change(
          "list", to: .block, by: Actor(name: "Ada", role: .administrator), at: now))
      #expect(try await publisher.publish(at: now + 360).packs.map(\.entries) == [100, 100])
    }
  }
}
