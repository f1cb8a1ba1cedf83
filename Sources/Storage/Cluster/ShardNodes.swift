// SPDX-License-Identifier: Apache-2.0

import PostgreSQL
import Synchronization

/// The nodes of a cluster that keep the rows of numbers; without Citus the one server, and no question is asked.
///
/// Reports are written on the node of their numbers, into the tables of its shards: planning and running the same statement by
/// Citus costs 3 to 14 times as much, and asks every node (record 0106). Other transactions about one number go to its node
/// as statements of Citus, which runs them there without a connection.
final class ShardNodes: Sendable {
  /// A shard of the table of numbers with the shards of other tables for the same hashes.
  private struct Shard {
    /// The least hash of its numbers.
    let first: Int32
    /// The group of its node, which is 0 for the coordinator.
    let group: Int
    /// Nil for the coordinator.
    let node: PostgresNode?
    let tables: IntakeTables
  }

  /// Numbers of one node.
  struct Part: Sendable {
    /// Nil for the coordinator, and without a cluster.
    let node: PostgresNode?
    /// The tables of each shard, with the places of its numbers in the list, ascending.
    var shards: [(tables: IntakeTables, places: [Int])]

    /// The ids of the shards of the table of numbers; empty without a cluster.
    private var ids: [Int64] { shards.compactMap { $0.tables.names.shards["numbers"] }.sorted() }

    /// Whether the tables are of shards, which may move.
    var mayMove: Bool { !ids.isEmpty }

    /// Begins a transaction of intake. One that writes into the tables of shards waits while one of them moves, and keeps them
    /// where they are until it ends, by the lock that Citus takes for its own changes of rows. The check that this node still
    /// keeps them is a statement of its own after the lock, so that it sees the moves for which the lock has waited.
    func open(_ pipeline: inout PostgresPipeline) {
      guard mayMove else {
        pipeline.add(SQL.useIndexes())
        return
      }
      pipeline.add(
        Statement<Void>(
          """
          SELECT set_config('enable_seqscan', 'off', true), set_config('citus.enable_manual_changes_to_shards', 'on', true),
                 lock_shard_metadata(5, $1::bigint[])
          """,
          ids))
      pipeline.add(
        Statement<Void>(
          """
          SELECT 1 / (count(*) / cardinality($1::bigint[]))
          FROM pg_dist_placement JOIN pg_dist_local_group USING (groupid) WHERE shardid = ANY($1::bigint[])
          """,
          ids))
    }
  }

  private struct State {
    var isCluster: Bool?
    /// In the order of their first hashes.
    var shards: [Shard] = []
    var readAt: ContinuousClock.Instant?

    func place(of number: Int64) -> Int? {
      let hash = ShardNodes.hash(of: number)
      return shards.lastIndex { $0.first <= hash }
    }
  }

  private let pool: PostgresPool
  private let state = Mutex(State())

  /// - Parameter pool: of the coordinator.
  init(pool: PostgresPool) { self.pool = pool }

  /// Whether Citus distributes the tables; asked once.
  /// - Throws: `PostgresError`.
  var isCluster: Bool {
    get async throws {
      if let isCluster = state.withLock({ $0.isCluster }) { return isCluster }
      let isCluster = try await pool.run(SQL.readIsCluster()).first ?? false
      state.withLock { $0.isCluster = isCluster }
      return isCluster
    }
  }

  /// The group of the node of a number; 0 before the first call of ``parts(of:)``.
  func group(of number: Int64) -> Int {
    state.withLock { state in state.place(of: number).map { state.shards[$0].group } ?? 0 }
  }

  /// Groups numbers by node and shard.
  /// - Throws: `PostgresError`; ``StorageError/notDistributed(table:)``.
  func parts(of numbers: [Int64]) async throws -> [Part] {
    guard try await isCluster else {
      return [Part(node: nil, shards: [(.schema, Array(numbers.indices))])]
    }
    try await refresh()
    return state.withLock { state in
      // Citus is installed, and no table is distributed.
      guard !state.shards.isEmpty else { return [Part(node: nil, shards: [(.schema, Array(numbers.indices))])] }
      let byShard = Dictionary(grouping: numbers.indices) { state.place(of: numbers[$0]) ?? 0 }
      var parts: [Int: Part] = [:]
      // In the same order in every transaction.
      for (place, places) in byShard.sorted(by: { $0.key < $1.key }) {
        let shard = state.shards[place]
        parts[shard.group, default: Part(node: shard.node, shards: [])].shards.append((shard.tables, places))
      }
      return Array(parts.values)
    }
  }

  /// - Throws: ``StorageError/unsuitableCluster(version:)``, ``StorageError/notDistributed(table:)``; `PostgresError`.
  func check() async throws {
    guard try await isCluster else { return }
    let found = try await pool.withConnection { connection in
      try await connection.query(
        """
        SELECT extversion FROM pg_extension WHERE extname = 'citus'
          AND (to_regprocedure('lock_shard_metadata(integer, bigint[])') IS NULL
               OR to_regclass('pg_dist_local_group') IS NULL
               OR current_setting('citus.enable_manual_changes_to_shards', true) IS NULL)
        """
      ).map { try $0.decode(0, as: String.self) }
    }
    if let version = found.first { throw StorageError.unsuitableCluster(version: version) }
    try await refresh()
  }

