// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import Intake
import Publishing
import Storage
import TestSupport
import Testing

@testable import Importing

/// Evidence that comes over several servers counts once.
extension SubscriptionTests {
  @Test func `evidence counts once`() async throws {
    try await withTemporaryFolder { folder in
      var (c, d) = (ProvenancePublication("\(folder)/c"), ProvenancePublication("\(folder)/d"))
      let (cID, dID) = (try c.id(at: now), try d.id(at: now))
      // Evidence of this server comes back, and evidence of a third server comes over both.
      try c.publish(
        1, [.test(Self.numbers[0], Self.own), .test(Self.numbers[1], Self.third), .test(Self.numbers[2], dID)], at: now)
      try d.publish(1, [.test(Self.numbers[1], Self.third), .test(Self.numbers[2], dID, Self.own)], at: now)
      try await add("c", c, to: stores)
      try await refresh("c", stores, at: now)
      #expect(try await entries("c", stores).map(\.number) == [Self.numbers[1], Self.numbers[2]])
      try await add("d", d, to: stores)
      try await refresh("d", stores, at: now + 60)
      #expect(try await entries("d", stores).map(\.number) == [Self.numbers[2]])
      // The server of d is subscribed to now.
      try await refresh("c", stores, at: now + 90)
      #expect(try await entries("c", stores).map(\.number) == [Self.numbers[1]])
      #expect(try await stores.numbers.standing(of: Self.numbers[1]).reports == 1)
      #expect(try await stores.numbers.standing(of: Self.numbers[2]).reports == 1)

      // Without d its evidence counts over c again.
      #expect(try await refresher(stores).remove("d", by: .commandLine("Test"), at: now))
      try await refresh("c", stores, at: now + 3_600)
      #expect(try await entries("c", stores).map(\.number) == [Self.numbers[1], Self.numbers[2]])
      #expect(try await stores.numbers.standing(of: Self.numbers[2]).reports == 1)
      try c.publish(2, [.test(Self.numbers[1], Self.third), .test(Self.numbers[2], dID, cID)], at: now + 90_000)
      try await refresh("c", stores, at: now + 90_000)
      #expect(try await entries("c", stores).map(\.number) == [Self.numbers[1], Self.numbers[2]])
    }
  }

  /// Otherwise two servers that are subscribed to each other would keep what has left its origin.
  @Test func `evidence that came over too many servers does not count`() async throws {
    try await withTemporaryFolder { folder in
      var site = ProvenancePublication("\(folder)/c")
      let id = try site.id(at: now)
      try site.publish(
        1,
        [
          .test(Self.numbers[0], Self.third, hops: 3), .test(Self.numbers[1], Self.third, hops: 4),
          .test(Self.numbers[2], id, Self.third, hops: 9),
        ], at: now)
      try await add("c", site, to: stores)
      try await refresh("c", stores, at: now)
      #expect(try await entries("c", stores).map(\.number) == [Self.numbers[0], Self.numbers[2]])
      #expect(try await entries("c", stores).map(\.hops) == [3, 0])
      // A row without the count is one that its publisher has passed on. Each publication may change the count.
      try site.publish(
        2, [.test(Self.numbers[0], Self.third), .test(Self.numbers[1], Self.third, hops: 2)], at: now + 60)
      try await refresh("c", stores, at: now + 60)
      #expect(try await entries("c", stores).map(\.hops) == [1, 2])
      try site.publish(
        3, [.test(Self.numbers[0], Self.third, hops: 4), .test(Self.numbers[1], Self.third, hops: 2)], at: now + 120)
      try await refresh("c", stores, at: now + 120)
      #expect(try await entries("c", stores).map(\.number) == [Self.numbers[1]])
      #expect(try await stores.numbers.standing(of: Self.numbers[0]).reports == 0)
    }
  }

