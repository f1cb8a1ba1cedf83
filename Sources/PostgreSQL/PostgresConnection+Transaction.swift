// SPDX-License-Identifier: Apache-2.0

import CLibPQ

extension PostgresConnection {
  /// Runs `body` in a transaction: commits at its end, rolls back when it throws. Inside another transaction it is a
  /// savepoint.
  ///
  /// BEGIN is sent with the first statement, and not at all without one. COMMIT is never canceled. Nothing is retried
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
  func confirmDurability() async throws {
    _ = try await query("SELECT CASE WHEN pg_is_in_recovery() THEN NULL ELSE pg_current_xact_id()::text END")
  }

  private func begin(_ isolation: PostgresIsolation, readOnly: Bool) throws {
    try checkUnoccupied()
    guard let link else { throw PostgresError(.connectionClosed) }
    guard link.isIdle else { throw PostgresError(.misuse("a transaction was begun by hand")) }
    opening = Self.beginning(isolation, readOnly: readOnly)
    transactionDepth = 1
  }

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

public enum PostgresIsolation: String, Sendable {
  /// Each statement sees data that was committed before it.
  case readCommitted = "READ COMMITTED"
  /// All statements see data that was committed before the first.
  case repeatableRead = "REPEATABLE READ"
  /// As if one transaction ran after another; may fail with 40001.
  case serializable = "SERIALIZABLE"
}

extension PostgresConnection {
  /// Runs a pipeline in a transaction of its own and commits it.
  ///
  /// As ``transaction(_:readOnly:_:)``, in two round trips and in one call on the connection's thread: BEGIN and the
  /// statements are sent together. COMMIT is sent when they have succeeded, and is never canceled.
  /// - Throws: `PostgresError`, as ``transaction(_:readOnly:_:)`` does.
  public func commit(_ pipeline: PostgresPipeline) async throws -> PostgresPipeline.Results {
    do {
      return try await commitOnce(pipeline)
    } catch let error as PostgresError where Self.isStale(error) {
      // The schema changed after planning, or the server dropped a statement; nothing was committed.
      forget(pipeline.statements)
      return try await commitOnce(pipeline)
    }
  }

  private func commitOnce(_ pipeline: PostgresPipeline) async throws -> PostgresPipeline.Results {
    try checkUnoccupied()
    guard transactionDepth == 0 else { throw PostgresError(.misuse("a commit inside a transaction")) }
    for statement in pipeline.statements { try statement.parameters.check() }
    let batches: [RowBatch]
    do {
      batches = try await perform(sql: pipeline.statements.last?.sql) { link in
        guard link.isIdle else { throw PostgresError(.misuse("a transaction was begun by hand")) }
        let named = try preparing(pipeline.statements, on: link)
        return try pipelined([PipelinedStatement(command: "BEGIN")] + named, on: link)
      }
    } catch {
      abandon()
      throw error
    }
    try commit()
    return PostgresPipeline.Results(batches: Array(batches.dropFirst()))
  }

  /// Rolls back a failed transaction, if there is one.
  func abandon() {
    closeBrokenPipeline()
    if let link, !link.isIdle { rollback() }
  }
}

extension PostgresConnection {
  /// Returns the connection to the idle state: no COPY, no stream, no transaction. A connection that cannot be reset is
  /// closed.
  func reset() {
    do {
      _ = status.takeAbandoned()
      try clearOccupation()
      transactionDepth = 0
      opening = nil
      try performWithoutCancellation { link in
        guard !link.isIdle else { return }
        _ = try accept(PQexec(link.pointer, "ROLLBACK"), on: link, sql: "ROLLBACK")
      }
    } catch {
      close()
    }
  }

  /// Ends an open COPY or stream whose reader was released.
  func clearOccupation() throws {
    guard let link, let occupation else { return }
    self.occupation = nil
    switch occupation {
    case .copyIn:
      PQputCopyEnd(link.pointer, "the source ended early")
    case .copyOut:
      link.gate.sendNow()
      var buffer: UnsafeMutablePointer<CChar>?
      while PQgetCopyData(link.pointer, &buffer, 0) > 0 { PQfreemem(buffer) }
    case .stream:
      if PQtransactionStatus(link.pointer) == PQTRANS_ACTIVE { link.gate.sendNow() }
    }
    while let result = PQgetResult(link.pointer) { PQclear(result) }
    if case .stream = occupation {
      _ = try accept(PQexec(link.pointer, "ROLLBACK"), on: link, sql: "ROLLBACK")
    }
  }
}
