// SPDX-License-Identifier: Apache-2.0

import CLibPQ

extension PostgresConnection {
  /// Runs a pipeline in one round trip and one snapshot: a separate read-only transaction with repeatable read. For
  /// statements with few rows, as for ``pipeline(_:)``.
  /// - Throws: `PostgresError` of the first statement that fails; `misuse` inside a transaction.
  public func snapshot(_ pipeline: PostgresPipeline) async throws -> PostgresPipeline.Results {
    try checkUnoccupied()
    guard transactionDepth == 0 else { throw PostgresError(.misuse("a snapshot inside a transaction")) }
    for statement in pipeline.statements { try statement.parameters.check() }
    do {
      return try await snapshotOnce(pipeline)
    } catch let error as PostgresError where Self.isStale(error) {
      forget(pipeline.statements)
      return try await snapshotOnce(pipeline)
    }
  }

  private func snapshotOnce(_ pipeline: PostgresPipeline) async throws -> PostgresPipeline.Results {
    do {
      let batches = try await perform { link in
        guard link.isIdle else { throw PostgresError(.misuse("a transaction was begun by hand")) }
        let named = try preparing(pipeline.statements, on: link)
        let begin = PipelinedStatement(command: Self.beginning(.repeatableRead, readOnly: true))
        return try pipelined([begin] + named + [PipelinedStatement(command: "COMMIT")], on: link)
      }
      return PostgresPipeline.Results(batches: Array(batches.dropFirst().dropLast()))
    } catch {
      abandon()
      throw error
    }
  }
}

extension PostgresPool {
  /// ``PostgresConnection/snapshot(_:)`` on one of its connections.
  public func snapshot(_ pipeline: PostgresPipeline) async throws -> PostgresPipeline.Results {
    try await withConnection { try await $0.snapshot(pipeline) }
  }
}
