// SPDX-License-Identifier: Apache-2.0

extension PostgresPool {
  /// Runs `body` in a transaction, and repeats it on a new connection after retryable errors: it must be idempotent.
  ///
  /// After a commit in doubt the repeated transaction waits for the standbys even when its work is already done.
  /// - Throws: The error of `body`, and `PostgresError` when the attempts are used up.
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

  /// Runs one statement in its own transaction, and repeats it on a new connection after retryable errors: it must be
  /// idempotent. As ``transaction(_:retry:_:)``, with fewer round trips.
  /// - Parameter settings: a command that runs first, without parameters.
  /// - Throws: `PostgresError` when the attempts are used up.
  public func commit<Row>(
    _ statement: Statement<Row>, settings: String, retry: PostgresRetryPolicy = .default
  ) async throws -> [Row] {
    try await retry.run { previous in
      let isInDoubt = previous?.leavesDoubt ?? false
      return try await withConnection { connection in
        guard isInDoubt else { return try await connection.commit(statement, settings: settings) }
        return try await connection.transaction { connection in
          try await connection.confirmDurability()
          try await connection.execute(script: settings)
          return try await connection.run(statement)
        }
      }
    }
  }

  /// Runs `body` outside a transaction, and repeats it after retryable errors: for single idempotent statements.
  ///
  /// After a lost connection the repeated `body` runs inside a transaction, so that its commit waits for the standbys
  /// even when its work is already done.
  /// - Throws: The error of `body`, and `PostgresError` when the attempts are used up.
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
