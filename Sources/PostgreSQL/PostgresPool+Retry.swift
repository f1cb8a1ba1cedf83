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

  /// Runs a pipeline in its own transaction, and repeats it on a new connection after retryable errors: it must be
  /// idempotent. As ``transaction(_:retry:_:)``, with fewer round trips.
  /// - Throws: `PostgresError` when the attempts are used up.
  public func commit(
    _ pipeline: PostgresPipeline, retry: PostgresRetryPolicy = .default
  ) async throws -> PostgresPipeline.Results {
    try await retry.run { previous in
      let isInDoubt = previous?.leavesDoubt ?? false
      return try await withConnection { connection in
        guard isInDoubt else { return try await connection.commit(pipeline) }
        return try await connection.transaction { connection in
          try await connection.confirmDurability()
          return try await connection.run(pipeline)
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

/// The number of attempts and the pauses between them for errors with `PostgresError.isRetryable`.
public struct PostgresRetryPolicy: Sendable {
  /// The most attempts, at least 1, including the first.
  public var maximumAttempts: Int
  /// The upper bound of the first pause; it doubles each time, and each pause is random between half of it and all of
  /// it.
  public var firstPause: Duration
  /// The upper bound of every pause.
  public var longestPause: Duration

  public init(maximumAttempts: Int, firstPause: Duration, longestPause: Duration) {
    self.maximumAttempts = max(1, maximumAttempts)
    self.firstPause = firstPause
    self.longestPause = longestPause
  }

  /// Sixteen attempts in up to 25 seconds: longer than a standby needs to become the primary.
  public static let `default` = PostgresRetryPolicy(
    maximumAttempts: 16, firstPause: .milliseconds(10), longestPause: .seconds(3))
  public static let never = PostgresRetryPolicy(maximumAttempts: 1, firstPause: .zero, longestPause: .zero)

  func pause(after attempt: Int) -> Duration {
    let bound = min(firstPause * (1 << min(attempt - 1, 20)), longestPause)
    return bound * Double.random(in: 0.5...1)
  }

  /// Runs `body` until it succeeds, fails with an error that is not retryable, or the attempts are used up; it receives
  /// the previous error.
  func run<T: Sendable>(_ body: (PostgresError?) async throws -> T) async throws -> T {
    var last: PostgresError?
    var wasInDoubt: PostgresError?
    var attempt = 1
    while true {
      do {
        return try await body(wasInDoubt ?? last)
      } catch let error as PostgresError where error.isRetryable && attempt < maximumAttempts {
        if error.leavesDoubt { wasInDoubt = error }
        last = error
        do {
          try await Task.sleep(for: pause(after: attempt))
        } catch {
          throw PostgresError(.cancelled)
        }
        attempt += 1
      }
    }
  }
}

extension PostgresError {
  /// Whether the work may have been committed.
  var leavesDoubt: Bool { kind == .connectionLost || kind == .acknowledgementInDoubt }
}
