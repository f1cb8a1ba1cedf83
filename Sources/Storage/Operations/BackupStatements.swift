// SPDX-License-Identifier: Apache-2.0

import PostgreSQL

/// Exports the transaction's snapshot to other connections.
struct ExportSnapshot: PostgresStatement {
  static let sql = "SELECT pg_export_snapshot()"
  static func decode(_ row: PostgresRow) throws -> String { try row.decode(0) }
}

/// All tables; partitions count in their parent table.
struct ReadTables: PostgresStatement {
  static let sql = """
    SELECT relname::text, format('%I', relname) FROM pg_class
    WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition ORDER BY relname
    """

  static func decode(_ row: PostgresRow) throws -> (name: String, quoted: String) {
    (try row.decode(0), try row.decode(1))
  }
}

/// Versions of the migrations that were applied.
struct ReadAppliedMigrations: PostgresStatement {
  static let sql = "SELECT version FROM schema_migrations ORDER BY version"
  static func decode(_ row: PostgresRow) throws -> Int64 { try row.decode(0) }
}

/// The version of PostgreSQL.
struct ReadServerVersion: PostgresStatement {
  static let sql = "SELECT current_setting('server_version_num')::integer"
  static func decode(_ row: PostgresRow) throws -> Int { Int(try row.decode(0, as: Int32.self)) }
}
