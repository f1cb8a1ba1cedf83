// SPDX-License-Identifier: Apache-2.0

import Foundation
import PostgreSQL
import Storage
import TestSupport
import Testing

@Suite(.database) struct IdentificationTests {
  /// 2026-11-21T12:00:00Z, noon of day 20,778.
  private let noon = Date(timeIntervalSince1970: 1_795_262_400)
  private let today: Int32 = 20_778

  private var store: IdentificationStore { IdentificationStore(pool: TestDatabase.current.pool) }

  private func batch(
    _ id: UInt8, app: Int32 = 1, hash: UInt8 = 0, _ items: [(number: Int64, day: Int32, named: Int64, unknown: Int64)]
  ) -> IdentificationBatch {
    IdentificationBatch(
      appID: app, batchID: UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, id)),
      contentHash: [UInt8](repeating: hash, count: 32),
      items: items.map { .init(number: $0.number, day: $0.day, named: $0.named, unknown: $0.unknown) })
  }

  @Test func `a batch counts once regardless of retries`() async throws {
    let calls = batch(1, [(33_199_000_248, today, 3, 2)])
    #expect(try await store.accept([calls], receivedAt: noon) == [.created])
    #expect(try await store.accept([calls, calls], receivedAt: noon) == [.duplicate, .duplicate])
    #expect(
      try await store.accept(
        [batch(1, hash: 7, [(33_199_000_248, today, 9, 9)]), batch(1, app: 2, [(33_199_000_248, today, 1, 0)])],
        receivedAt: noon) == [.conflict, .created])
    let counts = try #require(try await store.counts(of: 33_199_000_248, at: noon))
    #expect(counts.named == 4 && counts.unknown == 2 && counts.lastDay == today)
    #expect(abs(counts.heat - 6) < 1e-9)
  }

  @Test func `a repeated batch in one commit is a duplicate`() async throws {
    let items: [(number: Int64, day: Int32, named: Int64, unknown: Int64)] = [(7, today, 1, 0)]
    let outcomes = try await store.accept(
      [batch(1, items), batch(1, items), batch(1, hash: 1, items), batch(2, items)], receivedAt: noon)
    #expect(outcomes == [.created, .duplicate, .conflict, .created])
    #expect(try await store.counts(of: 7, at: noon)?.named == 2)
  }

  @Test func `calls of one number add up and decay`() async throws {
    _ = try await store.accept(
      [
        batch(1, [(7, today, 1, 0), (7, today, 2, 0), (7, today - 14, 0, 8), (8, today, 0, 0)]),
        batch(2, [(9, today - 28, 40, 0)]),
      ], receivedAt: noon)
    let counts = try #require(try await store.counts(of: 7, at: noon))
    #expect(counts.named == 3 && counts.unknown == 8)
    // Half of the eight calls of 14 days ago.
    #expect(abs(counts.heat - 7) < 1e-9)
    #expect(try await store.counts(of: 8, at: noon) == nil)
    let later = noon + 14 * 86_400
    #expect(abs(try #require(try await store.counts(of: 9, at: later)).heat - 5) < 1e-9)
    #expect(abs(try #require(try await store.counts(of: 7, at: later)).heat - 3.5) < 1e-9)
    #expect(try await recountAll().differences == [])
  }

  @Test func `parallel batches all count once`() async throws {
    let store = store
    let noon = noon
    let batches = (0..<40 as Range<UInt8>).map { id in
      batch(id, (1...20).map { (Int64($0), today - Int32(id % 3), 1, 1) })
    }
    let created = try await withThrowingTaskGroup(of: Int.self) { group in
      // Every batch is sent twice, by two writers.
      for start in stride(from: 0, to: 80, by: 4) {
        group.addTask {
          let mine = (start..<start + 4).map { batches[$0 * 7 % 40] }
          return try await store.accept(mine, receivedAt: noon).count { $0 == .created }
        }
      }
      return try await group.reduce(0, +)
    }
    #expect(created == 40)
    for number in 1...20 as ClosedRange<Int64> {
      let counts = try #require(try await store.counts(of: number, at: noon))
      #expect(counts.named == 40 && counts.unknown == 40)
    }
    #expect(try await recountAll().differences == [])
  }
}
