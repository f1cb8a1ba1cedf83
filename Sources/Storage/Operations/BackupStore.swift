// SPDX-License-Identifier: Apache-2.0

public import PostgreSQL

/// Queries of a backup.
public struct BackupStore: Sendable {
  private let pool: PostgresPool

  public init(pool: PostgresPool) {
    self.pool = pool
  }

  /// A snapshot of the database that another program can read too.
  public struct Snapshot: Sendable, Equatable {
    /// For `pg_dump --snapshot`.
    public let name: String
    /// For each table, as a dump names it, the one that has its rows: of a partition its parent.
    public let tables: [String: String]
    /// Whether the snapshot is of one moment: a cluster has none across its nodes.
    public let isOfOneMoment: Bool
    public let migrations: [Int64]
    /// The value of `server_version_num`, such as 150020.
    public let serverVersion: Int
    /// The newest publication in the database.
    public let publication: Publication?
  }

  /// Keeps a snapshot open while `body` runs.
  /// - Throws: `PostgresError`, and what `body` throws.
  public func withSnapshot<Result: Sendable>(
    _ body: @Sendable (Snapshot) async throws -> Result
  ) async throws -> Result {
    try await pool.withConnection { connection in
      try await connection.transaction(.repeatableRead, readOnly: true) { connection in
        let name = try await connection.run(SQL.exportSnapshot()).first ?? ""
        let tables = try await connection.run(SQL.readTables())
        return try await body(
          Snapshot(
            name: name, tables: Dictionary(tables.map { ($0.quoted, $0.root) }) { first, _ in first },
            isOfOneMoment: try await connection.run(SQL.readIsCluster()).first != true,
            migrations: try await connection.run(SQL.readAppliedMigrations()),
            serverVersion: try await connection.run(SQL.readServerVersion()).first ?? 0,
            publication: try await connection.run(SQL.readLatestPublication()).first))
      }
    }
  }

  /// PostgreSQL's version as in `server_version_num`, and the applied migrations.
  /// - Throws: `PostgresError`.
  public func versions() async throws -> (server: Int, migrations: [Int64]) {
    try await pool.withConnection { connection in
      (
        try await connection.run(SQL.readServerVersion()).first ?? 0,
        try await connection.run(SQL.readAppliedMigrations())
      )
    }
  }

  /// Row counts of all tables.
  public func tables() async throws -> [String: Int64] {
    try await pool.withConnection { connection in
      try await connection.transaction(.repeatableRead, readOnly: true) { try await Self.count(on: $0) }
    }
  }

  private static func count(on connection: PostgresConnection) async throws -> [String: Int64] {
    var counts: [String: Int64] = [:]
    for table in try await connection.run(SQL.readTables()) where !table.isPartition {
      // The name comes from the catalog, quoted.
      let rows = try await connection.query(PostgresQuery(unsafeRaw: "SELECT count(*) FROM \(table.quoted)"))
      counts[table.root] = try rows.first?.decode(0) ?? 0
    }
    return counts
  }
}

extension SQL {
  static func exportSnapshot() -> Statement<String> {
    Statement("SELECT pg_export_snapshot()")
  }

  /// All tables and partitions, each with the table that has its rows.
  static func readTables() -> Statement<(root: String, quoted: String, isPartition: Bool)> {
    Statement(
      """
      SELECT r.relname::text, format('public.%I', t.relname), t.relispartition
      FROM pg_class t JOIN pg_class r ON r.oid = CASE WHEN t.relispartition THEN pg_partition_root(t.oid) ELSE t.oid END
      WHERE t.relnamespace = 'public'::regnamespace AND t.relkind IN ('r', 'p') ORDER BY t.relname
      """
    ) { (try $0.decode(0), try $0.decode(1), try $0.decode(2)) }
  }

  static func readAppliedMigrations() -> Statement<Int64> {
    Statement("SELECT version FROM schema_migrations ORDER BY version")
  }

  static func readServerVersion() -> Statement<Int> {
    Statement("SELECT current_setting('server_version_num')::integer") { Int(try $0.decode(0, as: Int32.self)) }
  }
}
