// SPDX-License-Identifier: Apache-2.0

public import PostgreSQL

/// The state of a database that is to be distributed: the size of its tables, and those that Citus distributes already.
public struct ClusterSurvey: Sendable, Equatable {
  /// The size of a table with its partitions and indexes.
  public struct Size: Sendable, Equatable {
    /// As the last ANALYZE estimated them.
    public let rows: Int64
    /// On this server: of a distributed table only what was not removed from the coordinator.
    public let bytes: Int64

    public init(rows: Int64, bytes: Int64) { (self.rows, self.bytes) = (rows, bytes) }
  }

  public let database: String
  /// By the name of the table.
  public let sizes: [String: Size]
  /// The names of distributed and of reference tables.
  public let placed: Set<String>
  /// The nodes that keep shards; nil where Citus is not installed in the database.
  public let nodes: Int?

  public init(database: String, sizes: [String: Size], placed: Set<String>, nodes: Int?) {
    (self.database, self.sizes, self.placed, self.nodes) = (database, sizes, placed, nodes)
  }

  /// Reads the catalog. Changes nothing.
  /// - Throws: `PostgresError`.
  public static func read(_ pool: PostgresPool) async throws -> ClusterSurvey {
    let isCluster = try await pool.run(SQL.readIsCluster()).first ?? false
    let tables = try await pool.run(SQL.readTableSizes())
    // Tables of Citus: no statement can name them where it is not installed.
    let (placed, nodes): ([String], Int64?) = try await pool.withConnection { connection in
      guard isCluster else { return ([], nil) }
      let names = try await connection.query("SELECT logicalrelid::regclass::text FROM pg_dist_partition")
      let nodes = try await connection.query("SELECT count(*) FROM pg_dist_node WHERE shouldhaveshards")
      return (try names.map { try $0.decode(0) }, try nodes.first?.decode(0))
    }
    return ClusterSurvey(
      database: tables.first?.database ?? "",
      sizes: Dictionary(tables.map { ($0.name, $0.size) }) { first, _ in first }, placed: Set(placed),
      nodes: nodes.map { Int($0) })
  }
}

extension SQL {
  static func readTableSizes() -> Statement<(database: String, name: String, size: ClusterSurvey.Size)> {
    Statement(
      """
      SELECT current_database()::text, r.relname::text,
             coalesce(sum(greatest(m.reltuples, 0)) FILTER (WHERE m.relkind = 'r'), 0)::bigint,
             sum(pg_total_relation_size(m.oid))::bigint
      FROM pg_class r
      JOIN (SELECT oid AS root, oid AS member FROM pg_class UNION ALL SELECT inhparent, inhrelid FROM pg_inherits) t
        ON t.root = r.oid
      JOIN pg_class m ON m.oid = t.member
      WHERE r.relnamespace = 'public'::regnamespace AND r.relkind IN ('r', 'p') AND NOT r.relispartition
      GROUP BY r.relname ORDER BY r.relname
      """
    ) { row in
      (
        try row.decode(0), try row.decode(1),
        ClusterSurvey.Size(rows: try row.decode(2), bytes: try row.decode(3))
      )
    }
  }
}
