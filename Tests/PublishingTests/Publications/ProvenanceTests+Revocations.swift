// SPDX-License-Identifier: Apache-2.0

import CallerPack
import Curation
import Foundation
import Moderation
import PostgreSQL
import Storage
import Synchronization
import TestSupport
import Testing

@testable import Publishing

/// Revocations change evidence files without the database.
extension ProvenanceTests {
  @Test func `a revocation removes the row at once, without the database`() async throws {
    try await fill()
    try await withTemporaryFolder { path in
      _ = try await publisher(path).publish(at: now)
      let before = try evidence("toxic", path).rows
      // A change in the database waits for the next full publication.
      try await complain(few, reporters: 4..<5)
      try await store.request(Revocation(number: many, reason: "An appeal", requestedBy: "Ada", requestedAt: now))
      let second = try #require(try await publisher(path).publishRevocations(at: now + 5))
      #expect(second.serial == 2)
      #expect(try evidence("toxic", path).rows == before.filter { $0.number != many })
      #expect(try evidenceFile(second, "toxic").path == "formats/toxic-2.evidence.jsonl.gz")
      #expect(try evidence("blocklist", path).rows.map(\.number) == [few, five, blocked, onList])
    }
  }

  @Test func `rules are rows, and stay rows of ranges through revocations`() async throws {
    try await fill()
    let stores = Stores(pool: pool)
    let own = try RangeRule(
      RangePattern("+331990001xx", plan: .current), category: .telemarketing, reason: "A regulator.",
      proposedBy: "Ada", at: now)
    _ = try await RangeService(stores: stores).add([own], by: .commandLine("Ada"), at: now)
    // The rule of a subscription is not passed on.
    let source = try await AppStore(pool: pool).source(named: "another", at: now)
    let other = source.id
    let settings = Source.Settings(
      name: "another", url: "https://another.example/", format: .ringfence, every: 3_600, ceiling: .block)
    #expect(try await stores.sources.add(settings, as: source, by: Actor(name: "Ada", role: .administrator), at: now))
    var foreign = RangeRule(
      stored: try RangePattern("+331990009xx", plan: .current), category: .fraud, state: .approved, proposedAt: now)
    foreign.appID = other
    _ = try await stores.ranges.replace(of: other, named: "another", ceiling: .block, with: [foreign], at: now)
    try await pool.execute("UPDATE source_feeds SET server_id = 'ffffffffffffffff' WHERE app_id = \(other)")
    try await withTemporaryFolder { path in
      _ = try await publisher(path).publish(at: now)
      let server = try #require(try PublicationFolder(path: path).serverID())
      func ranges(_ name: String) throws -> [ProvenanceRow] {
        let found: (header: ProvenanceHeader, rows: [ProvenanceRow]) = try evidence(name, path)
        let rows = found.rows
        let singles = rows.filter { $0.last == nil }.map(\.number)
        let expected = [few, five, many, blocked] + (name == "toxic" ? [identified] : []) + [onList]
        #expect(singles == expected)
        return rows.filter { $0.last != nil }
      }
      // A number that is identified by itself divides a range; one that is blocked does not.
      #expect(
        try ranges("blocklist").map { [$0.number, $0.last] } == [
          [33_199_000_101, 33_199_000_143], [33_199_000_145, 33_199_000_199],
        ])
      #expect(try ranges("toxic").allSatisfy { $0.origins == [server] && $0.category == "telemarketing" })
      for isMissing in [false, true] {
        if isMissing {
          let manifest = try #require(try PublicationFolder(path: path).manifest()?.manifest)
          unlink(PublicationFolder(path: path).filePath(try evidenceFile(manifest, "blocklist").path))
        }
        let gone: Int64 = isMissing ? 33_199_000_160 : 33_199_000_150
        try await store.request(
          Revocation(number: gone, action: .unlist, reason: "An error", requestedBy: "Ada", requestedAt: now))
        _ = try await publisher(path).publishRevocations(at: now + (isMissing ? 10 : 5))
        guard !isMissing else { continue }
        #expect(
          try ranges("blocklist").suffix(2).map { [$0.number, $0.last] } == [
            [33_199_000_145, 33_199_000_149], [33_199_000_151, 33_199_000_199],
          ])
      }
      // Without the former file, adjacent numbers below a thousand count as single ones.
      let rows = try evidence("blocklist", path).rows
      #expect(rows.allSatisfy { $0.last == nil } && rows.count == 197)
    }
  }

  @Test func `a number that a moderator blocks at once gets a row`() async throws {
    try await fill()
    let added: Int64 = 33_199_999_999
    try await withTemporaryFolder { path in
      _ = try await publisher(path).publish(at: now)
      let own = try #require(try PublicationFolder(path: path).serverID())
      // One is new, one was identified, and the label of one changes, which the blocklist does not contain.
      for (number, category) in [(added, ReportCategory.silent), (identified, .fraud), (five, .pyramid)] {
        try await store.request(
          Revocation(
            number: number, action: .add(category, label: nil), reason: "An attack", requestedBy: "Ada",
            requestedAt: now))
      }
      _ = try await publisher(path).publishRevocations(at: now + 5)
      for name in ["toxic", "blocklist"] {
        let rows = try evidence(name, path).rows
        #expect(rows.map(\.number) == [few, five, many, blocked, identified, onList, added])
        #expect(rows.allSatisfy { $0.treatment == "block" })
        #expect(rows[1].category == "pyramid" && rows[1].strength == 5 && rows[1].lastDay == "2026-11-17")
        #expect(
          rows[6]
            == ProvenanceRow(
              number: added, category: "silent", treatment: "block", strength: nil, lastDay: nil, origins: [own]))
      }
      // The blocklist had no row of the number that was identified, which is known in the other pack.
      #expect(try evidence("toxic", path).rows[4].strength == 10)
      #expect(try evidence("blocklist", path).rows[4].strength == nil)
    }
  }

  @Test(
    arguments: [(["toxic", "robots"], 1), (["robots"], nil), (["toxic", "blocklist"], 0)] as [([String], Int16?)])
  func `a number that is blocked at once is listed as packs have it`(_ names: [String], treatment: Int16?) async throws
  {
    let robots = Recipe(name: "robots", kind: .blocking, limit: 10, categories: [.robocall], keepsEmpty: true)
    let recipes = (Self.shared + [robots]).filter { names.contains($0.name) }
    let added: Int64 = 33_199_999_999
    try await fill()
    try await withTemporaryFolder { path in
      _ = try await publisher(path, recipes).publish(at: now)
      try await store.request(
        Revocation(
          number: added, action: .add(.fraud, label: nil), reason: "An attack", requestedBy: "Ada", requestedAt: now))
      _ = try await publisher(path, recipes).publishRevocations(at: now + 5)
      let rows = try await pool.rows("SELECT treatment FROM listings WHERE number = \(added)")
      #expect(try rows.map { try $0.decode(0, as: Int16.self) } == (treatment.map { [$0] } ?? []))
    }
  }

  @Test func `an unchanged pack gets the category of a decision`() async throws {
    try await fill()
    try await withTemporaryFolder { path in
      let first = try await publisher(path).publish(at: now)
      try await store.request(
        Revocation(
          number: five, action: .add(.pyramid, label: nil), reason: "An attack", requestedBy: "Ada", requestedAt: now))
      let second = try #require(try await publisher(path).publishRevocations(at: now + 5))
      #expect(second.packs[0].name == "blocklist" && second.packs[0].sha256 == first.packs[0].sha256)
      #expect(try evidence("blocklist", path).rows[1].category == "pyramid")
    }
  }

  @Test func `a revocation without the former file writes what the pack has`() async throws {
    try await fill()
    try await withTemporaryFolder { path in
      let first = try await publisher(path).publish(at: now)
      let file = try evidenceFile(first, "toxic").path
      try Data("damaged".utf8).write(to: URL(filePath: "\(path)/\(file)"))
      try await store.request(Revocation(number: many, reason: "An appeal", requestedBy: "Ada", requestedAt: now))
      let second = try #require(try await publisher(path).publishRevocations(at: now + 5))
      #expect(second.packs.map { $0.formats.map(\.format) } == [["evidence"], ["evidence"]])
      let own = try #require(try PublicationFolder(path: path).serverID())
      let rows = try evidence("toxic", path).rows
      #expect(rows.map(\.number) == [few, five, blocked, identified, onList])
      #expect(rows.allSatisfy { $0.origins == [own] && $0.strength == nil && $0.lastDay == nil })
      // Without an option in the recipe the file leaves at the next publication, whichever that is.
      try await store.request(Revocation(number: few, reason: "An appeal", requestedBy: "Ada", requestedAt: now))
      let recipes = Self.shared.map { recipe in
        var recipe = recipe
        recipe.sharesEvidence = false
        return recipe
      }
      let third = try #require(try await publisher(path, recipes).publishRevocations(at: now + 10))
      #expect(third.packs.allSatisfy { $0.formats.isEmpty })
      // No decision keeps the numbers out of the next full publication.
      _ = try await publisher(path).publish(at: now + 15)
      #expect(try evidence("toxic", path).rows.map(\.number) == [few, five, many, blocked, identified, onList])
    }
  }

  @Test func `recipes are read again for each publication, and a revocation does not need them`() async throws {
    try await fill()
    try await withTemporaryFolder { path in
      struct Broken: Error {}
      let recipes = Mutex<[Recipe]?>([Recipe(name: "other", kind: .blocking, limit: 1_000)])
      let publisher = Publisher(
        store: store, folder: PublicationFolder(path: path),
        recipes: try recipes.withLock { recipes throws in
          guard let recipes else { throw Broken() }
          return recipes
        }, signing: { try #require(key) }, logger: .forTests)
      #expect(try await publisher.publish(at: now).packs.map(\.name) == ["other"])
      recipes.withLock { $0 = Self.shared }
      #expect(try await publisher.publish(at: now + 5).packs.map(\.name) == ["blocklist", "toxic"])
      recipes.withLock { $0 = nil }
      await #expect(throws: Broken.self) { try await publisher.publish(at: now + 10) }
      try await store.request(Revocation(number: many, reason: "An appeal", requestedBy: "Ada", requestedAt: now))
      let revoked = try #require(try await publisher.publishRevocations(at: now + 15))
      #expect(revoked.packs.map { $0.formats.map(\.format) } == [["evidence"], ["evidence"]])
    }
  }
}
