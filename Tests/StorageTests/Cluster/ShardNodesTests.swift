// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import PostgreSQL
import TestSupport
import Testing

@testable import Storage

/// The grouping of numbers by node and shard.
@Suite(.database) struct ShardNodesTests {
  private let numbers = (0..<200).map { 33_199_000_000 + Int64($0) }

  private func report(_ number: Int64, by reporter: UInt8 = 1) -> Report {
    Report(
      number: number, appID: 1, reportID: UUID(), reportedAt: now, category: .fraud,
      reporter: [UInt8](repeating: reporter, count: 16))
  }

  /// The transactions that wrote reports, each with its numbers.
  private func transactions() async throws -> [Set<Int64>] {
    try await pool.rows(
      "SELECT array_agg(number) FROM reports GROUP BY xmin::text ORDER BY min(number)"
    ).map { Set(try $0.decode(0, as: [Int64].self)) }
  }

  @Test func `the hash of a number is that of PostgreSQL`() async throws {
    var generator = SeededGenerator(seed: 7)
    let numbers =
      [1, 12_015_550_123, 999_999_999_999_999]
      + (0..<500).map { _ in
        Int64.random(in: 1...999_999_999_999_999, using: &generator)
      }
    let hashes = try await pool.column(
      "SELECT hashint8(n) FROM unnest(\(numbers)) WITH ORDINALITY AS t (n, place) ORDER BY place", as: Int32.self)
    #expect(numbers.map { ShardNodes.hash(of: $0) } == hashes)
  }

  @Test func `without a cluster a batch is one transaction`() async throws {
    let store = ReportStore(pool: pool)
    #expect(try await store.nodes.parts(of: numbers).flatMap(\.shards).map(\.places) == [Array(numbers.indices)])
    _ = try await store.accept(numbers.map { report($0) }, receivedAt: now)
    #expect(try await transactions() == [Set(numbers)])
    #expect(store.node(of: numbers[0]) == 0)
  }

  @Test func `a batch is written in one transaction on each node`() async throws {
    let nodes = try await addWorkers()
    let store = ReportStore(pool: pool)
    let reports = numbers.map { report($0) }
    #expect(store.node(of: numbers[0]) == 0)
    #expect(try await store.accept(reports, receivedAt: now) == reports.map { _ in .created })
    let groups = Dictionary(grouping: numbers) { store.node(of: $0) }.mapValues { Set($0) }
    #expect(Set(groups.keys) == [1, 2])
    #expect(Set(try await transactions()) == Set(groups.values))
    for part in try await store.nodes.parts(of: numbers) {
      #expect(part.shards.count == 2)
      #expect(part.node == nodes[store.node(of: numbers[part.shards[0].places[0]]) - 1])
    }
    // Outcomes have the order of the batch, and the sums agree with their reports.
    var mixed = reports
    for place in stride(from: 0, to: mixed.count, by: 3) { mixed[place] = report(numbers[place], by: 2) }
    let outcomes = try await store.accept(mixed, receivedAt: now + 1)
    #expect(outcomes == mixed.indices.map { $0 % 3 == 0 ? .created : .duplicate })
    #expect(try await recountAll().differences == [])
    #expect(try await store.withdraw(reportID: reports[7].reportID, appID: 1, at: now + 2) == .withdrawn)
    #expect(try await store.accept([reports[7]], receivedAt: now + 3) == [.withdrawn])
    #expect(try await recountAll().differences == [])
  }

  @Test func `a node that does not answer fails its own numbers alone`() async throws {
    try await addWorkers(second: "/nowhere")
    let store = ReportStore(pool: pool)
    _ = try? await store.accept([report(numbers[0])], receivedAt: now)
    for number in numbers.prefix(20) {
      let accepted = try? await store.accept([report(number, by: 3)], receivedAt: now + 1)
      #expect(accepted == (store.node(of: number) == 1 ? [.created] : nil))
    }
    #expect(try await recountAll().differences == [])
  }

  @Test func `reports whose shards have moved are tried again`() async throws {
    try await addWorkers()
    try await pool.withConnection { connection in
      try await connection.execute(
        script: """
          CREATE OR REPLACE FUNCTION lock_shard_metadata(mode integer, shards bigint[]) RETURNS integer LANGUAGE sql AS
            $$SELECT 1 / (nextval('attempts') > 2)::integer$$
          """)
    }
    let store = ReportStore(pool: pool)
    #expect(try await store.accept([report(numbers[0])], receivedAt: now) == [.created])
    #expect(try await pool.column("SELECT nextval('attempts')", as: Int64.self) == [4])
    #expect(try await recountAll().differences == [])
  }

  @Test func `errors about rows are not tried again`() async throws {
    try await addWorkers()
    let store = ReportStore(pool: pool)
    await #expect(throws: PostgresError.self) { try await store.accept([report(-1)], receivedAt: now) }
    #expect(try await pool.column("SELECT nextval('attempts')", as: Int64.self) == [2])
  }
}
