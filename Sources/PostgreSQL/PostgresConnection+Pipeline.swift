// SPDX-License-Identifier: Apache-2.0

import CLibPQ

extension PostgresConnection {
  /// Runs independent statements in one round trip, and reads the rows of each.
  ///
  /// They run in the given order, and all in one transaction: the open one, or a new one. When one fails, those after
  /// it have not run. For statements with few rows: sending and reading do not alternate, so neither requests nor
  /// results may exceed the socket's buffers.
  /// - Throws: `PostgresError` of the first statement that fails.
  public func pipeline<each Row>(
    _ statements: repeat Statement<each Row>
  ) async throws -> sending (repeat [each Row]) {
    try checkUnoccupied()
    var sent: [PipelinedStatement] = []
    for statement in repeat each statements { sent.append(PipelinedStatement(statement)) }
    for statement in sent { try statement.parameters.check() }
    let batches = try await pipelined(sent)
    var taken = 0
    func rows<T>(_ statement: Statement<T>) throws -> [T] {
      defer { taken += 1 }
      return try batches[taken].decodeAll(statement.decode)
    }
    return (repeat try rows(each statements))
  }

  private func pipelined(_ statements: [PipelinedStatement]) async throws -> [RowBatch] {
    do {
      return try await prepareAndRun(statements)
    } catch let error as PostgresError where Self.isStale(error) {
      forget(statements)
      guard link?.isIdle == true else { throw error }
      return try await prepareAndRun(statements)
    }
  }

  private func prepareAndRun(_ statements: [PipelinedStatement]) async throws -> [RowBatch] {
    do {
      return try await perform(opens: false) { link in
        // A statement that cannot be prepared fails inside the transaction.
        if configuration.usesPreparedStatements, statements.contains(where: { prepared[$0.sql] == nil }) {
          try sendOpening(on: link)
        }
        let named = try preparing(statements, on: link)
        guard let begin = opening else { return try pipelined(named, on: link) }
        do {
          opening = nil
          return Array(try pipelined([PipelinedStatement(command: begin)] + named, on: link).dropFirst())
        } catch {
          // When BEGIN has not run it stays pending, so that nothing runs outside the transaction.
          if link.isIdle { opening = begin }
          throw error
        }
      }
    } catch {
      closeBrokenPipeline()
      throw error
    }
  }

  /// The statements with their prepared names; they are prepared first where necessary. Unchanged where statements are
  /// not prepared.
  func preparing(_ statements: [PipelinedStatement], on link: LibPQConnection) throws -> [PipelinedStatement] {
    guard configuration.usesPreparedStatements else { return statements }
    return try statements.map { statement in
      var named = statement
      try named.prepare(on: self, link)
      return named
    }
  }

  /// Discards prepared statements after the schema changed or the server dropped one.
  func forget(_ statements: [PipelinedStatement]) {
    for statement in statements { prepared[statement.sql] = nil }
  }

  /// Closes the connection when a send has failed, because the remaining results are unknown. Not to be called within
  /// ``perform(sql:_:)``, which uses the link again after an error.
  func closeBrokenPipeline() {
    if let link, PQpipelineStatus(link.pointer) != PQ_PIPELINE_OFF { close() }
  }

  /// Sends all statements and takes the result of each.
  /// - Throws: `PostgresError` of the first statement that failed. The connection stays in pipeline mode when the
  ///   remaining results are unknown.
  func pipelined(_ statements: [PipelinedStatement], on link: LibPQConnection) throws -> [RowBatch] {
    func check(_ isDone: Int32, _ sql: String?) throws {
      guard isDone == 1 else { throw failure(link, server: nil, sql: sql) }
    }
    try check(PQenterPipelineMode(link.pointer), nil)
    for statement in statements {
      #if DEBUG
        StatementRecord.noteSent(statement.sql)
      #endif
      try check(statement.send(on: link), statement.sql)
    }
    try check(PQpipelineSync(link.pointer), nil)
    let results = try takePipelined(statements, on: link)
    try check(PQexitPipelineMode(link.pointer), nil)
    return try results.get()
  }

