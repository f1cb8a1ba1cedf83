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