  /// A subscription that is added again must not cost the numbers that came over another server meanwhile.
  @Test func `a new subscription displaces entries of others once it has its own`() async throws {
    try await withTemporaryFolder { folder in
      var (c, d) = (ProvenancePublication("\(folder)/c"), ProvenancePublication("\(folder)/d"))
      let dID = try d.id(at: now)
      _ = try c.id(at: now)
      try c.publish(1, [.test(Self.numbers[0], dID)], at: now)
      try d.publish(1, [.test(Self.numbers[0], dID)], at: now)
      try await add("d", d, to: stores)
      try await refresh("d", stores, at: now)
      #expect(try await refresher(stores).remove("d", by: .commandLine("Test"), at: now))
      try await add("c", c, to: stores)
      try await refresh("c", stores, at: now)
      #expect(try await entries("c", stores).count == 1)

      // Its server is known, and its entries are not stored yet.
      try await add("d", d, to: stores)
      let feed = try #require(try await stores.sources.source(named: "d"))
      try await stores.sources.assign(dID, to: feed)
      let other = try #require(try await stores.sources.source(named: "c"))
      try await stores.sources.readAgain(other)
      try await refresh("c", stores, at: now + 30)
      #expect(try await entries("c", stores).count == 1)

      // It is added again on the same day and counts at once.
      try await refresh("d", stores, at: now + 60)
      #expect(try await entries("d", stores).count == 1)
      try await refresh("c", stores, at: now + 90)
      #expect(try await entries("c", stores).isEmpty)
      #expect(try await stores.numbers.standing(of: Self.numbers[0]).reports == 1)
    }
  }

  @Test func `of two entries that were stored at once the one of the later source ends`() async throws {
    try await withTemporaryFolder { folder in
      var (c, d) = (ProvenancePublication("\(folder)/c"), ProvenancePublication("\(folder)/d"))
      let ids = [try c.id(at: now), try d.id(at: now)]
      let rows: [ProvenanceRow] = [.test(Self.numbers[0], Self.third)]
      try await add("c", c, to: stores)
      try await add("d", d, to: stores)
      for (name, id) in zip(["c", "d"], ids) {
        let feed = try #require(try await stores.sources.source(named: name))
        try await stores.sources.assign(id, to: feed)
        let entry = SourceEntry(number: Self.numbers[0], category: .fraud, reportedAt: now, origins: [Self.third])
        try await stores.reports.change([SourceEntryChange(old: nil, new: entry)], of: feed.id, at: now)
      }
      for (serial, time) in [(1, now), (2, now + 86_500)] {
        try c.publish(Int64(serial), rows, at: time)
        try d.publish(Int64(serial), rows, at: time)
        try await refresh("c", stores, at: time)
        try await refresh("d", stores, at: time)
        #expect(try await entries("c", stores).count == 1)
        #expect(try await entries("d", stores).isEmpty)
      }
    }
  }

  @Test func `invented origins do not displace what other servers pass on`() async throws {
    try await withTemporaryFolder { folder in
      var (c, d) = (ProvenancePublication("\(folder)/c"), ProvenancePublication("\(folder)/d"))
      let (cID, _) = (try c.id(at: now), try d.id(at: now))
      // The first names itself and a third server, or only the third one.
      try c.publish(1, [.test(Self.numbers[0], cID, Self.third), .test(Self.numbers[1], Self.third)], at: now)
      try d.publish(1, [.test(Self.numbers[0], Self.third), .test(Self.numbers[1], Self.third)], at: now)
      try await add("c", c, to: stores)
      try await refresh("c", stores, at: now)
      try await add("d", d, to: stores)
      try await refresh("d", stores, at: now + 60)
      #expect(try await entries("d", stores).map(\.number) == [Self.numbers[0]])
      // A source with a lower ceiling displaces nothing, and its entries end instead.
      #expect(try await stores.sources.change("d", to: .identify, by: .commandLine("Test"), at: now))
      try await refresh("d", stores, at: now + 120)
      #expect(try await entries("d", stores).map(\.number) == [Self.numbers[0], Self.numbers[1]])
      try await refresh("c", stores, at: now + 150)
      #expect(try await entries("c", stores).map(\.number) == [Self.numbers[0]])
    }
  }

  @Test func `a server without its first root takes no evidence that others pass on`() async throws {
    try await withTemporaryFolder { folder in
      var site = ProvenancePublication("\(folder)/c")
      let id = try site.id(at: now)
      try site.publish(1, [.test(Self.numbers[0], id), .test(Self.numbers[1], Self.third)], at: now)
      try await add("c", site, to: stores)
      let refresher = SourceRefresher(
        stores: stores, pseudonymizer: Pseudonymizer(key: [UInt8](repeating: 1, count: 32)), subjects: SubjectTable(),
        folder: NSTemporaryDirectory(), serverID: { throw PublishingError.badRoot("roots/1.root.json") })
      _ = try await refresher.withClient { try await refresher.refresh("c", by: $0, at: now) }
      #expect(try await entries("c", stores).map(\.number) == [Self.numbers[0]])
    }
  }
}
