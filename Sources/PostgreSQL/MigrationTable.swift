#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The statements of the migrator's bookkeeping.
enum MigrationTable {
  struct Lock: PostgresStatement {
    typealias Row = Void
    static let sql = "SELECT pg_advisory_xact_lock(7165436911203)"
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
        checksum text NOT NULL,
        applied_at timestamptz NOT NULL,
        duration_ms bigint NOT NULL
      )
      """
  }

  struct Applied: PostgresStatement {
    static let sql = """
      SELECT version, name, checksum, applied_at, duration_ms FROM schema_migrations ORDER BY version
      """
    static func decode(_ row: PostgresRow) throws -> PostgresMigration {
      PostgresMigration(
        version: try row.decode(0), name: try row.decode(1), checksum: try row.decode(2),
        appliedAt: try row.decode(3), durationMilliseconds: try row.decode(4), state: .applied)
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

  struct TransactionID: PostgresStatement {
    static let sql = "SELECT pg_current_xact_id()::text"
    static func decode(_ row: PostgresRow) throws -> String { try row.decode(0) }
  }

  struct Record: PostgresStatement {
    static let sql = """
      INSERT INTO schema_migrations (version, name, checksum, applied_at, duration_ms) VALUES ($1, $2, $3, $4, $5)
      RETURNING version, name, checksum, applied_at, duration_ms
      """
    let version: Int64
    let name: String
    let checksum: String
    let appliedAt: Date
    let durationMilliseconds: Int64

    func bind(into parameters: inout PostgresParameters) {
      parameters.append(version)
      parameters.append(name)
      parameters.append(checksum)
      parameters.append(appliedAt)
      parameters.append(durationMilliseconds)
    }
    static func decode(_ row: PostgresRow) throws -> PostgresMigration { try Applied.decode(row) }
  }
}
