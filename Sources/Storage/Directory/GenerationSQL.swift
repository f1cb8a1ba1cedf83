// SPDX-License-Identifier: Apache-2.0

import PostgreSQL

/// The table of one generation of a directory: filled on its own, attached when complete, dropped when old.
///
/// Each command is sent alone, because Citus does not create or attach a table in a text of several commands.
struct GenerationSQL {
  let generation: Int32

  private var table: String { "directory_entries_g\(generation)" }

  var create: [String] {
    [
      "CREATE TABLE \(table) (LIKE directory_entries INCLUDING CONSTRAINTS)",
      "ALTER TABLE \(table) ALTER generation SET DEFAULT \(generation)",
      "ALTER TABLE \(table) ADD CONSTRAINT \(table)_generation CHECK (generation = \(generation))",
    ]
  }

  /// FREEZE is safe: no session sees the table before its transaction has committed, and no older snapshot reads it.
  var copy: String {
    "COPY \(table) (number, mentions, name, category) FROM STDIN (FORMAT binary, FREEZE)"
  }

  /// The primary key is built from rows in key order.
  var attach: [String] {
    [
      "ALTER TABLE \(table) ADD PRIMARY KEY (number, generation)",
      "ALTER TABLE directory_entries ATTACH PARTITION \(table) FOR VALUES IN (\(generation))",
      "ALTER TABLE \(table) DROP CONSTRAINT \(table)_generation",
      "ANALYZE \(table)",
    ]
  }

  /// Waits at most two seconds for readers: the next import tries again.
  var drop: [String] { ["SET LOCAL lock_timeout = '2s'", "DROP TABLE IF EXISTS \(table)"] }
}

extension SQL {
  /// Generations that are attached, unless an open transaction may still read old ones: one whose snapshot is as old as the
  /// switch. Read in the same snapshot as ``ReadUsedGenerations``: Citus does not join catalogs with reference tables.
  static func findAttachedGenerations(switchedBy: String) -> Statement<Int32> {
    Statement(
      """
      SELECT g.generation FROM (
        SELECT substring(c.relname FROM '^directory_entries_g([0-9]{1,9})$')::integer AS generation
        FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
        WHERE i.inhparent = 'directory_entries'::regclass) g
      WHERE g.generation IS NOT NULL
        AND NOT EXISTS (
          SELECT 1 FROM pg_stat_activity a
          WHERE a.pid <> pg_backend_pid() AND a.datname = current_database() AND a.backend_type = 'client backend'
            AND a.backend_xmin IS NOT NULL AND age(a.backend_xmin) >= age($1::text::xid))
      ORDER BY g.generation
      """,
      switchedBy
    ) { try $0.decode(0) }
  }

  /// Generations that sources use.
  static func readUsedGenerations() -> Statement<Int32> {
    Statement(
      "SELECT generation FROM directory_sources WHERE generation IS NOT NULL"
    ) { try $0.decode(0) }
  }

  /// The current transaction, named as in pg_stat_activity.
  static func readTransactionID() -> Statement<String> {
    Statement(
      "SELECT pg_current_xact_id()::xid::text"
    ) { try $0.decode(0) }
  }
}
