// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import Intake
import Moderation
import PostgreSQL
import Storage
import TestSupport
import Testing

@testable import Importing

/// The reports of a list's entries follow what the list contains.
@Suite(.database) struct SourceRefresherTests {
  let now = Date(timeIntervalSince1970: 1_795_000_000)
  static let numbers: [Int64] = [12_015_550_123, 12_015_550_124, 33_199_000_248]

  var stores: Stores { Stores(pool: TestDatabase.current.pool) }

  func refresher(_ stores: Stores) -> SourceRefresher {
    SourceRefresher(
      stores: stores, pseudonymizer: Pseudonymizer(key: [UInt8](repeating: 1, count: 32)), subjects: SubjectTable(),
      folder: NSTemporaryDirectory())
  }

  func add(
    _ name: String = "list", to stores: Stores, url: String = "http://127.0.0.1/list",
    options: SourceOptions = SourceOptions(), maxChange: Int = 50
  ) async throws -> Source {
    let list = try await stores.apps.source(named: name, at: now)
    let settings = Source.Settings(
      name: name, url: url, format: .csv, every: 3_600, options: options, maxChange: maxChange)
    #expect(try await stores.sources.add(settings, as: list, by: .commandLine("Test"), at: now))
    return try #require(try await stores.sources.source(named: name))
  }

  func content(_ entries: [(Int64, ReportCategory)]) -> SourceContent {
    var content = SourceContent()
    content.entries = entries.map { .init(number: $0.0, category: $0.1) }
    return content
  }

  func heat(_ number: Int64, _ stores: Stores, at time: Date) async throws -> Double {
    Decay.heat.value(ofStoredSum: try await stores.numbers.standing(of: number).heat, at: time)
  }

  @Test func `a number has one report while the list contains it and none afterwards`() async throws {
    let (feed, refresher) = (try await add(to: stores), refresher(stores))
    let all = content(Self.numbers.map { ($0, .fraud) })
    let first = try await refresher.store(all, isComplete: true, of: feed, at: now)
    #expect((first.entries, first.added, first.replaced, first.removed) == (3, 3, 0, 0))
    let again = try await refresher.store(all, isComplete: true, of: feed, at: now + 3_600)
    #expect((again.entries, again.added, again.replaced, again.removed) == (3, 0, 0, 0))

    // It is as hot as on the day of the last refresh whose file contained the number.
    let later = now + 86_400
    let renewed = try await refresher.store(all, isComplete: true, of: feed, at: later)
    #expect((renewed.entries, renewed.added, renewed.replaced, renewed.removed) == (3, 0, 3, 0))
    #expect(abs(try await heat(Self.numbers[0], stores, at: ComplaintDays.beginning(of: later)) - 1) < 1e-9)
    #expect(try await stores.numbers.standing(of: Self.numbers[0]).reports == 1)

    let fewer = try await refresher.store(
      content([(Self.numbers[2], .fraud)]), isComplete: true, of: feed, at: later + 3_600)
    #expect((fewer.entries, fewer.removed) == (1, 2))
    #expect(try await stores.numbers.standing(of: Self.numbers[0]).reports == 0)
    #expect(try await heat(Self.numbers[0], stores, at: later) == 0)
    #expect(try await stores.sources.entries(of: feed.id, after: 0).map(\.number) == [Self.numbers[2]])
    #expect(try await differences(stores) == 0)
  }

