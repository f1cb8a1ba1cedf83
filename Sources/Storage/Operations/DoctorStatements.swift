// SPDX-License-Identifier: Apache-2.0

public import Foundation
import PostgreSQL

/// The state of a PostgreSQL server.
public struct ServerState: Sendable, Equatable {
  /// The value of `server_version_num`, such as 150020.
  public var version: Int
  /// The server's time.
  public var time: Date
  /// Settings by name, in the format of `SHOW`.
  public var settings: [String: String]
  /// Whether it is a standby, which accepts no writes.
  public var isStandby: Bool
  /// Open connections of all users.
  public var connections: Int
  /// Whether this role may create tables, which partitions of reports and directories need.
  public var mayCreate: Bool
  /// Number of tables whose owner is neither this role nor one that it is a member of; it cannot migrate them.
  public var foreignTables: Int
  /// Whether the connection is encrypted or local.
  public var isPrivate: Bool
  /// Inactive replication slots: the server keeps WAL for them until the disk is full.
  public var idleSlots: [String]
}

/// Settings that decide whether acknowledged data survives a power cut, and how much load the server can carry.
private let serverSettings = [
  "fsync", "synchronous_commit", "full_page_writes", "wal_level", "max_connections", "data_checksums",
  "synchronous_standby_names", "shared_buffers",
]

extension SQL {
  /// Reads the state of the server.
  static func readServerState() -> Statement<ServerState> {
    Statement(
      """
      SELECT current_setting('server_version_num')::integer, statement_timestamp(),
             array(SELECT current_setting(name, true) FROM unnest($1::text[]) AS given (name)),
             pg_is_in_recovery(), (SELECT count(*)::integer FROM pg_stat_activity WHERE backend_type = 'client backend'),
             has_schema_privilege('public', 'CREATE'),
             (SELECT count(*)::integer FROM pg_class
              WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p')
                AND NOT pg_has_role(relowner, 'USAGE')),
             inet_client_addr() IS NULL OR inet_client_addr() <<= '127.0.0.0/8' OR inet_client_addr() = '::1'
               OR coalesce((SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()), false),
             array(SELECT slot_name::text FROM pg_replication_slots WHERE NOT active ORDER BY 1)
      """,
      serverSettings
    ) { row in
      let values: [String] = try row.decode(2)
      return ServerState(
        version: Int(try row.decode(0, as: Int32.self)), time: try row.decode(1),
        settings: Dictionary(zip(serverSettings, values), uniquingKeysWith: { first, _ in first }),
        isStandby: try row.decode(3), connections: Int(try row.decode(4, as: Int32.self)),
        mayCreate: try row.decode(5), foreignTables: Int(try row.decode(6, as: Int32.self)),
        isPrivate: try row.decode(7), idleSlots: try row.decode(8))
    }
  }
}

extension SQL {
  /// Number of protected patterns and numbers.
  static func countAllProtected() -> Statement<Int64> {
    Statement(
      """
      SELECT (SELECT count(*) FROM protected_patterns) + (SELECT count(*) FROM protected_numbers)
      """
    ) { try $0.decode(0) }
  }
}

extension OperationStore {
  /// The state of the server.
  /// - Throws: `PostgresError`.
  public func serverState() async throws -> ServerState? {
    try await pool.run(SQL.readServerState()).first
  }

  /// Number of protected patterns and numbers.
  /// - Throws: `PostgresError`.
  public func protectedCount() async throws -> Int {
    Int(try await pool.run(SQL.countAllProtected()).first ?? 0)
  }
}
