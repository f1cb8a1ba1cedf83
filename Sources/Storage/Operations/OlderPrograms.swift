// SPDX-License-Identifier: Apache-2.0

public import Foundation
import PostgreSQL

/// An older version of this program that uses the database; it does not know this version's schema.
public struct OlderProgram: Sendable, Equatable {
  /// Address of its machine; nil for a local connection.
  public var address: String?
  /// Number of its connections.
  public var connections: Int
  /// When its first connection was opened.
  public var since: Date
}

extension SQL {
  /// Reads the connections of older versions.
  static func readOlderPrograms(version: Int64) -> Statement<OlderProgram> {
    Statement(
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
}

extension OperationStore {
  /// The application name of a connection, by which newer versions recognize this one.
  /// - Parameter version: of the newest migration that it knows.
  public static func programName(knowing version: Int64) -> String { "ringfence \(version)" }

  /// Older versions that use the database now. Without superuser rights, only connections of the same role are visible.
  /// - Parameter version: of the newest migration that this one knows.
  /// - Throws: `PostgresError`.
  public func olderPrograms(than version: Int64) async throws -> [OlderProgram] {
    try await pool.run(SQL.readOlderPrograms(version: version))
  }
}