  @Test func `patterns of a list are rules that are never expanded`() async throws {
    _ = try await add(to: stores)
    #expect(try await stores.sources.change("list", to: .block, by: .commandLine("Test"), at: now))
    let (feed, refresher) = (try #require(try await stores.sources.source(named: "list")), refresher(stores))
    func list(_ patterns: [String]) throws -> SourceContent {
      let path = "\(NSTemporaryDirectory())/patterns-\(UUID().uuidString)"
      defer { try? FileManager.default.removeItem(atPath: path) }
      let rows = patterns.map { "{\"name\":\"Sales\",\"action\":\"block\",\"pattern\":\"\($0)\"}" }
      try Data("{\"version\":\"1\",\"patterns\":[\(rows.joined(separator: ","))]}".utf8).write(to: URL(filePath: path))
      return try SourceContent(
        path: path, format: .saracroche, options: SourceOptions(), isComplete: true, most: 10_000)
    }
    // Of every length: 774 patterns for more than 12 million numbers.
    var patterns = ["162", "163", "270", "271", "377", "378", "424", "425", "568", "569", "948", "949"].map {
      "33\($0)######"
    }
    patterns += (0..<762).map { "33516\(String(format: "%03d", $0))###" }
    let summary = try await refresher.store(try list(patterns), isComplete: true, of: feed, at: now)
    #expect((summary.ranges, summary.proposedRanges, summary.entries) == (774, 774, 0))
    let rules = try await stores.ranges.rules(of: feed.id)
    #expect(rules.count == 774 && rules.reduce(0) { $0 + $1.range.size } == 12_762_000)
    try await RangeService(stores: stores).decide(
      rules, isApproved: true, by: .commandLine("Ada"), reason: "Checked.", at: now)

    // A rule that stays keeps its review; a new small one is in force, and one that left is gone.
    let next = try list(Array(patterns.dropFirst()) + ["3326999####"])
    #expect(try await refresher.store(next, isComplete: true, of: feed, at: now + 60).proposedRanges == 0)
    let later = try await stores.ranges.rules(of: feed.id)
    #expect(later.count == 774 && later.allSatisfy { $0.state == .approved })
    #expect(!later.contains { $0.range.text == "+33199xxxxxx" })
    #expect(later.first { $0.range.text == "+3326999xxxx" }?.decidedBy == feed.name)
    #expect(later.first { $0.range.text == "+33163xxxxxx" }?.decidedBy == "Ada")
    #expect(try await refresher.remove(feed.name, by: .commandLine("Test"), at: now + 120))
    #expect(try await stores.ranges.rules().isEmpty)
  }

  @Test func `a changed category replaces the report`() async throws {
    let (feed, refresher) = (try await add(to: stores), refresher(stores))
    _ = try await refresher.store(content([(Self.numbers[0], .fraud)]), isComplete: true, of: feed, at: now)
    let change = try await refresher.store(content([(Self.numbers[0], .survey)]), isComplete: true, of: feed, at: now)
    #expect((change.entries, change.added, change.replaced) == (1, 0, 1))
    #expect(try await stores.numbers.standing(of: Self.numbers[0]).leading == .survey)
    #expect(try await differences(stores) == 0)
  }

  @Test func `changes leave other entries and renew them`() async throws {
    let (feed, refresher) = (try await add(to: stores), refresher(stores))
    _ = try await refresher.store(
      content(Self.numbers.map { ($0, .fraud) }), isComplete: true, of: feed, at: now)
    var changes = SourceContent()
    changes.removals = [Self.numbers[1]]
    let change = try await refresher.store(changes, isComplete: false, of: feed, at: now + 86_400)
    #expect((change.entries, change.removed, change.replaced) == (2, 1, 2))
    let unchanged = try await refresher.store(SourceContent(), isComplete: false, of: feed, at: now + 9 * 86_400)
    #expect((unchanged.entries, unchanged.replaced) == (2, 2))
    let days = try await stores.sources.entries(of: feed.id, after: 0).map(\.reportedAt)
    #expect(days == [ComplaintDays.beginning(of: now + 9 * 86_400), ComplaintDays.beginning(of: now + 9 * 86_400)])
    #expect(try await differences(stores) == 0)
  }

  @Test func `a failure by hand leaves the time of the next attempt`() async throws {
    let feed = try await add(to: stores, url: "http://127.0.0.1:1/list")
    let refresher = refresher(stores)
    // Due, and then not due.
    for time in [feed.nextAt, feed.nextAt + 1] {
      let before = try #require(try await stores.sources.source(named: feed.name)).nextAt
      _ = try await refresher.withClient { try await refresher.refresh(feed.name, by: $0, at: time) }
      let after = try #require(try await stores.sources.source(named: feed.name))
      #expect((after.nextAt == before) == (time > feed.nextAt) && after.failures > 0)
    }
  }

  @Test func `a number leaves and comes back any number of times a day`() async throws {
    let (feed, refresher) = (try await add(to: stores), refresher(stores))
    let (both, one) = (
      content([(Self.numbers[0], .fraud), (Self.numbers[1], .fraud)]), content([(Self.numbers[1], .fraud)])
    )
    for _ in 0..<9 {
      let summary = try await refresher.store(both, isComplete: true, of: feed, at: now)
      #expect(summary.entries == 2)
      #expect(try await stores.sources.entries(of: feed.id, after: 0).map(\.number) == Self.numbers.prefix(2).sorted())
      #expect(try await stores.numbers.standing(of: Self.numbers[0]).reports == 1)
      _ = try await refresher.store(one, isComplete: true, of: feed, at: now)
      #expect(try await stores.numbers.standing(of: Self.numbers[0]).reports == 0)
    }
    #expect(try await differences(stores) == 0)
  }

  @Test func `a number never has the reports of two entries`() async throws {
    let (feed, refresher) = (try await add(to: stores), refresher(stores))
    // Complaints of an app stay as they are.
    let word = Report(
      number: Self.numbers[0], appID: 1, reportID: UUID(), reportedAt: now - 86_400, category: .survey,
      reporter: [UInt8](repeating: 1, count: 16))
    _ = try await stores.reports.accept([word], receivedAt: now)
    for (place, category) in [ReportCategory.fraud, .survey, .fraud, .survey, .fraud, .survey, .fraud].enumerated() {
      let list = content([(Self.numbers[0], category)])
      let summary = try await refresher.store(list, isComplete: true, of: feed, at: now)
      #expect((summary.entries, summary.added, summary.replaced) == (1, place == 0 ? 1 : 0, place == 0 ? 0 : 1))
      #expect(try await stores.numbers.standing(of: Self.numbers[0]).reports == 2)
      #expect(try await stores.sources.entries(of: feed.id, after: 0).map(\.category) == [category])
    }
    #expect(try await differences(stores) == 0)
    _ = try await refresher.store(SourceContent(), isComplete: true, of: feed, at: now)
    #expect(try await stores.numbers.standing(of: Self.numbers[0]).reports == 1)
    #expect(try await differences(stores) == 0)
  }

  @Test func `rows and the weight of an entry are those of the last refresh`() async throws {
    let (feed, refresher) = (try await add(to: stores), refresher(stores))
    var list = content([(Self.numbers[0], .fraud)])
    _ = try await refresher.store(list, isComplete: true, of: feed, at: now)
    list.entries[0].complaints = 3
    #expect(try await refresher.store(list, isComplete: true, of: feed, at: now).replaced == 1)
    #expect(try await stores.numbers.standing(of: Self.numbers[0]).reports == 3)
    let (version, set) = try await stores.thresholds.version(nil)
    var rule = set.rule(ofList: feed.id)
    rule.weight = 4
    try await stores.thresholds.save(
      try set.replacing(rule), after: version.version, by: .commandLine("Ada"), because: "Test.", at: now)
    // The file has not changed.
    #expect(try await refresher.store(SourceContent(), isComplete: false, of: feed, at: now).replaced == 1)
    #expect(abs(try await heat(Self.numbers[0], stores, at: ComplaintDays.beginning(of: now)) - 12) < 1e-9)
    #expect(try await differences(stores) == 0)
  }

  @Test func `a process that was suspended does not change entries that another one has changed`() async throws {
    let (feed, refresher) = (try await add(to: stores), refresher(stores))
    _ = try await refresher.store(content([(Self.numbers[0], .fraud)]), isComplete: true, of: feed, at: now)
    let stored = try await stores.sources.entries(of: feed.id, after: 0)
    _ = try await refresher.store(content([(Self.numbers[0], .survey)]), isComplete: true, of: feed, at: now)
    await #expect(throws: SourceFailure.superseded) {
      try await stores.reports.change([SourceEntryChange(old: stored[0], new: nil)], of: feed.id, at: now)
    }
    #expect(try await stores.numbers.standing(of: Self.numbers[0]).leading == .survey)
    // A repeated transaction, whose commit was not acknowledged.
    let present = try await stores.sources.entries(of: feed.id, after: 0)
    try await stores.reports.change([SourceEntryChange(old: stored[0], new: present[0])], of: feed.id, at: now)
    #expect(try await stores.numbers.standing(of: Self.numbers[0]).reports == 1)
  }

