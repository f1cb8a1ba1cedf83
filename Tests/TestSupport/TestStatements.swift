// SPDX-License-Identifier: Apache-2.0

public import PostgreSQL

extension PostgresPool {
  /// Runs a statement of a test.
  /// - Returns: the count of its rows.
  @discardableResult
  public func execute(_ statement: PostgresQuery) async throws -> Int {
    try await withConnection { try await $0.execute(statement) }
  }

  /// Reads the rows of a test's query.
  public func rows(_ query: PostgresQuery) async throws -> [PostgresRow] {
    try await withConnection { try await $0.query(query) }
  }

  /// Reads the first column of a test's query.
  public func column<T: PostgresDecodable & Sendable>(
    _ query: PostgresQuery, as type: T.Type = T.self
  ) async throws -> [T] {
    try await withConnection { try await $0.query(query).map { try $0.decode(0) } }
  }
}

/// Lets the first commit of an audit event fail at its end.
/// - Parameter failure: a level of `RAISE` with its options. After a WARNING the commit has succeeded without an
///   acknowledgement, as where a standby does not confirm it.
public func failFirstCommit(_ failure: String = "WARNING 'not confirmed'") async throws {
  try await pool.withConnection { connection in
    try await connection.execute(
      script: """
        CREATE SEQUENCE commits;
        CREATE FUNCTION fail_first_commit() RETURNS trigger LANGUAGE plpgsql AS
          $$ BEGIN IF nextval('commits') = 1 THEN RAISE \(failure); END IF; RETURN NULL; END $$;
        CREATE CONSTRAINT TRIGGER fail_first_commit AFTER INSERT ON audit_events DEFERRABLE INITIALLY DEFERRED
          FOR EACH ROW EXECUTE FUNCTION fail_first_commit();
        """)
  }
}
