// SPDX-License-Identifier: Apache-2.0

public import Foundation
import PostgreSQL

/// The state of a PostgreSQL server.
public struct ServerState: Sendable, Equatable {
  /// The value of `server_version_num`, such as 150020.
  public var version: Int
  public var time: Date
  /// The encoding of the database, such as `UTF8`.
  public var encoding: String
  /// The versions of the database's collation by which its indexes were sorted, and by which this machine sorts; nil
  /// where they are equal or without a version.
  public var collations: Collations?
  /// Values of settings in their units (`pg_settings`), by name.
  public var settings: [String: String]
  /// Settings of the planner (`enable_…`) that are off although they are on by default.
  public var disabledPlans: [String]
  /// Whether it is a standby, which accepts no writes.
  public var isStandby: Bool
  /// Open connections of all users.
  public var connections: Int
  /// How many connections the server, the database and the role allow.
  public var connectionLimit: Int
  /// Whether this role may create tables, which partitions of reports and directories need.
  public var mayCreate: Bool
  /// Number of tables whose owner is neither this role nor one that it is a member of; it cannot migrate them.
  public var foreignTables: Int
  /// Whether the connection is encrypted or local.
  public var isPrivate: Bool
  /// Inactive replication slots: the server keeps WAL for them until the disk is full.
  public var idleSlots: [String]

  public struct Collations: Sendable, Equatable {
    /// The version by which indexes were sorted.
    public var stored: String
    /// The version of this machine.
    public var present: String
  }
}

/// Settings that decide whether acknowledged data survives a power cut, whether statements can end, and what they cost.
private let serverSettings = [
  "fsync", "synchronous_commit", "full_page_writes", "wal_level", "data_checksums",
  "synchronous_standby_names", "autovacuum", "track_counts", "standard_conforming_strings",
  "default_transaction_read_only", "default_transaction_isolation", "jit", "plan_cache_mode", "statement_timeout",
  "transaction_timeout", "idle_in_transaction_session_timeout", "lock_timeout",
]

extension OperationStore {
  /// - Throws: `PostgresError`.
  public func serverState() async throws -> ServerState? {
    try await pool.run(
      """
      SELECT current_setting('server_version_num')::integer, statement_timestamp(),
             array(SELECT coalesce(s.setting, '') FROM unnest($1::text[]) WITH ORDINALITY AS given (name, ordinal)
                   LEFT JOIN pg_settings s USING (name) ORDER BY ordinal),
             pg_is_in_recovery(), (SELECT count(*)::integer FROM pg_stat_activity WHERE backend_type = 'client backend'),
             has_schema_privilege('public', 'CREATE'),
             (SELECT count(*)::integer FROM pg_class
              WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p')
                AND NOT pg_has_role(relowner, 'USAGE')),
             inet_client_addr() IS NULL OR inet_client_addr() <<= '127.0.0.0/8' OR inet_client_addr() = '::1'
               OR coalesce((SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()), false),
             array(SELECT slot_name::text FROM pg_replication_slots WHERE NOT active ORDER BY 1),
             array(SELECT name FROM pg_settings
                   WHERE name LIKE 'enable@_%' ESCAPE '@' AND boot_val = 'on' AND reset_val = 'off' ORDER BY 1),
             pg_encoding_to_char(d.encoding), d.datcollversion, pg_database_collation_actual_version(d.oid),
             least(current_setting('max_connections')::integer, nullif(d.datconnlimit, -1),
                   (SELECT nullif(rolconnlimit, -1) FROM pg_roles WHERE rolname = current_user))
      FROM pg_database d WHERE d.datname = current_database()
      """,
      serverSettings
    ) { row in
      let values: [String] = try row.decode(2)
      let (stored, present): (String?, String?) = (try row.decode(11), try row.decode(12))
      return ServerState(
        version: Int(try row.decode(0, as: Int32.self)), time: try row.decode(1), encoding: try row.decode(10),
        collations: stored == present
          ? nil : stored.flatMap { stored in present.map { .init(stored: stored, present: $0) } },
        settings: Dictionary(zip(serverSettings, values), uniquingKeysWith: { first, _ in first }),
        disabledPlans: try row.decode(9), isStandby: try row.decode(3),
        connections: Int(try row.decode(4, as: Int32.self)),
        connectionLimit: Int(try row.decode(13, as: Int32.self)),
        mayCreate: try row.decode(5), foreignTables: Int(try row.decode(6, as: Int32.self)),
        isPrivate: try row.decode(7), idleSlots: try row.decode(8))
    }.first
  }

  /// Number of protected patterns and numbers.
  /// - Throws: `PostgresError`.
  public func protectedCount() async throws -> Int {
    try await pool.run(
      "SELECT (SELECT count(*) FROM protected_patterns) + (SELECT count(*) FROM protected_numbers)"
    ) { Int(try $0.decode(0, as: Int64.self)) }.first ?? 0
  }
}

