// SPDX-License-Identifier: Apache-2.0

import CLibPQ

extension PostgresConnection {
  /// Runs one statement in a transaction of its own and commits it.
  ///
  /// As ``transaction(_:readOnly:_:)`` with one statement, in two round trips instead of four and in one call on the
  /// connection's thread: BEGIN, the settings and the statement are sent together. COMMIT is sent when the statement
  /// has succeeded, and is never cancelled.
  /// - Parameter settings: a command that runs first, without parameters.
  /// - Throws: `PostgresError`, as ``transaction(_:readOnly:_:)`` does.
  public func commit<Row>(_ statement: Statement<Row>, settings: String) async throws -> [Row] {
    do {
      return try await commitOnce(statement, settings: settings)
    } catch let error as PostgresError where Self.isStale(error) {
      // The schema changed after planning, or the server dropped the statement; nothing was committed.
      prepared[statement.sql] = nil
      return try await commitOnce(statement, settings: settings)
    }
  }

  private func commitOnce<Row>(_ statement: Statement<Row>, settings: String) async throws -> [Row] {
    try checkUnoccupied()
    guard transactionDepth == 0 else { throw PostgresError(.misuse("a commit inside a transaction")) }
    var last = PipelinedStatement(statement)
    try last.parameters.check()
    let rows: [Row]
    do {
      let batches = try await perform(sql: statement.sql) { link in
        guard link.isIdle else { throw PostgresError(.misuse("a transaction was begun by hand")) }
        if configuration.usesPreparedStatements { try last.prepare(on: self, link) }
        let opening = ["BEGIN", settings].map { PipelinedStatement(command: $0) }
        return try pipelined(opening + [last], on: link)
      }
      rows = try batches.last?.decodeAll(statement.decode) ?? []
    } catch {
      abandon()
      throw error
    }
    try commit()
    return rows
  }

  /// Rolls back a failed transaction, if there is one.
  func abandon() {
    closeBrokenPipeline()
    if let link, !link.isIdle { rollback() }
  }
}
