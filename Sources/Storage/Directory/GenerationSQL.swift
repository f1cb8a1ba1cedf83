import PostgreSQL

/// The table of one generation of a directory: filled on its own, attached when it is whole, dropped when it is old.
struct GenerationSQL {
  let generation: Int32

  private var table: String { "directory_entries_g\(generation)" }

  var create: String {
    """
    CREATE TABLE \(table) (LIKE directory_entries INCLUDING CONSTRAINTS);
    ALTER TABLE \(table) ALTER generation SET DEFAULT \(generation),
      ADD CONSTRAINT \(table)_generation CHECK (generation = \(generation))
    """
  }

  /// Frozen: nobody sees the table before its transaction has committed, and nobody who began before that asks for it.
  var copy: String {
    "COPY \(table) (number, mentions, name, category) FROM STDIN (FORMAT binary, FREEZE)"
  }

  /// The key is built at once from rows in its order.
  var attach: String {
    """
    ALTER TABLE \(table) ADD PRIMARY KEY (number, generation);
    ALTER TABLE directory_entries ATTACH PARTITION \(table) FOR VALUES IN (\(generation));
    ALTER TABLE \(table) DROP CONSTRAINT \(table)_generation;
    ANALYZE \(table)
    """
  }

  /// Waits two seconds at most for those who read: it is tried again by the next import.
  var drop: String { "SET LOCAL lock_timeout = '2s'; DROP TABLE IF EXISTS \(table)" }
}

/// Generations that count for no source any more, unless a transaction is open that may still read them: one whose
/// snapshot is as old as the switch.
struct FindOldGenerations: PostgresStatement {
  let switchedBy: String

  static let sql = """
    SELECT g.generation FROM (
      SELECT substring(c.relname FROM '^directory_entries_g([0-9]{1,9})$')::integer AS generation
      FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
      WHERE i.inhparent = 'directory_entries'::regclass) g
    WHERE g.generation IS NOT NULL
      AND NOT EXISTS (SELECT 1 FROM directory_sources s WHERE s.generation = g.generation)
      AND NOT EXISTS (
        SELECT 1 FROM pg_stat_activity a
        WHERE a.pid <> pg_backend_pid() AND a.datname = current_database() AND a.backend_type = 'client backend'
          AND a.backend_xmin IS NOT NULL AND age(a.backend_xmin) >= age($1::text::xid))
    ORDER BY g.generation
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(switchedBy)
  }

  static func decode(_ row: PostgresRow) throws -> Int32 { try row.decode(0) }
}

/// The transaction that is open, as pg_stat_activity names transactions.
struct ReadTransactionID: PostgresStatement {
  static let sql = "SELECT pg_current_xact_id()::xid::text"

  static func decode(_ row: PostgresRow) throws -> String { try row.decode(0) }
}
