// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import PostgreSQL
import Storage
import TestSupport
import Testing

@Suite(.database) struct RemediationStoreTests {
  private let day: Int32 = 20_778
  private var store: RemediationStore { Stores(pool: pool).remediations }

  private func batch(
    _ mark: UInt8, day: Int32? = nil, sender: RemediationSender = .apps, people: [UInt8] = [],
    _ rows: [RemediationRow] = [
      RemediationRow([.pack: "block", .score: "high"], .init(matched: 2, blocked: 1, labeled: 1)),
      RemediationRow([.pack: "block", .score: "low"], .init(matched: 1, overridden: 3)),
    ]
  ) -> RemediationBatch {
    RemediationBatch(
      day: day ?? self.day, sender: sender, mark: [UInt8](repeating: mark, count: 16),
      people: people.map { [UInt8](repeating: $0, count: 16) }, rows: rows)
  }

  private func sums() async throws -> [String] {
    try await store.sums(since: 0).map { sum in
      "\(sum.day - day) \(sum.sender.rawValue) \(sum.kind?.rawValue ?? "all") \(sum.value) \(sum.installations): "
        + "\(sum.tally.matched) \(sum.tally.blocked) \(sum.tally.labeled) \(sum.tally.overridden)"
    }.sorted()
  }

  @Test func `an installation counts once a day, by each class alone`() async throws {
    #expect(try await store.accept([batch(1), batch(2), batch(1)]) == [true, true, false])
    #expect(try await store.accept([batch(1), batch(3, day: day + 1), batch(1, [])]) == [false, true, false])
    #expect(
      try await sums() == [
        "0 apps all  2: 6 2 2 6", "0 apps pack block 2: 6 2 2 6", "0 apps score high 2: 4 2 2 0",
        "0 apps score low 2: 2 0 0 6", "1 apps all  1: 3 1 1 3", "1 apps pack block 1: 3 1 1 3",
        "1 apps score high 1: 2 1 1 0", "1 apps score low 1: 1 0 0 3",
      ])
    #expect(try await store.sums(since: day + 1, onlyDays: true).map(\.tally.matched) == [3])
  }

  @Test func `calls that the server counts are added, and people counted once`() async throws {
    let call = [RemediationRow([:], .init(matched: 1, blocked: 1))]
    for (mark, people) in [(1, [8]), (2, [8, 9]), (2, [7]), (3, [9])] as [(UInt8, [UInt8])] {
      _ = try await store.accept([batch(mark, sender: .phoneBlock, people: people, call)])
    }
    #expect(try await sums() == ["0 phoneblock all  2: 3 3 0 0"])
  }

  @Test func `marks are deleted when their day is closed, and sums after their period`() async throws {
    _ = try await store.accept([batch(1), batch(2), batch(3, day: day + 1)])
    let retention = RetentionStore(pool: pool, batchSize: 1)
    let midnight = Date(timeIntervalSince1970: Double(day + 1) * 86_400)
    #expect(try await retention.overdue(commentDays: nil, at: midnight + 9 * 86_400) == [.remediationMarks])
    #expect(try await retention.purgeRemediationMarks(before: midnight) == 2)
    #expect(try await retention.purgeRemediationSums(before: midnight) == 4)
    #expect(try await store.accept([batch(3, day: day + 1)]) == [false])
    #expect(try await sums().count == 4)
  }

  @Test func `names of packs and lists are known`() async throws {
    try await pool.execute("INSERT INTO apps (name, created_at, is_list) VALUES ('A list', \(Date()), true)")
    _ = try await Stores(pool: pool).apps.create(name: "An app", at: Date())
    let names = try await store.knownNames()
    #expect(names[.source] == ["A list"] && names[.pack] == [])
  }
}
