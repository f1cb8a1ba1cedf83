public import Foundation
import PostgreSQL

/// Where an older version of this program uses the database: it does not know the schema that this one brings.
public struct OlderProgram: Sendable, Equatable {
  /// The address of its machine; nil for the database's own.
  public var address: String?
  /// How many connections it has.
  public var connections: Int
  /// When the first of them was made.
  public var since: Date
}

/// Asks the server for connections that say they are older.
struct ReadOlderPrograms: PostgresStatement {
  let version: Int64

  static let sql = """
    SELECT host(client_addr), count(*), min(backend_start) FROM pg_stat_activity
    WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()
      AND CASE WHEN application_name ~ '^ringfence [0-9]{14}$' THEN substr(application_name, 11)::bigint < $1 END
    GROUP BY 1 ORDER BY 3
    """

  func bind(into parameters: inout PostgresParameters) { parameters.append(version) }

  static func decode(_ row: PostgresRow) throws -> OlderProgram {
    OlderProgram(
      address: try row.decode(0), connections: Int(try row.decode(1, as: Int64.self)), since: try row.decode(2))
  }
}

extension OperationStore {
  /// What a program says of itself to the server, so that newer ones see it.
  /// - Parameter version: of the newest migration that it knows.
  public static func programName(knowing version: Int64) -> String { "ringfence \(version)" }

  /// Older programs that use the database now. A role that is no superuser sees those of its own role.
  /// - Parameter version: of the newest migration that this one knows.
  /// - Throws: `PostgresError`.
  public func olderPrograms(than version: Int64) async throws -> [OlderProgram] {
    try await pool.run(ReadOlderPrograms(version: version))
  }
}
