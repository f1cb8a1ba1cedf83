// SPDX-License-Identifier: Apache-2.0

import PostgreSQL
import Synchronization

/// The nodes of a cluster that keep the rows of numbers; without Citus the one server, and no question is asked.
///
/// Citus plans a statement on the node that receives it, and runs the parts for its own shards without a connection. So a
/// transaction about numbers of one node goes to that node, and the cost of planning falls with the number of workers. A
/// number is never written to a wrong place: a node that no longer keeps it sends the statement on. Where a node cannot do
/// the work, the coordinator does it, and for five minutes all further work of that node.
final class ShardNodes: Sendable {
  /// A shard of the table of numbers: the least hash of its numbers, the group of its node, which is 0 for the coordinator,
  /// and the node; nil for the coordinator, and for a node that does not know the places of all shards.
  private typealias Shard = (first: Int32, group: Int, node: PostgresNode?)

  private struct State {
    var isCluster: Bool?
    /// In the order of their first hashes.
    var shards: [Shard] = []
    var readAt: ContinuousClock.Instant?
    /// When nodes failed.
    var avoided: [PostgresNode: ContinuousClock.Instant] = [:]

    func shard(of number: Int64) -> Shard? {
      let hash = ShardNodes.hash(of: number)
      return shards.last { $0.first <= hash }
    }
  }

  private let pool: PostgresPool
  private let state: Mutex<State>

  /// - Parameters:
  ///   - pool: of the coordinator.
  ///   - isCluster: whether the database is a cluster; nil where the database says it.
  init(pool: PostgresPool, isCluster: Bool? = nil) {
    self.pool = pool
    state = Mutex(State(isCluster: isCluster))
  }

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
  func group(of number: Int64) -> Int { state.withLock { $0.shard(of: number)?.group ?? 0 } }

  /// Groups numbers by node.
  /// - Returns: each node with the places of its numbers in the list, ascending; nil is the coordinator.
  /// - Throws: `PostgresError`.
  func parts(of numbers: [Int64]) async throws -> [(node: PostgresNode?, places: [Int])] {
    guard try await isCluster else { return [(nil, Array(numbers.indices))] }
    let now = ContinuousClock.now
    if state.withLock({ $0.readAt.map { now - $0 > .seconds(60) } ?? true }) {
      // Without the places of shards, the coordinator does all work.
      let shards = (try? await Self.read(pool)) ?? []
      state.withLock { ($0.shards, $0.readAt) = (shards, now) }
    }
    return state.withLock { state in
      state.avoided = state.avoided.filter { now - $0.value < .seconds(300) }
      return Dictionary(grouping: numbers.indices) { place in
        state.shard(of: numbers[place])?.node.flatMap { state.avoided[$0] == nil ? $0 : nil }
      }.map { (node: $0.key, places: $0.value) }
    }
  }

  /// Does idempotent work on a node, or else on the coordinator.
  /// - Throws: the error of `body`.
  func run<Value: Sendable>(
    on node: PostgresNode?, _ body: @Sendable (PostgresPool, PostgresRetryPolicy) async throws -> Value
  ) async throws -> Value {
    guard let node else { return try await body(pool, .default) }
    do {
      // Few attempts, because the coordinator tries for longer.
      var retry = PostgresRetryPolicy.default
      retry.maximumAttempts = 3
      return try await body(pool.node(node), retry)
    } catch let error as PostgresError where error.kind != .cancelled && error.sqlState?.hasPrefix("2") != true {
      // Errors of classes 22 and 23 are about the rows, and would be the same everywhere.
      state.withLock { ($0.avoided[node], $0.readAt) = (.now, nil) }
      return try await body(pool, .default)
    }
  }

  /// Runs an idempotent transaction about one number on its node.
  /// - Throws: the error of `body`; `PostgresError`.
  func transaction<Value: Sendable>(
    about number: Int64, _ body: @Sendable (PostgresConnection) async throws -> Value
  ) async throws -> Value {
    try await run(on: try await parts(of: [number])[0].node) { try await $0.transaction(retry: $1, body) }
  }

  /// Reads tables of Citus, which no statement can name where it is not installed.
  private static func read(_ pool: PostgresPool) async throws -> [Shard] {
    try await pool.withConnection { connection in
      try await connection.query(
        """
        SELECT s.shardminvalue::integer, n.groupid::integer, n.nodename::text, n.nodeport::integer,
               n.groupid <> 0 AND n.isactive AND n.metadatasynced
        FROM pg_dist_shard s JOIN pg_dist_placement p ON p.shardid = s.shardid
          JOIN pg_dist_node n ON n.groupid = p.groupid AND n.noderole::text = 'primary'
        WHERE s.logicalrelid = 'public.numbers'::regclass ORDER BY 1
        """
      ).map { row in
        let node = PostgresNode(host: try row.decode(2), port: Int(try row.decode(3, as: Int32.self)))
        return (try row.decode(0), Int(try row.decode(1, as: Int32.self)), try row.decode(4) ? node : nil)
      }
    }
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
