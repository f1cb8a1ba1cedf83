// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import Moderation
import PostgreSQL
import Storage
import TestSupport
import Testing

@testable import Importing

/// Numbers that leave a subscription leave the packs.
extension SubscriptionTests {
  @Test func `a publication that removes too many entries is refused`() async throws {
    let stores = stores
    try await withTemporaryFolder { folder in
      var site = ProvenancePublication("\(folder)/c")
      let id = try site.id(at: now)
      let many = (0..<150).map { Int64(33_199_000_000 + $0) }
      try site.publish(1, many.map { .test($0, id) }, at: now)
      try await add("c", site, to: stores)
      try await refresh("c", stores, at: now)
      try site.publish(2, [.test(many[0], id)], at: now + 60)
      let refused = SourceFailure.tooManyChanges(added: 0, removed: 149, former: 150, mostPercent: 50)
      #expect(try await refresh("c", stores, at: now + 60) == .failed(refused))
      #expect(try await entries("c", stores).count == 150)
    }
  }

  @Test func `numbers that a refresh leaves without support are revoked`() async throws {
    try await withTemporaryFolder { folder in
      var site = ProvenancePublication("\(folder)/c")
      let id = try site.id(at: now)
      let many = (0..<4).map { Int64(33_199_000_000 + $0) }
      try site.publish(1, many.map { .test($0, id) }, at: now)
      try await add("c", site, to: stores, ceiling: .block)
      try await refresh("c", stores, at: now)
      // The last publication lists three, one of them by a decision; a second has a decision by now.
      try await TestDatabase.current.pool.transaction { connection in
        try await PublicationStore.replaceListings(
          with: [
            Listing(number: many[0], category: .fraud, cause: .reports),
            Listing(number: many[1], category: .fraud, cause: .decision),
            Listing(number: many[2], category: .fraud, cause: .reports),
          ], serial: 1, at: now, on: connection)
      }
      let decision = try Decision(
        number: many[2], treatment: .block, reason: "Ours", decidedBy: "Ada", decidedAt: now)
      _ = try await DecisionService(pool: TestDatabase.current.pool).record(decision, role: .administrator)
      try site.publish(2, [], at: now + 60)
      try await refresh("c", stores, at: now + 60)
      let open = try await stores.publications.openRevocations()
      #expect(open.map(\.number) == [many[0]] && open.map(\.action) == [.unlist])
      #expect(open.first?.reason.contains("c no longer") == true)
    }
  }

  @Test func `numbers of a publication in progress are revoked too`() async throws {
    let (pool, numbers) = (TestDatabase.current.pool, (0..<3).map { Int64(33_199_000_000 + $0) })
    try await pool.transaction { connection in
      try await PublicationStore.replaceListings(
        with: [Listing(number: numbers[0], category: .fraud, cause: .reports)], serial: 1, at: now, on: connection)
    }
    #expect(try await stores.publications.revokeUnsupported(numbers, because: "c", at: now) == 1)
    _ = try #require(try await stores.publications.claim(2, cause: .command, asOf: now))
    #expect(try await stores.publications.revokeUnsupported(numbers, because: "c", at: now) == 3)
    #expect(Set(try await stores.publications.openRevocations().map(\.number)) == Set(numbers))
  }

  @Test func `a number with support to be identified leaves the packs that block it`() async throws {
    let number = Self.numbers[0]
    let settings = Source.Settings(
      name: "names", url: "https://a.example/list", format: .csv, every: 3_600, ceiling: .identify)
    let actor = Actor.commandLine("Test")
    #expect(
      try await SourceSubscriptions(stores: stores).add(
        settings, rule: SourceRuleChange(weight: 10), by: actor, at: now))
    let source = try #require(try await stores.sources.source(named: "names"))
    var content = SourceContent()
    content.entries = [.init(number: number, category: .fraud)]
    _ = try await refresher(stores).store(content, isComplete: true, of: source, at: now)
    try await TestDatabase.current.pool.transaction { connection in
      try await PublicationStore.replaceListings(
        with: [Listing(number: number, category: .fraud, cause: .reports)], serial: 1, at: now, on: connection)
    }
    #expect(try await stores.publications.revokeUnsupported([number], because: "c", at: now) == 1)
    #expect(try await stores.sources.change("names", to: .block, by: actor, at: now))
    #expect(try await stores.publications.revokeUnsupported([number], because: "c", at: now) == 0)
  }

  @Test func `more revocations than a refresh may make wait for the next publication`() async throws {
    let numbers = (0...PublicationStore.maxUnsupported).map { Int64(33_199_000_000 + $0) }
    try await TestDatabase.current.pool.transaction { connection in
      try await PublicationStore.replaceListings(
        with: numbers.map { Listing(number: $0, category: .fraud, cause: .reports) }, serial: 1, at: now,
        on: connection)
    }
    #expect(try await stores.publications.revokeUnsupported(numbers, because: "c", at: now) == nil)
    #expect(try await stores.publications.openRevocations().isEmpty)
    #expect(try await stores.publications.revokeUnsupported(Array(numbers.dropLast()), because: "c", at: now) == 500)
    #expect(try await stores.publications.openRevocations().count == 500)
  }
}
