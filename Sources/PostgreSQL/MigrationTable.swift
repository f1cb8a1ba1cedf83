// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The statements of the migrator's bookkeeping.
enum MigrationTable {
  /// Takes the lock of migrators until the transaction ends, or returns false where another migrator has it.
  ///
  /// A statement that waits for a lock keeps a snapshot, and CREATE INDEX CONCURRENTLY of the other migrator would wait
  /// for that snapshot. So this one does not wait.
  static let tryLock = Statement("SELECT pg_try_advisory_xact_lock(7165436911203)") { row -> Bool in
    try row.decode(0)
  }

  /// Bounds the waits for locks of tables until the transaction ends. Statements that come later queue behind a
  /// migration that waits, so it has to give up soon. It is shorter than PostgreSQL's `deadlock_timeout` (1 s): in a
  /// deadlock the migration gives way.
  static let limitLockWaits = "SET LOCAL lock_timeout = '500ms'"

  /// Keeps programs that start from reading the table until the transaction ends.
  static let lockTable = "LOCK TABLE schema_migrations IN ACCESS EXCLUSIVE MODE"

  /// The commands that drop what an interrupted CREATE INDEX CONCURRENTLY of this script left: an index that is never
  /// used, and that IF NOT EXISTS would accept.
  static func invalidIndexes(script: String) -> Statement<String> {
    Statement(
      """
      SELECT format('DROP INDEX CONCURRENTLY %s', indexrelid::regclass)
      FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
      WHERE NOT indisvalid AND relkind = 'i' AND strpos($1, relname) > 0
      """,
      script
    ) { try $0.decode(0) }
  }

  static let exists = Statement("SELECT to_regclass('schema_migrations') IS NOT NULL") { row -> Bool in
    try row.decode(0)
  }

  /// A connection that asked before another migrator committed may still be told that there is no table.
  static let create = Statement<Void>(
    """
    CREATE TABLE IF NOT EXISTS schema_migrations (
      version bigint PRIMARY KEY,
      name text NOT NULL,
      kind text NOT NULL CHECK (kind IN ('expand', 'contract')),
      checksum text NOT NULL,
      applied_at timestamptz NOT NULL,
      duration_ms bigint NOT NULL
    )
    """)

  static let readApplied = Statement(
    "SELECT version, name, kind, checksum, applied_at, duration_ms FROM schema_migrations ORDER BY version",
    decode: decodeMigration)

  private static func decodeMigration(_ row: PostgresRow) throws -> PostgresMigration {
    PostgresMigration(
      version: try row.decode(0), name: try row.decode(1),
      kind: PostgresMigration.Kind(rawValue: try row.decode(2)) ?? .contract, checksum: try row.decode(3),
      appliedAt: try row.decode(4), durationMilliseconds: try row.decode(5), state: .applied)
  }

  static func checksums(of scripts: [String]) -> Statement<String> {
    Statement(
      """
      SELECT encode(sha256(convert_to(script, 'UTF8')), 'hex')
      FROM unnest($1::text[]) WITH ORDINALITY AS given (script, place) ORDER BY place
      """,
      scripts
    ) { try $0.decode(0) }
  }

  static let readSearchPath = Statement("SELECT current_setting('search_path')") { row -> String in try row.decode(0) }

  static func setSearchPath(_ path: String) -> Statement<Void> {
    Statement("SELECT set_config('search_path', $1, false)", path)
  }

  static let transactionID = Statement("SELECT pg_current_xact_id()::text") { row -> String in try row.decode(0) }

  static func record(
    _ file: MigrationFile, checksum: String, appliedAt: Date, milliseconds: Int64
  ) -> Statement<PostgresMigration> {
    Statement(
      """
      INSERT INTO schema_migrations (version, name, kind, checksum, applied_at, duration_ms)
      VALUES ($1, $2, $3, $4, $5, $6) RETURNING version, name, kind, checksum, applied_at, duration_ms
      """,
      file.version, file.name, file.kind.rawValue, checksum, appliedAt, milliseconds, decode: decodeMigration)
  }
}