  @Test func `a suspended source keeps its weight and its suspension`() async throws {
    let (feed, refresher) = (try await add(to: stores), refresher(stores))
    let numbers = (0..<11).map { Int64(33_199_000_000 + $0) }
    let list = content(numbers.map { ($0, .fraud) })
    _ = try await refresher.store(list, isComplete: true, of: feed, at: now)
    for number in numbers[1...] {
      let decision = try Decision(
        number: number, treatment: .allow, label: nil, category: .fraud, reason: "Checked.", decidedBy: "Ada",
        decidedAt: now)
      _ = try await DecisionService(pool: TestDatabase.current.pool).record(decision, role: .administrator)
    }
    #expect(try await refresher.evaluate(at: now) == ["list"])
    let (version, set) = try await stores.thresholds.version(nil)
    var rule = set.rule(ofList: feed.id)
    let weight = rule.weight
    rule.weight = 5
    try await stores.thresholds.save(
      try set.replacing(rule), after: version.version, by: .commandLine("Ada"), because: "Test.", at: now)
    #expect(try await stores.thresholds.current().weight(ofSource: feed.id) == weight)
    let suspended = try #require(try await stores.sources.source(named: "list"))
    let later = now + 8 * 86_400
    _ = try await refresher.store(list, isComplete: true, of: suspended, at: later)
    #expect(try await heat(numbers[0], stores, at: later) < 1.1 * weight)

    #expect(try await refresher.remove("list", by: .commandLine("Test"), at: later))
    #expect(try await add(to: stores).isSuspended)
    #expect(try await stores.sources.resume("list", by: .commandLine("Test"), at: later))
    #expect(try await stores.thresholds.current().weight(ofSource: feed.id) == 5)
  }

