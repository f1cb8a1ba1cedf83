import CLibPQ

extension PostgresConnection {
  /// Runs one statement in a transaction of its own and commits it.
  ///
  /// As ``transaction(_:readOnly:_:)`` with one statement, in two round trips instead of four and in one visit to the
  /// connection's thread: BEGIN, the settings and the statement go out together. COMMIT goes out when the statement has
  /// succeeded, and is never cancelled.
  /// - Parameter settings: what is set first: one command, without binds.
  /// - Throws: `PostgresError`, as ``transaction(_:readOnly:_:)`` does.
  public func commit<S: PostgresStatement>(_ statement: S, settings: String) async throws -> [S.Row] {
    do {
      return try await commitOnce(statement, settings: settings)
    } catch let error as PostgresError where Self.isStale(error) {
      // The schema changed under the plan, or the server forgot it; nothing was committed.
      prepared[ObjectIdentifier(S.self)] = nil
      return try await commitOnce(statement, settings: settings)
    }
  }

  private func commitOnce<S: PostgresStatement>(_ statement: S, settings: String) async throws -> [S.Row] {
    try checkUnoccupied()
    guard transactionDepth == 0 else { throw PostgresError(.misuse("a commit inside a transaction")) }
    let parameters = statement.parameters
    try parameters.check()
    let rows: [S.Row]
    do {
      let batch = try await perform(sql: S.sql) { link in
        guard link.isIdle else { throw PostgresError(.misuse("a transaction was begun by hand")) }
        let name = configuration.usesPreparedStatements ? try preparedName(S.self, parameters, on: link) : nil
        return try pipelined(["BEGIN", settings], S.sql, name: name, parameters, on: link)
      }
      rows = try batch.decodeAll(S.decode)
    } catch {
      abandon()
      throw error
    }
    try commit()
    return rows
  }

  /// Leaves a transaction that failed, if there is one.
  private func abandon() {
    guard let link else { return }
    if PQpipelineStatus(link.pointer) != PQ_PIPELINE_OFF {
      // Something could not be sent, so what will come is not known.
      close()
    } else if !link.isIdle {
      rollback()
    }
  }

  /// Sends commands and a statement at once and takes the statement's result.
  /// - Parameter name: of the prepared statement; nil to send its text.
  private func pipelined(
    _ commands: [String], _ sql: String, name: String?, _ parameters: PostgresParameters, on link: Link
  ) throws -> RowBatch {
    func check(_ isDone: Int32) throws {
      guard isDone == 1 else { throw failure(link, server: nil, sql: sql) }
    }
    try check(PQenterPipelineMode(link.pointer))
    for command in commands { try check(PQsendQueryParams(link.pointer, command, 0, nil, nil, nil, nil, 1)) }
    try check(
      parameters.withPointers { values, lengths, formats in
        let count = Int32(parameters.count)
        guard let name else {
          return PQsendQueryParams(link.pointer, sql, count, parameters.types, values, lengths, formats, 1)
        }
        return PQsendQueryPrepared(link.pointer, name, count, values, lengths, formats, 1)
      })
    try check(PQpipelineSync(link.pointer))
    let result = try takePipelined(sql, on: link)
    try check(PQexitPipelineMode(link.pointer))
    return try result.get()
  }

  /// Takes results to the end of the pipeline.
  /// - Returns: the last one, or the first failure.
  /// - Throws: `PostgresError` where the pipeline does not end.
  private func takePipelined(_ sql: String, on link: Link) throws -> Result<RowBatch, PostgresError> {
    var last: RowBatch?
    var refusal: PostgresMessage?
    var isBetween = false
    while true {
      guard let result = PQgetResult(link.pointer) else {
        // The results of each command end with none; where there are two ends, nothing more comes.
        if isBetween { throw failure(link, server: refusal, sql: sql) }
        isBetween = true
        continue
      }
      isBetween = false
      switch PQresultStatus(result) {
      case PGRES_PIPELINE_SYNC:
        PQclear(result)
        if let last, refusal == nil { return .success(last) }
        return .failure(failure(link, server: refusal, sql: sql))
      case PGRES_COMMAND_OK, PGRES_TUPLES_OK:
        last = RowBatch(result: result)
      default:
        // An aborted one says nothing; why the first failed is known better when all have been taken.
        let isAborted = PQresultStatus(result) == PGRES_PIPELINE_ABORTED
        if refusal == nil, !isAborted { refusal = PostgresMessage(result: result) }
        PQclear(result)
      }
    }
  }
}
