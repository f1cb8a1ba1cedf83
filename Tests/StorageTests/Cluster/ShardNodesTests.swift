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

/// Makes the database a cluster by catalogs of Citus by their names alone: four shards on two workers, whose addresses differ,
/// and whose tables are views of the tables of the schema.
/// - Parameter second: the host of the second one; nil for the test's PostgreSQL.
/// - Returns: the workers.
@discardableResult
func addWorkers(second: String? = nil) async throws -> [PostgresNode] {
  let variables = try pool.configuration.environment()
  let folder = try #require(variables["PGHOST"])
  let port = Int(variables["PGPORT"] ?? "5432") ?? 5_432
  let nodes = [folder, second ?? "\(folder)/."].map { PostgresNode(host: $0, port: port) }
  try await pool.withConnection { connection in
    try await connection.execute(
      script: """
        CREATE FUNCTION citus_version() RETURNS text LANGUAGE sql AS $$SELECT 'Citus'$$;
        CREATE TABLE pg_dist_shard (logicalrelid regclass, shardid bigint, shardminvalue text);
        CREATE TABLE pg_dist_placement (shardid bigint, groupid integer);
        CREATE TABLE pg_dist_local_group AS SELECT generate_series(1, 2) AS groupid;
        CREATE TABLE pg_dist_node (groupid integer, nodename text, nodeport integer, noderole text);
        CREATE SEQUENCE attempts;
        CREATE FUNCTION lock_shard_metadata(mode integer, shards bigint[]) RETURNS integer LANGUAGE sql AS
          $$SELECT 1 / (nextval('attempts') > 0)::integer$$;
        """)
    for (place, table) in (IntakeTables.distributed + IntakeTables.references).enumerated() {
      let isOfAll = IntakeTables.references.contains(table)
      for part in 0..<(isOfAll ? 1 : 4) {
        let id = 10 * place + part + 1
        let first = isOfAll ? "NULL" : "\((part - 2) << 30)"
        try await connection.execute(
          script: """
            INSERT INTO pg_dist_shard VALUES ('\(table)', \(id), \(first));
            INSERT INTO pg_dist_placement SELECT \(id), g FROM generate_series(1, 2) g
            WHERE \(isOfAll) OR g = \(part % 2 + 1);
            CREATE VIEW \(table)_\(id) AS SELECT * FROM \(table);
            """)
      }
    }
    for (place, node) in nodes.enumerated() {
      _ = try await connection.execute(
        """
        INSERT INTO pg_dist_node VALUES (\(Int32(place + 1)), \(node.host), \(Int32(node.port)), 'primary')
        """)
    }
  }
  return nodes
}
