// SPDX-License-Identifier: Apache-2.0

public import PostgreSQL

@testable import Storage

/// Makes the database a cluster by catalogs of Citus by their names alone: four shards on two workers, whose addresses differ,
/// and whose tables are views of the tables of the schema.
/// - Parameter second: the host of the second one; nil for the test's PostgreSQL.
/// - Returns: the workers.
@discardableResult
public func addWorkers(second: String? = nil) async throws -> [PostgresNode] {
  let variables = try pool.configuration.environment()
  let folder = variables["PGHOST"] ?? ""
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