  @Test func `a source that moderators mostly do not confirm is suspended until it is resumed`() async throws {
    let (feed, refresher) = (try await add(to: stores), refresher(stores))
    let numbers = (0..<24).map { Int64(33_199_000_000 + $0) }
    _ = try await refresher.store(content(numbers.map { ($0, .fraud) }), isComplete: true, of: feed, at: now)
    func decide(_ numbers: ArraySlice<Int64>, _ treatment: Decision.Treatment, at time: Date) async throws {
      for number in numbers {
        let decision = try Decision(
          number: number, treatment: treatment, label: nil, category: .fraud, reason: "Checked.", decidedBy: "Ada",
          decidedAt: time)
        _ = try await DecisionService(pool: TestDatabase.current.pool).record(decision, role: .administrator)
      }
    }
    try await decide(numbers[..<1], .block, at: now)
    try await decide(numbers[1..<9], .allow, at: now)
    #expect(try await refresher.evaluate(at: now) == [])
    try await decide(numbers[9..<10], .allow, at: now)
    // Of several servers one counts in a minute.
    #expect(try await refresher.evaluate(at: now + 59, onlyIfDue: true) == [])
    #expect(try await refresher.evaluate(at: now + 60, onlyIfDue: true) == ["list"])
    #expect(try await refresher.evaluate(at: now) == [])
    let suspended = try #require(try await stores.sources.source(named: "list"))
    #expect(suspended.isSuspended && suspended.quality.precision == SourcePrecision(confirmed: 1, wrong: 9))
    let set = try await stores.thresholds.current()
    #expect(set.ceiling(ofSource: feed.id) == .nothing && set.suspended == [feed.id])

    #expect(try await stores.sources.resume("list", by: .commandLine("Test"), at: now + 60))
    #expect(try await !stores.sources.resume("list", by: .commandLine("Test"), at: now + 60))
    #expect(try await refresher.evaluate(at: now + 60) == [])
    #expect(try await stores.thresholds.current().ceiling(ofSource: feed.id) == .review)
    // Withdrawn entries count too, and earlier decisions do not.
    _ = try await refresher.store(content(numbers[..<10].map { ($0, .fraud) }), isComplete: true, of: feed, at: now)
    try await decide(numbers[10..<19], .allow, at: now + 120)
    #expect(try await refresher.evaluate(at: now + 120) == [])
    try await decide(numbers[19..<20], .allow, at: now + 120)
    #expect(try await refresher.evaluate(at: now + 120) == ["list"])
  }