  /// Reads the places of the shards, each minute and after an error. Each node knows them, so the coordinator may be away.
  private func refresh() async throws {
    let now = ContinuousClock.now
    let (isFresh, known) = state.withLock { state in
      (state.readAt.map { now - $0 < .seconds(60) } ?? false, Set(state.shards.compactMap(\.node)))
    }
    guard !isFresh else { return }
    var failure: (any Error)?
    for node in [nil] + known.map(Optional.some) {
      do {
        let shards = try await Self.read(node.map(pool.node) ?? pool)
        return state.withLock { ($0.shards, $0.readAt) = (shards, now) }
      } catch let error as PostgresError {
        failure = failure ?? error
      }
    }
    if known.isEmpty, let failure { throw failure }
  }

  /// Makes the next call read the places of the shards.
  func forget() { state.withLock { $0.readAt = nil } }

  /// Does idempotent work on a node.
  /// - Throws: the error of `body`.
  func run<Value: Sendable>(
    on node: PostgresNode?, _ body: @Sendable (PostgresPool, PostgresRetryPolicy) async throws -> Value
  ) async throws -> Value {
    do {
      guard let node else { return try await body(pool, .default) }
      // Few attempts: the place may have changed, and other nodes are not to wait for this one.
      var retry = PostgresRetryPolicy.default
      retry.maximumAttempts = 3
      return try await body(pool.node(node), retry)
    } catch {
      forget()
      throw error
    }
  }

  /// Runs an idempotent transaction about one number on its node.
  /// - Throws: the error of `body`; `PostgresError`.
  func transaction<Value: Sendable>(
    about number: Int64, _ body: @Sendable (PostgresConnection) async throws -> Value
  ) async throws -> Value {
    try await run(on: try await parts(of: [number])[0].node) { try await $0.transaction(retry: $1, body) }
  }

  /// Connections for reading what is stored about one number.
  /// - Throws: `PostgresError`.
  func reader(of number: Int64) async throws -> PostgresPool {
    try await parts(of: [number])[0].node.map(pool.node) ?? pool
  }

  /// Runs a statement about reference tables on the coordinator, or on another node where it does not answer.
  /// - Throws: `PostgresError`.
  func readAnywhere<Row>(_ statement: Statement<Row>) async throws -> [Row] {
    if try await isCluster { try? await refresh() }
    do {
      return try await pool.run(statement)
    } catch let error as PostgresError where StoreFailure(error) == .unavailable {
      for node in state.withLock({ Set($0.shards.compactMap(\.node)) }) {
        if let rows = try? await pool.node(node).run(statement) { return rows }
      }
      throw error
    }
  }

  /// All nodes with their connections; the coordinator, or the one server, has no address.
  func all() async -> [(node: PostgresNode?, pool: PostgresPool)] {
    if (try? await isCluster) == true { try? await refresh() }
    let nodes = state.withLock { Set($0.shards.compactMap(\.node)) }
    return [(nil, pool)] + nodes.map { ($0, pool.node($0)) }
  }

  /// Reads tables of Citus, which no statement can name where it is not installed.
  private static func read(_ pool: PostgresPool) async throws -> [Shard] {
    let rows = try await pool.withConnection { connection in
      try await connection.query(
        """
        SELECT s.logicalrelid::regclass::text, s.shardid, s.shardminvalue::integer, n.groupid::integer, n.nodename::text,
               n.nodeport::integer
        FROM pg_dist_shard s LEFT JOIN pg_dist_placement p ON p.shardid = s.shardid AND s.shardminvalue IS NOT NULL
          LEFT JOIN pg_dist_node n ON n.groupid = p.groupid AND n.noderole::text = 'primary'
        WHERE s.logicalrelid::regclass::text = ANY(\(IntakeTables.distributed + IntakeTables.references))
        """
      ).map { row in
        (
          table: try row.decode(0, as: String.self), id: try row.decode(1, as: Int64.self),
          first: try row.decode(2, as: Int32?.self), group: try row.decode(3, as: Int32?.self),
          host: try row.decode(4, as: String?.self), port: try row.decode(5, as: Int32?.self)
        )
      }
    }
    guard !rows.isEmpty else { return [] }
    let present = Set(rows.map(\.table))
    for table in IntakeTables.distributed + IntakeTables.references where !present.contains(table) {
      throw StorageError.notDistributed(table: table)
    }
    let references = rows.filter { $0.first == nil }.map { ($0.table, $0.id) }
    return Dictionary(grouping: rows.filter { $0.first != nil }) { $0.first ?? 0 }.compactMap { first, rows in
      guard let row = rows.first, let group = row.group, let host = row.host, let port = row.port else { return nil }
      let names = Dictionary(rows.map { ($0.table, $0.id) } + references) { first, _ in first }
      return Shard(
        first: first, group: Int(group), node: group == 0 ? nil : PostgresNode(host: host, port: Int(port)),
        tables: IntakeTables(TableNames(shards: names)))
    }.sorted { $0.first < $1.first }
  }

  /// PostgreSQL's `hashint8`, by which Citus distributes numbers.
  static func hash(of number: Int64) -> Int32 {
    let (low, high) = (UInt32(truncatingIfNeeded: number), UInt32(truncatingIfNeeded: number >> 32))
    let start: UInt32 = 0x9e37_79b9 &+ 4 &+ 3_923_095
    var values = [start &+ (low ^ (number >= 0 ? high : ~high)), start, start]
    for (target, source, bits) in [(2, 1, 14), (0, 2, 11), (1, 0, 25), (2, 1, 16), (0, 2, 4), (1, 0, 14), (2, 1, 24)] {
      let value = values[source]
      values[target] = (values[target] ^ value) &- (value << UInt32(bits) | value >> UInt32(32 - bits))
    }
    return Int32(bitPattern: values[2])
  }
}

extension PostgresError {
  /// Whether a transaction found that its shards have moved to another node; see ``ShardNodes/Part/open(_:)``.
  var isOfMovedShard: Bool { sqlState == "22012" || sqlState == "42P01" }
}