extension SQL {
  /// The command that turns compilation of statements (JIT) off for this role in this database; no row where it is off.
  static func readJITCommand() -> Statement<String> {
    Statement(
      """
      SELECT format('ALTER ROLE %I IN DATABASE %I SET jit = off', current_user, current_database())
      WHERE current_setting('jit') = 'on'
      """)
  }
}

extension OperationStore {
  /// Turns compilation of statements (JIT) off for this role in this database. For connections through a pooler, which
  /// have no session of their own: others set it when they are opened.
  /// - Throws: `PostgresError`.
  public func turnCompilationOff() async throws {
    try await pool.retrying { connection in
      for command in try await connection.run(SQL.readJITCommand()) { try await connection.execute(script: command) }
    }
  }
}

/// The progress of PostgreSQL's archiver, which copies the write-ahead log to the archive.
public struct ArchiverState: Sendable, Equatable {
  /// The time by the database's clock.
  public var time: Date
  /// The last copied segment.
  public var lastSegment: String?
  public var lastTime: Date?
  /// Failed attempts since the statistics were reset.
  public var failures: Int64
  public var failedSegment: String?
  public var failedTime: Date?
  /// Segments that wait to be copied.
  public var waiting: Int64
  /// The time at which the oldest of them became full.
  public var waitingSince: Date?
}

extension OperationStore {
  /// The progress of the private PostgreSQL's archiver. The role of a PostgreSQL of DATABASE_URL may have no right to list the
  /// files.
  /// - Throws: `PostgresError`.
  public func archiverState() async throws -> ArchiverState? {
    try await pool.run(
      """
      SELECT statement_timestamp(), a.last_archived_wal, a.last_archived_time, a.failed_count, a.last_failed_wal,
             a.last_failed_time, r.files, r.oldest
      FROM pg_stat_archiver a,
           (SELECT count(*) AS files, min(modification) AS oldest FROM pg_ls_archive_statusdir()
            WHERE name LIKE '%.ready') r
      """
    ) { row in
      ArchiverState(
        time: try row.decode(0), lastSegment: try row.decode(1), lastTime: try row.decode(2),
        failures: try row.decode(3), failedSegment: try row.decode(4), failedTime: try row.decode(5),
        waiting: try row.decode(6), waitingSince: try row.decode(7))
    }.first
  }
}

/// An older version of this program that uses the database; it does not know this version's schema.
public struct OlderProgram: Sendable, Equatable {
  /// Address of its machine; nil for a local connection.
  public var address: String?
  public var connections: Int
  /// When its first connection was opened.
  public var since: Date
}

extension OperationStore {
  /// The application name of a connection, by which newer versions recognize this one.
  /// - Parameter version: of the newest migration that it knows.
  public static func programName(knowing version: Int64) -> String { "ringfence \(version)" }

  /// Older versions that use the database now. Without superuser rights, only connections of the same role are visible.
  /// - Parameter version: of the newest migration that this one knows.
  /// - Throws: `PostgresError`.
  public func olderPrograms(than version: Int64) async throws -> [OlderProgram] {
    try await pool.run(
      """
      SELECT host(client_addr), count(*), min(backend_start) FROM pg_stat_activity
      WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()
        AND CASE WHEN application_name ~ '^ringfence [0-9]{14}$' THEN substr(application_name, 11)::bigint < $1 END
      GROUP BY 1 ORDER BY 3
      """,
      version
    ) { row in
      OlderProgram(
        address: try row.decode(0), connections: Int(try row.decode(1, as: Int64.self)), since: try row.decode(2))
    }
  }

  /// Ends the idle connections of older versions that were opened before the last migration; these versions open new ones.
  /// PostgreSQL refuses a prepared statement once after a migration has changed a type of its result, and a program cannot
  /// repeat it within a transaction. Safe to call again.
  /// - Parameter version: of the newest migration that this one knows.
  /// - Returns: how many were ended, and how many are at work.
  /// - Throws: `PostgresError`.
  public func endOlderConnections(than version: Int64) async throws -> (ended: Int, left: Int) {
    try await pool.run(
      """
      SELECT count(*) FILTER (WHERE is_ended), count(*) FILTER (WHERE NOT is_ended) FROM (
        SELECT CASE WHEN state = 'idle' THEN pg_terminate_backend(pid) ELSE false END AS is_ended FROM pg_stat_activity
        WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()
          AND pg_has_role(usesysid, 'USAGE') AND backend_start < (SELECT max(applied_at) FROM schema_migrations)
          AND CASE WHEN application_name ~ '^ringfence [0-9]{14}$' THEN substr(application_name, 11)::bigint < $1 END
      ) c
      """,
      version
    ) { row in
      (ended: Int(try row.decode(0, as: Int64.self)), left: Int(try row.decode(1, as: Int64.self)))
    }.first ?? (0, 0)
  }
}
