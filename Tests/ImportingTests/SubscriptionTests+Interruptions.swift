// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import Storage
import TestSupport
import Testing

/// Refreshes that are interrupted, or overtaken by others.
extension SubscriptionTests {
  /// A refresh that was killed before it had revoked the number of an entry is repeated by the entry.
  @Test func `an entry whose number was not revoked is removed by the next refresh`() async throws {
    try await withTemporaryFolder { folder in
      var site = ProvenancePublication("\(folder)/c")
      let id = try site.id(at: now)
      let rows: [ProvenanceRow] = Self.numbers.map { .test($0, id) }
      try site.publish(1, rows, at: now)
      try await add("c", site, to: stores)
      try await refresh("c", stores, at: now)
      let source = try #require(try await stores.sources.source(named: "c"))
      try await stores.sources.beginChanges(of: source)
      let changes = try await entries("c", stores).prefix(2).map { entry in
        var emptied = entry
        emptied.complaints = 0
        return SourceEntryChange(old: entry, new: emptied)
      }
      try await stores.reports.change(changes, of: source.id, at: now)
      #expect(try await stores.numbers.standing(of: Self.numbers[0]).reports == 0)
      #expect(try await entries("c", stores).count == 3)
      // One of both comes back.
      try site.publish(2, Array(rows[1...]), at: now + 60)
      try await refresh("c", stores, at: now + 60)
      #expect(try await entries("c", stores).map(\.number) == Array(Self.numbers[1...]))
      var reports: [Int64] = []
      for number in Self.numbers { reports.append(try await stores.numbers.standing(of: number).reports) }
      #expect(reports == [0, 1, 1])
      #expect(try await stores.recount.recount(repairs: false).differences == 0)
    }
  }

  @Test func `an earlier publication is not stored over a later one`() async throws {
    try await withTemporaryFolder { folder in
      let site = ProvenancePublication("\(folder)/c")
      try await add("c", site, to: stores)
      let source = try #require(try await stores.sources.source(named: "c"))
      let digest = String(repeating: "0", count: 64)
      let later = Source.SeenPublication(serial: 9, sha256: digest, rootSerial: 2, root: [1])
      #expect(try await stores.sources.accept(later, of: source))
      #expect(try await stores.sources.accept(later, of: source))
      var earlier = later
      earlier.serial = 8
      #expect(try await !stores.sources.accept(earlier, of: source))
      (earlier.serial, earlier.rootSerial) = (10, 1)
      #expect(try await !stores.sources.accept(earlier, of: source))
      #expect(try await stores.sources.source(named: "c")?.state.seen == later)
      // A process that was suspended with the earlier one reads the file again.
      var state = source.state
      (state.seen, state.listSHA256) = (earlier, digest)
      await #expect(throws: SourceFailure.superseded) {
        try await stores.sources.succeed(source, with: state, next: now)
      }
      #expect(try await stores.sources.source(named: "c")?.state.listSHA256 == nil)
    }
  }

  @Test func `an earlier file that comes back after an interrupted refresh is read`() async throws {
    try await withTemporaryFolder { folder in
      var site = ProvenancePublication("\(folder)/c")
      let id = try site.id(at: now)
      let rows: [ProvenanceRow] = Self.numbers.map { .test($0, id) }
      try site.publish(1, rows, at: now - 86_400)
      try await add("c", site, to: stores)
      try await refresh("c", stores, at: now - 86_400)
      // A refresh deletes an entry, and is killed.
      let source = try #require(try await stores.sources.source(named: "c"))
      try await stores.sources.beginChanges(of: source)
      let former = try await entries("c", stores)
      try await stores.reports.change([SourceEntryChange(old: former[1], new: nil)], of: source.id, at: now)
      #expect(try await entries("c", stores).count == 2)
      try site.publish(2, rows, at: now)
      try await refresh("c", stores, at: now)
      #expect(try await entries("c", stores).count == 3)
      for number in Self.numbers { #expect(try await stores.numbers.standing(of: number).reports == 1) }
      #expect(try await stores.recount.recount(repairs: false).differences == 0)
    }
  }

  @Test func `an invalidation during a refresh stays`() async throws {
    try await withTemporaryFolder { folder in
      let site = ProvenancePublication("\(folder)/c")
      try await add("c", site, to: stores)
      let source = try #require(try await stores.sources.source(named: "c"))
      var state = source.state
      state.listSHA256 = String(repeating: "0", count: 64)
      try await stores.sources.readAgain(source)
      try await stores.sources.succeed(source, with: state, next: now)
      #expect(try await stores.sources.source(named: "c")?.state.listSHA256 == nil)
    }
  }
}
