// SPDX-License-Identifier: Apache-2.0

public import PostgreSQL

/// Whether the database answers.
public struct HealthStore: Sendable {
  let pool: PostgresPool
  private let shards: ShardNodes

  /// - Parameter pool: the pool that requests use.
  public init(pool: PostgresPool) {
    self.pool = pool
    shards = ShardNodes(pool: pool)
  }

  /// Runs the cheapest possible query.
  /// - Throws: `PostgresError` when the database does not answer.
  public func check() async throws {
    _ = try await pool.run(SQL.selectOne())
  }

  /// A node of the database.
  public struct Node: Sendable {
    /// Host and port; `coordinator` for the coordinator of a cluster, and for the one server without a cluster.
    public let name: String
    let pool: PostgresPool

    /// The same as ``HealthStore/check()`` on this node.
    public func check() async throws {
      _ = try await pool.run(SQL.selectOne())
    }
  }

  /// The nodes that keep data, by name.
  public func nodes() async -> [Node] {
    await shards.all().map { node, pool in
      Node(name: node.map { "\($0.host):\($0.port)" } ?? "coordinator", pool: pool)
    }.sorted { $0.name < $1.name }
  }
}

extension SQL {
  static func selectOne() -> Statement<Void> {
    Statement("SELECT 1")
  }
}

/// Versions and size of the database.
public struct StorageVersions: Sendable, Equatable {
  /// Version of PostgreSQL, such as `15.8`.
  public var server: String
  /// The newest migration that was applied; empty for none.
  public var migration: String
  public var databaseBytes: Int64
}

extension HealthStore {
  public func versions() async throws -> StorageVersions? {
    try await pool.run(
      """
      SELECT current_setting('server_version'), coalesce((SELECT max(version)::text FROM schema_migrations), ''),
             pg_database_size(current_database())
      """
    ) { row in
      StorageVersions(server: try row.decode(0), migration: try row.decode(1), databaseBytes: try row.decode(2))
    }.first
  }
}

/// SQL about the cluster that the database may be.
enum ClusterSQL {
  /// Whether Citus is installed in the database.
  static let isCluster = "(to_regproc('citus_version') IS NOT NULL)"
}

extension SQL {
  /// Whether Citus distributes the tables.
  static func readIsCluster() -> Statement<Bool> {
    Statement("SELECT \(ClusterSQL.isCluster)")
  }

  /// On a cluster, makes the transaction write its shards one after the other, in the same order as every other one, over
  /// one connection to each node. For transactions that write many shards and a reference table, or that create or drop
  /// a table: Citus refuses these over several connections to one node.
  static func writeShardsInOrder() -> Statement<Void> {
    Statement(
      """
      SELECT set_config('citus.multi_shard_modify_mode', 'sequential', true) WHERE \(ClusterSQL.isCluster)
      """)
  }

  /// Makes the transaction's other statements reuse their generic plans.
  ///
  /// For statements that read one number from partitioned tables: PostgreSQL estimates that planning such a statement for
  /// each number is cheaper, but planning takes longer than running it. Not for statements about intervals of numbers.
  /// Citus cannot plan without the values of parameters, so on a cluster the setting stays as it is by default.
  package static func keepPlans() -> Statement<Void> {
    Statement(
      """
      SELECT set_config(
        'plan_cache_mode', CASE WHEN \(ClusterSQL.isCluster) THEN 'auto' ELSE 'force_generic_plan' END, true)
      """)
  }

  /// Lets the transaction's statements run on one core, so that others keep theirs.
  static func withoutWorkers() -> Statement<Void> {
    Statement("SELECT set_config('max_parallel_workers_per_gather', '0', true)")
  }

  /// Lets each of the transaction's statements run for three seconds at most; a longer one fails with SQLSTATE 57014.
  static func limitTime() -> Statement<Void> {
    Statement("SELECT set_config('statement_timeout', '3s', true)")
  }

  /// Lets the transaction's commit return before it is on disk or on standbys: for data that may be lost in a crash.
  package static func commitSoon() -> Statement<Void> {
    Statement("SELECT set_config('synchronous_commit', 'off', true)")
  }
}
