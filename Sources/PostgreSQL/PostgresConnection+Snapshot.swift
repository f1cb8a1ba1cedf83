import CLibPQ

extension PostgresConnection {
  /// Reads everything that a pipeline asks for, as it is at one moment, in one round trip: a transaction of its own of
  /// repeatable read that writes nothing. Meant for a handful of rows each, as ``pipeline(_:)`` is.
  /// - Throws: `PostgresError` of the first that fails; `misuse` inside a transaction.
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
