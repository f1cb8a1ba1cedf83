// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The statements of the migrator's bookkeeping.
enum MigrationTable {
  /// Takes the lock of migrators until the transaction ends, or returns false where another one has it.
  ///
  /// A statement that waits for a lock keeps a snapshot, and CREATE INDEX CONCURRENTLY of the other migrator would wait
  /// for that snapshot. So this one does not wait.
  struct TryLock: PostgresStatement {
    static let sql = "SELECT pg_try_advisory_xact_lock(7165436911203)"
    static func decode(_ row: PostgresRow) throws -> Bool { try row.decode(0) }
  }

  /// Bounds the waits for locks of tables until the transaction ends. Statements that come later queue behind a
  /// migration that waits, so it has to give up soon. It is shorter than PostgreSQL's `deadlock_timeout` (1 s): in a
  /// deadlock the migration gives way.
  static let limitLockWaits = "SET LOCAL lock_timeout = '500ms'"

  /// Keeps programs that start from reading the table until the transaction ends.
  static let lockTable = "LOCK TABLE schema_migrations IN ACCESS EXCLUSIVE MODE"

  /// The commands that drop what an interrupted CREATE INDEX CONCURRENTLY of this script left: an index that is never
  /// used, and that IF NOT EXISTS would accept.
  struct InvalidIndexes: PostgresStatement {
    static let sql = """
      SELECT format('DROP INDEX CONCURRENTLY %s', indexrelid::regclass)
      FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
      WHERE NOT indisvalid AND relkind = 'i' AND strpos($1, relname) > 0
      """
    let script: String
    func bind(into parameters: inout PostgresParameters) { parameters.append(script) }
    static func decode(_ row: PostgresRow) throws -> String { try row.decode(0) }
  }

  struct Exists: PostgresStatement {
    static let sql = "SELECT to_regclass('schema_migrations') IS NOT NULL"
    static func decode(_ row: PostgresRow) throws -> Bool { try row.decode(0) }
  }

  struct Create: PostgresStatement {
    typealias Row = Void
    static let sql = """
      CREATE TABLE schema_migrations (
        version bigint PRIMARY KEY,
        name text NOT NULL,
        kind text NOT NULL CHECK (kind IN ('expand', 'contract')),
        checksum text NOT NULL,
        applied_at timestamptz NOT NULL,
        duration_ms bigint NOT NULL
      )
      """
  }

  struct Applied: PostgresStatement {
    static let sql = """
      SELECT version, name, kind, checksum, applied_at, duration_ms FROM schema_migrations ORDER BY version
      """
    static func decode(_ row: PostgresRow) throws -> PostgresMigration {
      PostgresMigration(
        version: try row.decode(0), name: try row.decode(1),
        kind: PostgresMigration.Kind(rawValue: try row.decode(2)) ?? .contract, checksum: try row.decode(3),
        appliedAt: try row.decode(4), durationMilliseconds: try row.decode(5), state: .applied)
    }
  }

  struct Checksums: PostgresStatement {
    static let sql = """
      SELECT encode(sha256(convert_to(script, 'UTF8')), 'hex')
      FROM unnest($1::text[]) WITH ORDINALITY AS given (script, place) ORDER BY place
      """
    let scripts: [String]
    func bind(into parameters: inout PostgresParameters) { parameters.append(scripts) }
    static func decode(_ row: PostgresRow) throws -> String { try row.decode(0) }
  }

  struct SearchPath: PostgresStatement {
    static let sql = "SELECT current_setting('search_path')"
    static func decode(_ row: PostgresRow) throws -> String { try row.decode(0) }
  }

  struct SetSearchPath: PostgresStatement {
    typealias Row = Void
    static let sql = "SELECT set_config('search_path', $1, false)"
    let path: String
    func bind(into parameters: inout PostgresParameters) { parameters.append(path) }
  }

  struct TransactionID: PostgresStatement {
    static let sql = "SELECT pg_current_xact_id()::text"
    static func decode(_ row: PostgresRow) throws -> String { try row.decode(0) }
  }

  struct Record: PostgresStatement {
    static let sql = """
      INSERT INTO schema_migrations (version, name, kind, checksum, applied_at, duration_ms)
      VALUES ($1, $2, $3, $4, $5, $6) RETURNING version, name, kind, checksum, applied_at, duration_ms
      """
    let version: Int64
    let name: String
    let kind: PostgresMigration.Kind
    let checksum: String
    let appliedAt: Date
    let durationMilliseconds: Int64

    func bind(into parameters: inout PostgresParameters) {
      parameters.append(version)
      parameters.append(name)
      parameters.append(kind.rawValue)
      parameters.append(checksum)
      parameters.append(appliedAt)
      parameters.append(durationMilliseconds)
    }
    static func decode(_ row: PostgresRow) throws -> PostgresMigration { try Applied.decode(row) }
  }
}
