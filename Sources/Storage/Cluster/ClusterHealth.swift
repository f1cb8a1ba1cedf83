// SPDX-License-Identifier: Apache-2.0

public import PostgreSQL

/// A node of a cluster that should keep shards: its address; whether the coordinator uses it, and it knows the places of all
/// shards; how many of the table of numbers it keeps; the version of Citus there, nil where it does not answer this program.
public typealias ClusterNode = (address: PostgresNode, isActive: Bool, shards: Int64, version: String?)

extension OperationStore {
  /// Asks the coordinator for its nodes, and each node for its version; nil without Citus.
  /// - Returns: the nodes by address, and the tables that the plan has yet to distribute.
  /// - Throws: `PostgresError` of the coordinator.
  public func cluster() async throws -> (nodes: [ClusterNode], unplaced: [String])? {
    let survey = try await ClusterSurvey.read(pool)
    guard survey.nodes != nil else { return nil }
    // Tables of Citus: no statement can name them where it is not installed.
    let rows = try await pool.withConnection { connection in
      try await connection.query(
        """
        SELECT n.nodename::text, n.nodeport::integer, n.isactive AND n.metadatasynced, n.groupid = 0, count(s.shardid)
        FROM pg_dist_node n LEFT JOIN pg_dist_placement p ON p.groupid = n.groupid
          LEFT JOIN pg_dist_shard s ON s.shardid = p.shardid AND s.logicalrelid = to_regclass('public.numbers')
        WHERE n.noderole::text = 'primary' AND n.shouldhaveshards GROUP BY 1, 2, 3, 4 ORDER BY 1, 2
        """)
    }
    var nodes: [ClusterNode] = []
    for row in rows {
      let address = PostgresNode(host: try row.decode(0), port: Int(try row.decode(1, as: Int32.self)))
      let here = try row.decode(3) ? pool : pool.node(address)
      let version = try? await here.run(SQL.readClusterVersion()).first
      nodes.append((address, try row.decode(2), try row.decode(4), version))
    }
    return (nodes, Set(ClusterPlan(survey: survey).steps.compactMap(\.table)).sorted())
  }
}

extension SQL {
  /// The version of Citus in the database; no row without it.
  static func readClusterVersion() -> Statement<String> {
    Statement("SELECT extversion FROM pg_extension WHERE extname = 'citus'")
  }
}
