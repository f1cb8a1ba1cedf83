// SPDX-License-Identifier: Apache-2.0

import PostgreSQL

/// Versions and size of the database.
public struct StorageVersions: Sendable, Equatable {
  /// Version of PostgreSQL, such as `15.8`.
  public var server: String
  /// The newest migration that was applied; empty for none.
  public var migration: String
  /// Size of the database in bytes.
  public var databaseBytes: Int64
}

extension SQL {
  /// Reads versions and size of the database.
  static func readVersions() -> Statement<StorageVersions> {
    Statement(
      """
      SELECT current_setting('server_version'), coalesce((SELECT max(version)::text FROM schema_migrations), ''),
             pg_database_size(current_database())
      """
    ) { row in
      StorageVersions(server: try row.decode(0), migration: try row.decode(1), databaseBytes: try row.decode(2))
    }
  }
}

extension HealthStore {
  /// Versions and size of the database.
  public func versions() async throws -> StorageVersions? {
    try await pool.run(SQL.readVersions()).first
  }
}
