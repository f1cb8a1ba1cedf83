// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import PostgreSQL
import TestSupport
import Testing

@testable import Storage

/// The outcome of a refresh: its rejected rows, and the event of a share that has doubled.
@Suite(.database) struct SourceStoreTests {
  private var stores: Stores { Stores(pool: TestDatabase.current.pool) }

  private func add(_ name: String, format: SourceFormat = .csv) async throws -> Source {
    let list = try await stores.apps.source(named: name, at: now)
    let settings = Source.Settings(name: name, url: "http://127.0.0.1/list", format: format, every: 3_600)
    #expect(try await stores.sources.add(settings, as: list, by: .commandLine("Test"), at: now))
    return try await read(name)
  }

  @Test func `a name is one line of at most 80 code points, of which none is invisible`() {
    #expect(App.isName(String(repeating: "e\u{301}", count: 40)))
    for name in [String(repeating: "e\u{301}", count: 41), "List\u{202E}"] {
      #expect(!App.isName(name), "\(name)")
    }
  }

  private func read(_ name: String) async throws -> Source {
    try #require(try await stores.sources.source(named: name))
  }

  private func rejected(_ count: Int, of rows: Int) -> RejectedRows {
    var rejected = RejectedRows()
    rejected.rows = rows
    for row in 0..<count { rejected.add(row: row + 2, reason: "not_a_number", text: "\u{202E}x\u{0}<b>") }
    return rejected
  }

  private func succeed(_ source: Source, _ rejected: RejectedRows, after seconds: Double) async throws {
    var state = source.state
    (state.refreshedAt, state.rejected) = (now + seconds, rejected)
    try await stores.sources.succeed(source, with: state, next: now + seconds + 60)
  }

  private func told() async throws -> [String] {
    try await stores.outbox.take(at: now + 86_400, until: now + 90_000, limit: 10).map(\.body)
  }

  @Test func `the rejected rows of the last file are kept, even if it was refused`() async throws {
    try await stores.outbox.replaceReceivers(["https://chat.example.org/"])
    let new = try await add("list")
    #expect(new.state.rejected == RejectedRows())
    #expect(SourceStatus(new).state == .notRead)
    // The first file has no former version.
    try await succeed(new, rejected(40, of: 200), after: 0)
    let first = try await read("list")
    #expect(first.state.rejected == rejected(40, of: 200))
    #expect(SourceStatus(first).state == .active)
    try await succeed(first, rejected(70, of: 200), after: 1)
    #expect(try await told() == [])
    let second = try await read("list")
    #expect(SourceStatus(second).state == .manyRejected)
    let refused = SourceFailure.tooManyRejects(rejected: 150, rows: 200)
    for _ in 0..<2 {
      // The call is repeated after a lost connection.
      try await stores.sources.fail(second, because: refused, rejected: rejected(150, of: 200), at: now + 2, next: nil)
    }
    let third = try await read("list")
    #expect(third.state.rejected == rejected(150, of: 200) && third.failure == refused)
    let events = try await told()
    #expect(events.count == 1)
    for part in [
      #""event":"source_rows_rejected""#, #""source":"list""#, #""rejected":150"#, #""rows":200"#,
      #""former_rejected":70"#, #""former_rows":200"#,
    ] {
      #expect(events.first?.contains(part) == true, "\(part)")
    }
    // Another failure reads no file.
    try await stores.sources.fail(third, because: .silent, at: now + 3, next: nil)
    #expect(try await read("list").state.rejected == rejected(150, of: 200))
    // A source that is added again begins anew.
    try await stores.sources.remove(third, by: .commandLine("Test"), at: now + 4)
    #expect(try await add("list").state.rejected == RejectedRows())
  }

  @Test func `an empty list waits for a source that is being read or stored`() async throws {
    #expect(try await stores.firstSteps.read().reasons == [.noSource, .noApp, .noReport])
    _ = try await add("protection", format: .protectedList)
    #expect(try await stores.firstSteps.read().reasons == [.noApp, .noReport])
    let new = try await add("list")
    #expect(try await stores.firstSteps.read().reasons == [.sourceUnread(source: "list")])
    // A source that was never read is no finished step.
    #expect(try await !stores.firstSteps.read().done.contains(.source))
    try await stores.sources.beginChanges(of: new, to: "a", entries: 10)
    #expect(try await stores.firstSteps.read().reasons == [.sourceUnread(source: "list")])
    try await succeed(new, rejected(0, of: 10), after: 0)
    #expect(try await stores.firstSteps.read().reasons == [.noApp, .noReport])
    #expect(try await stores.firstSteps.read().done.contains(.source))
    // A source that fails is not being read.
    let other = try await add("other")
    try await stores.sources.fail(other, because: .silent, at: now, next: now + 60)
    #expect(try await stores.firstSteps.read().reasons == [.sourceFailed(source: "other"), .noApp, .noReport])
  }
}
