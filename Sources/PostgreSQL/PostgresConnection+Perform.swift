// SPDX-License-Identifier: Apache-2.0

import CLibPQ

extension PostgresConnection {
  /// Runs blocking libpq calls on the connection's thread; canceling the task cancels them on the server.
  /// - Parameter opens: whether to send the pending BEGIN; otherwise `body` does.
  func perform<T: Sendable>(sql: String? = nil, opens: Bool = true, _ body: (LibPQConnection) throws -> T) async throws
    -> T
  {
    let link = try readyLink()
    guard !Task.isCancelled else { throw PostgresError(.cancelled, sql: sql) }
    let gate = link.gate
    let ticket = gate.begin()
    status.beginCall()
    defer {
      status.endCall()
      gate.end()
      noteStatus(link)
    }
    do {
      return try await withTaskCancellationHandler {
        #if DEBUG
          StatementRecord.noteSent(sql)
        #endif
        if opens { try sendOpening(on: link) }
        let value = try body(link)
        try checkReplication(sql: sql)
        return value
      } onCancel: {
        gate.request(ticket)
      }
    } catch let error as PostgresError where error.sqlState == "57014" && Task.isCancelled {
      throw PostgresError(.cancelled, server: error.server, sql: sql)
    }
  }

  /// The same for operations that must not be canceled: COMMIT, ROLLBACK, cleanup.
  func performWithoutCancellation<T>(sql: String? = nil, _ body: (LibPQConnection) throws -> T) throws -> T {
    let link = try readyLink()
    status.beginCall()
    defer {
      status.endCall()
      noteStatus(link)
    }
    try sendOpening(on: link)
    let value = try body(link)
    try checkReplication(sql: sql)
    return value
  }

  /// Sends the pending BEGIN.
  func sendOpening(on link: LibPQConnection) throws {
    guard let sql = opening else { return }
    // When BEGIN fails it stays pending, so that nothing runs outside the transaction.
    _ = try accept(PQexec(link.pointer, sql), on: link, sql: sql)
    opening = nil
  }

  /// Takes ownership of a result.
  ///
  /// - Throws: `PostgresError` of kind `server` or `connectionLost`.
  func accept(_ result: OpaquePointer?, on link: LibPQConnection, sql: String?) throws -> RowBatch {
    guard let result else { throw failure(link, server: nil, sql: sql) }
    switch PQresultStatus(result) {
    case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_EMPTY_QUERY, PGRES_COPY_IN, PGRES_COPY_OUT:
      return RowBatch(result: result)
    default:
      defer { PQclear(result) }
      throw failure(link, server: PostgresMessage(result: result), sql: sql)
    }
  }

  func failure(_ link: LibPQConnection, server: PostgresMessage?, sql: String?) -> PostgresError {
    let said = server.flatMap { $0.sqlState.isEmpty ? nil : $0 }
    if link.isLost {
      return PostgresError(.connectionLost, server: said, sql: sql, clientMessage: link.message)
    }
    guard let said else { return PostgresError(.connectionLost, sql: sql, clientMessage: link.message) }
    // The server is a standby now: behind a pooler or a proxy, connections outlive a change of the primary.
    if said.sqlState == "25006" { status.drop() }
    return PostgresError(.server(sqlState: said.sqlState), server: said, sql: sql)
  }

  /// A statement whose wait for a standby was canceled succeeds with a warning, and is then not acknowledged.
  private func checkReplication(sql: String?) throws {
    for warning in notices.takeWarnings() where warning.sourceFunction == "SyncRepWaitForLSN" {
      throw PostgresError(.acknowledgementInDoubt, server: warning, sql: sql)
    }
  }

  private func noteStatus(_ link: LibPQConnection) {
    if link.isLost {
      close()
    } else {
      status.value = link.isIdle && occupation == nil ? .idle : .dirty
    }
  }

  /// The link, after cleaning up an abandoned stream.
  private func readyLink() throws -> LibPQConnection {
    try clearAbandoned()
    guard let link else { throw PostgresError(.connectionClosed) }
    return link
  }

  /// Refuses a statement while a COPY or a stream occupies the connection.
  func checkUnoccupied() throws {
    try clearAbandoned()
    guard occupation == nil else {
      throw PostgresError(.misuse("another statement while a COPY or a stream is open"))
    }
  }

  private func clearAbandoned() throws {
    guard let ticket = status.takeAbandoned() else { return }
    if occupation == .copyOut(ticket) || occupation == .stream(ticket) { try clearOccupation() }
  }
}
