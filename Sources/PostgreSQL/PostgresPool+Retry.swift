extension PostgresPool {
  /// Runs `body` in a transaction, and again on a new connection for the retryable errors: it must be idempotent.
  ///
  /// After a commit in doubt the repeated transaction waits for the standbys even when it finds its work done.
  /// - Throws: What `body` throws, and `PostgresError` when the tries are used up.
  @discardableResult
  public func transaction<T: Sendable>(
    _ isolation: PostgresIsolation = .readCommitted, retry: PostgresRetryPolicy = .default,
    _ body: @Sendable (PostgresConnection) async throws -> T
  ) async throws -> T {
    try await retry.run { previous in
      let isInDoubt = previous?.leavesDoubt ?? false
      return try await withConnection { connection in
        try await connection.transaction(isolation) { connection in
          if isInDoubt { try await connection.confirmDurability() }
          return try await body(connection)
        }
      }
    }
  }

  /// Runs `body` outside a transaction, and again for the retryable errors: for single idempotent statements.
  ///
  /// After a connection was lost the repeated `body` runs inside a transaction, so that its commit waits for the
  /// standbys even when it finds its work done.
  /// - Throws: What `body` throws, and `PostgresError` when the tries are used up.
  @discardableResult
  public func retrying<T: Sendable>(
    _ retry: PostgresRetryPolicy = .default, _ body: @Sendable (PostgresConnection) async throws -> T
  ) async throws -> T {
    try await retry.run { previous in
      let isInDoubt = previous?.leavesDoubt ?? false
      return try await withConnection { connection in
        guard isInDoubt else { return try await body(connection) }
        return try await connection.transaction { connection in
          try await connection.confirmDurability()
          return try await body(connection)
        }
      }
    }
  }
}