  @Test func `complaints of a source have no reporters, comments or defenders`() async throws {
    let (feed, refresher) = (try await add(to: stores), refresher(stores))
    let rows = ["fraud", "fraud", "legitimate"].enumerated().map { index, category in
      #"{"number":"+12015550123","category":"\#(category)","reported_at":"2026-11-1\#(index)T10:00:00Z","#
        + #""reporter":"reporter-\#(index)","comment":"A comment."}"#
    }
    let scratch = try Scratch()
    defer { withExtendedLifetime(scratch) {} }
    let path = try scratch.file(rows.joined(separator: "\n") + "\n")
    _ = try await refresher.importComplaints(path, .jsonLines, of: feed, at: now)
    let standing = try await stores.numbers.standing(of: Self.numbers[0])
    #expect(standing.reports == 2)
    #expect(standing.parts.map(\.category) == [.fraud] && standing.parts.map(\.reporters) == [0])
    #expect(try await differences(stores) == 0)
  }

  @Test func `a source that is no longer due is not downloaded by a second server`() async throws {
    let (feed, refresher) = (try await add(to: stores), refresher(stores))
    try await stores.sources.succeed(feed, with: Source.State(), next: now + 3_600)
    let outcome = try await refresher.withClient {
      try await refresher.refresh("list", by: $0, at: now, onlyIfDue: true)
    }
    #expect(outcome == nil)
    #expect(try await stores.sources.source(named: "list")?.failures == 0)
  }

  @Test func `a key is not sent to another machine without encryption`() async throws {
    var options = SourceOptions()
    options.keyFile = "/nonexistent"
    _ = try await add(to: stores, url: "http://192.0.2.1/list", options: options)
    let refresher = refresher(stores)
    let outcome = try await refresher.withClient { try await refresher.refresh("list", by: $0, at: now) }
    #expect(outcome == .failed(.keyWithoutHTTPS))
  }

  @Test func `ceilings are part of the thresholds in force`() async throws {
    let feed = try await add(to: stores)
    #expect(try await stores.thresholds.current().ceiling(ofSource: feed.id) == .review)
    #expect(try await stores.sources.change("list", to: .nothing, by: .commandLine("Test"), at: now))
    #expect(try await stores.thresholds.current().ceiling(ofSource: feed.id) == .nothing)
  }

  @Test func `failures back off and a success ends them`() async throws {
    let feed = try await add(to: stores)
    #expect(try await stores.sources.due(at: now, limit: 10).map(\.name) == ["list"])
    try await stores.sources.fail(feed, because: .unexpectedStatus(status: 500), at: now, next: now + 300)
    let failed = try #require(try await stores.sources.source(named: "list"))
    #expect((failed.failures, failed.failure) == (1, .unexpectedStatus(status: 500)))
    #expect(try await stores.sources.due(at: now, limit: 10) == [])
    #expect([1, 2, 3, 9, 50].map { SourceRefresher.pause(after: $0) } == [300, 600, 1_200, 76_800, 86_400])
    var state = Source.State()
    (state.etag, state.entries, state.refreshedAt) = ("\"1\"", 3, now)
    try await stores.sources.succeed(failed, with: state, next: now + 3_600)
    let succeeded = try #require(try await stores.sources.source(named: "list"))
    #expect((succeeded.failures, succeeded.failure, succeeded.state) == (0, nil, state))
    #expect(try await stores.sources.hasten("list", by: .ringfence, at: now + 60))
    #expect(try await stores.sources.due(at: now + 60, limit: 10).count == 1)
  }

  func differences(_ stores: Stores) async throws -> Int {
    try await stores.recount.recount(repairs: false).differences
  }
}
