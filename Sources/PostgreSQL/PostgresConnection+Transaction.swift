// SPDX-License-Identifier: Apache-2.0

import CLibPQ

extension PostgresConnection {
  /// Runs `body` in a transaction: commits at its end, rolls back when it throws. Inside another transaction it is a
  /// savepoint.
  ///
  /// BEGIN is sent with the first statement, and not at all without one. COMMIT is never cancelled. Nothing is retried
  /// here: see `PostgresPool.transaction`.
  /// - Throws: The error of `body`; `acknowledgementInDoubt` when COMMIT was sent and not acknowledged, or a standby
  ///   did not confirm; `transactionAborted` when a statement failed and `body` continued.
  @discardableResult
  public func transaction<T: Sendable>(
    _ isolation: PostgresIsolation = .readCommitted, readOnly: Bool = false,
    _ body: @Sendable (PostgresConnection) async throws -> T
  ) async throws -> T {
    if transactionDepth > 0 { return try await savepoint(body) }
    try begin(isolation, readOnly: readOnly)
    let value: T
    do {
      value = try await body(self)
    } catch {
      rollback()
      throw error
    }
    try commit()
    return value
  }

  /// Makes the commit of this transaction wait for the standbys even when it changes nothing.
  ///
  /// After a commit in doubt the repeated work finds its rows, writes nothing, and would be acknowledged without
  /// waiting. `PostgresPool` calls this when it retries.
  public func confirmDurability() async throws {
    _ = try await query("SELECT CASE WHEN pg_is_in_recovery() THEN NULL ELSE pg_current_xact_id()::text END")
  }

  private func begin(_ isolation: PostgresIsolation, readOnly: Bool) throws {
    try checkUnoccupied()
    guard let link else { throw PostgresError(.connectionClosed) }
    guard link.isIdle else { throw PostgresError(.misuse("a transaction was begun by hand")) }
    opening = Self.beginning(isolation, readOnly: readOnly)
    transactionDepth = 1
  }

  /// The command that starts a transaction.
  static func beginning(_ isolation: PostgresIsolation, readOnly: Bool) -> String {
    let level = isolation == .readCommitted ? "" : " ISOLATION LEVEL \(isolation.rawValue)"
    return "BEGIN\(level)\(readOnly ? " READ ONLY" : "")"
  }

  /// Takes the pending BEGIN, to be sent before the next statement.
  func takeOpening() -> String? {
    defer { opening = nil }
    return opening
  }

  func commit() throws {
    defer { transactionDepth = 0 }
    guard takeOpening() == nil else { return }
    do {
      try performWithoutCancellation(sql: "COMMIT") { link in
        guard !link.isIdle else { throw PostgresError(.transactionAborted) }
        _ = notices.takeWarnings()
        let batch = try accept(PQexec(link.pointer, "COMMIT"), on: link, sql: "COMMIT")
        let warning = notices.takeWarnings().first { ["01000", "57P01"].contains($0.sqlState) }
        if let warning { throw PostgresError(.acknowledgementInDoubt, server: warning, sql: "COMMIT") }
        guard batch.commandTag == "COMMIT" else { throw PostgresError(.transactionAborted) }
      }
    } catch let error as PostgresError where error.kind == .connectionLost {
      throw PostgresError(
        .acknowledgementInDoubt, server: error.server, sql: error.sql, clientMessage: error.clientMessage)
    }
  }

  func rollback() {
    transactionDepth = 0
    guard takeOpening() == nil else { return }
    do {
      try performWithoutCancellation(sql: "ROLLBACK") { link in
        _ = try accept(PQexec(link.pointer, "ROLLBACK"), on: link, sql: "ROLLBACK")
      }
    } catch {
      close()
    }
  }

  private func savepoint<T: Sendable>(
    _ body: @Sendable (PostgresConnection) async throws -> T
  ) async throws -> T {
    let name = "level_\(transactionDepth)"
    try await execute(script: "SAVEPOINT \(name)")
    transactionDepth += 1
    defer { transactionDepth -= 1 }
    let value: T
    do {
      value = try await body(self)
    } catch {
      let sql = "ROLLBACK TO SAVEPOINT \(name); RELEASE SAVEPOINT \(name)"
      try? performWithoutCancellation(sql: sql) { link in
        _ = try accept(PQexec(link.pointer, sql), on: link, sql: sql)
      }
      throw error
    }
    try await execute(script: "RELEASE SAVEPOINT \(name)")
    return value
  }
}
