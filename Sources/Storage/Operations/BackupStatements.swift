// SPDX-License-Identifier: Apache-2.0

import PostgreSQL

extension SQL {
  /// Exports the transaction's snapshot to other connections.
  static func exportSnapshot() -> Statement<String> {
    Statement(
      "SELECT pg_export_snapshot()"
    ) { try $0.decode(0) }
  }

  /// All tables; partitions count in their parent table.
  static func readTables() -> Statement<(name: String, quoted: String)> {
    Statement(
      """
      SELECT relname::text, format('%I', relname) FROM pg_class
      WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition ORDER BY relname
      """
    ) { (try $0.decode(0), try $0.decode(1)) }
  }

  /// Versions of the migrations that were applied.
  static func readAppliedMigrations() -> Statement<Int64> {
    Statement(
      "SELECT version FROM schema_migrations ORDER BY version"
    ) { try $0.decode(0) }
  }

  /// The version of PostgreSQL.
  static func readServerVersion() -> Statement<Int> {
    Statement(
      "SELECT current_setting('server_version_num')::integer"
    ) { Int(try $0.decode(0, as: Int32.self)) }
  }
}