  /// Takes results to the end of the pipeline.
  /// - Returns: all of them, or the first failure.
  /// - Throws: `PostgresError` where the pipeline does not end.
  private func takePipelined(
    _ statements: [PipelinedStatement], on link: LibPQConnection
  ) throws -> Result<[RowBatch], PostgresError> {
    var batches: [RowBatch] = []
    var refusal: (message: PostgresMessage, sql: String?)?
    var isBetween = false
    while true {
      guard let result = PQgetResult(link.pointer) else {
        // Each command's results end with a null result; two in a row mean that nothing follows.
        if isBetween { throw failure(link, server: refusal?.message, sql: refusal?.sql) }
        isBetween = true
        continue
      }
      isBetween = false
      let sql = batches.count < statements.count ? statements[batches.count].sql : nil
      switch PQresultStatus(result) {
      case PGRES_PIPELINE_SYNC:
        PQclear(result)
        if refusal == nil, batches.count == statements.count { return .success(batches) }
        return .failure(failure(link, server: refusal?.message, sql: refusal?.sql))
      case PGRES_COMMAND_OK, PGRES_TUPLES_OK:
        batches.append(RowBatch(result: result))
      default:
        // An aborted statement has no error of its own; the first failure is thrown after all results are taken.
        let isAborted = PQresultStatus(result) == PGRES_PIPELINE_ABORTED
        if refusal == nil, !isAborted { refusal = (PostgresMessage(result: result), sql) }
        PQclear(result)
      }
    }
  }
}

struct PipelinedStatement {
  let sql: String
  let parameters: PostgresParameters
  /// The prepared statement's name; nil to send the text.
  private(set) var name: String?

  init<Row>(_ statement: Statement<Row>) {
    sql = statement.sql
    parameters = statement.parameters
  }

  /// - Parameter command: one command without parameters.
  init(command: String) {
    sql = command
    parameters = PostgresParameters()
  }

  mutating func prepare(on connection: isolated PostgresConnection, _ link: LibPQConnection) throws {
    name = try connection.preparedName(sql, parameters, on: link)
  }

  /// - Returns: libpq's result: 1 when it is queued.
  func send(on link: LibPQConnection) -> Int32 {
    parameters.withPointers { values, lengths, formats in
      let count = Int32(parameters.count)
      guard let name else {
        return PQsendQueryParams(link.pointer, sql, count, parameters.types, values, lengths, formats, 1)
      }
      return PQsendQueryPrepared(link.pointer, name, count, values, lengths, formats, 1)
    }
  }
}

/// Independent statements that are sent together; see ``PostgresConnection/run(_:)`` and
/// ``PostgresConnection/snapshot(_:)``.
///
/// A caller adds statements and keeps their places, so that statements from several callers share one round trip.
public struct PostgresPipeline: Sendable {
  /// The place of one statement's rows in the results.
  public struct Place<Row: Sendable>: Sendable {
    let index: Int
    let decode: @Sendable (PostgresRow) throws -> Row
  }

  public struct Results: Sendable {
    let batches: [RowBatch]

    /// - Parameter place: from the pipeline of these results.
    /// - Throws: `PostgresError` for a value of another type than the statement expects.
    public func rows<Row>(_ place: Place<Row>) throws -> [Row] { try batches[place.index].decodeAll(place.decode) }
  }

  private(set) var statements: [PipelinedStatement] = []

  public var isEmpty: Bool { statements.isEmpty }

  public init() {}

  /// Statements run in the order in which they were added.
  @discardableResult
  public mutating func add<Row>(_ statement: Statement<Row>) -> Place<Row> {
    statements.append(PipelinedStatement(statement))
    return Place(index: statements.count - 1, decode: statement.decode)
  }
}

extension PostgresConnection {
  /// Runs a pipeline in one round trip and one transaction: the open one, or a new one; see ``pipeline(_:)``.
  /// - Throws: `PostgresError` of the first statement that fails.
  public func run(_ pipeline: PostgresPipeline) async throws -> PostgresPipeline.Results {
    try checkUnoccupied()
    for statement in pipeline.statements { try statement.parameters.check() }
    return PostgresPipeline.Results(batches: try await pipelined(pipeline.statements))
  }

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
