// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import Storage
import TestSupport
import Testing

@testable import Importing

/// Lists and files that change too much are refused.
extension SourceRefresherTests {
  @Test func `the rest of an interrupted change is not limited`() async throws {
    let (source, refresher) = (try await add(to: stores), refresher(stores))
    let numbers = (0..<120).map { (Int64(33_199_000_000 + $0), ReportCategory.fraud) }
    _ = try await refresher.store(content(numbers), isComplete: true, of: source, at: now)
    var state = source.state
    state.refreshedAt = now
    try await stores.sources.succeed(source, with: state, next: now + 60)
    let fewer = content(Array(numbers.prefix(10)))
    let read = try #require(try await stores.sources.source(named: source.name))
    await #expect(throws: SourceFailure.tooManyChanges(added: 0, removed: 110, former: 120, mostPercent: 50)) {
      try await refresher.compare(fewer, to: read)
    }
    try await stores.sources.beginChanges(of: source, to: "a")
    let interrupted = try #require(try await stores.sources.source(named: source.name))
    try await refresher.compare(fewer, to: interrupted, digest: "a")
    // Another file is limited.
    await #expect(throws: SourceFailure.tooManyChanges(added: 0, removed: 110, former: 120, mostPercent: 50)) {
      try await refresher.compare(fewer, to: interrupted, digest: "b")
    }
    try await stores.sources.succeed(interrupted, with: interrupted.state, next: now + 60)
    #expect(try await stores.sources.source(named: source.name)?.state.changingSHA256 == nil)
  }

  @Test func `a number that the plan lacks is held, and again when the list has it after the retention`() async throws {
    let stores = stores
    let (source, refresher) = (try await add(to: stores), refresher(stores))
    let list = content([(12_015_550_123, .fraud), (15_555_550_123, .fraud)])
    for (time, left) in [(now, 2), (now + 91 * 86_400, 2)] {
      _ = try await refresher.store(list, isComplete: true, of: source, at: time)
      let held = try await stores.holds.held()
      #expect(held.map(\.number) == [15_555_550_123] && held[0].reason.isUnassigned && held[0].heldAt == time)
      #expect(try await stores.sources.entryCount(of: source.id) == left)
      #expect(try await stores.retention.purgeUnassigned(before: time + 1) == 1)
      #expect(try await stores.sources.entryCount(of: source.id) == 1)
      #expect(try await stores.numbers.standing(of: 15_555_550_123).reports == 0)
      #expect(try await stores.numbers.standing(of: 12_015_550_123).reports == 1)
    }
  }

  @Test func `a complete list that changes too many entries is refused`() async throws {
    let (new, refresher) = (try await add(to: stores, maxChange: 25), refresher(stores))
    func list(_ numbers: Range<Int64>) -> SourceContent { content(numbers.map { (33_199_000_000 + $0, .fraud) }) }
    _ = try await refresher.store(list(0..<120), isComplete: true, of: new, at: now)
    // The first refresh was interrupted.
    try await refresher.compare(list(0..<1_000), to: new)
    var state = Source.State()
    state.refreshedAt = now
    try await stores.sources.succeed(new, with: state, next: now)
    let source = try #require(try await stores.sources.source(named: "list"))
    for numbers in [0..<120, 0..<150, 30..<120, 30..<150] as [Range<Int64>] {
      try await refresher.compare(list(numbers), to: source)
    }
    await #expect(throws: SourceFailure.tooManyChanges(added: 31, removed: 0, former: 120, mostPercent: 25)) {
      try await refresher.compare(list(0..<151), to: source)
    }
    await #expect(throws: SourceFailure.tooManyChanges(added: 0, removed: 31, former: 120, mostPercent: 25)) {
      try await refresher.compare(list(31..<120), to: source)
    }
    // An entry with another category is removed and added.
    let others = content((0..<120).map { (33_199_000_000 + $0, $0 < 31 ? .survey : .fraud) })
    await #expect(throws: SourceFailure.tooManyChanges(added: 31, removed: 31, former: 120, mostPercent: 25)) {
      try await refresher.compare(others, to: source)
    }
    // Changes since a version.
    var changes = list(120..<150)
    changes.removals = (0..<30).map { 33_199_000_000 + $0 }
    try await refresher.compare(changes, isComplete: false, to: source)
    changes.removals.append(33_199_000_030)
    await #expect(throws: SourceFailure.tooManyChanges(added: 30, removed: 31, former: 120, mostPercent: 25)) {
      try await refresher.compare(changes, isComplete: false, to: source)
    }
    _ = try await refresher.store(list(0..<99), isComplete: true, of: source, at: now)
    try await refresher.compare(list(0..<1), to: source)
  }

  @Test func `a file of complaints that grows too much is refused`() async throws {
    let (new, refresher) = (try await add(to: stores), refresher(stores))
    var state = Source.State()
    (state.refreshedAt, state.entries) = (now, 100)
    try await stores.sources.succeed(new, with: state, next: now)
    let source = try #require(try await stores.sources.source(named: "list"))
    let scratch = try Scratch()
    defer { withExtendedLifetime(scratch) {} }
    let rows = (0..<151).map {
      #"{"number":"+\#(33_199_000_000 + $0)","category":"fraud","reported_at":"2026-11-10T10:00:00Z"}"#
    }
    let path = try scratch.file(rows.joined(separator: "\n") + "\n")
    await #expect(throws: SourceFailure.tooManyChanges(added: 51, removed: 0, former: 100, mostPercent: 50)) {
      try await refresher.importComplaints(path, .jsonLines, of: source, at: now)
    }
    let forced = try await refresher.importComplaints(path, .jsonLines, of: source, at: now, force: true)
    #expect(forced.added == 151)
  }
}
