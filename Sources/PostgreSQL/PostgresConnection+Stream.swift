// SPDX-License-Identifier: Apache-2.0

import CLibPQ

extension PostgresConnection {
  /// Rows of a large result, through a cursor, in bounded memory.
  ///
  /// Outside a transaction the stream runs in a new one, the server prepares the next batch while the program processes
  /// the current one, and the connection accepts no other statement until the stream ends. Inside a transaction other
  /// statements may run in between.
  /// - Parameter batchSize: Rows held at once, at least 1.
  public nonisolated func stream<Row>(
    _ statement: Statement<Row>, batchSize: Int = 2_000
  ) -> PostgresRowStream<Row> {
    PostgresRowStream {
      let cursor = try await self.openCursor(sql: statement.sql, statement.parameters, batchSize: max(1, batchSize))
      return StreamReader(ticket: cursor.id, status: self.status) {
        try await self.fetch(cursor, statement.decode)
      }
    }
  }

  private func openCursor(sql: String, _ parameters: PostgresParameters, batchSize: Int) async throws -> Cursor {
    try checkUnoccupied()
    try parameters.check()
    cursorCount += 1
    let id = cursorCount
    let cursor = try await perform(sql: sql) { link in
      let isOwn = link.isIdle
      let setting = "SET LOCAL cursor_tuple_fraction = 1"
      let start = isOwn ? "BEGIN; \(setting)" : setting
      _ = try accept(PQexec(link.pointer, start), on: link, sql: start)
      if isOwn { occupation = .stream(id) }
      let cursor = Cursor(id: id, batchSize: batchSize, isOwn: isOwn)
      do {
        _ = try unnamed("DECLARE \(cursor.name) NO SCROLL CURSOR FOR \(sql)", parameters, on: link)
        if isOwn { try send(cursor, on: link) }
      } catch {
        try clearOccupation()
        throw error
      }
      return cursor
    }
    return cursor
  }

  private func fetch<Row>(_ cursor: Cursor, _ decode: (PostgresRow) throws -> Row) async throws -> [Row]? {
    if cursor.isOwn {
      guard occupation == .stream(cursor.id) else { return nil }
    } else {
      try checkUnoccupied()
      guard transactionIsOpen else { throw PostgresError(.misuse("a stream outlived its transaction")) }
    }
    do {
      let (batch, isLast) = try await perform(sql: cursor.fetchSQL) { link in
        let batch = try receive(cursor, on: link)
        // A cursor inside the caller's transaction stays open until a fetch returns no rows.
        let isLast = cursor.isOwn ? batch.rowCount < cursor.batchSize : batch.rowCount == 0
        if !isLast, cursor.isOwn { try send(cursor, on: link) }
        return (batch, isLast)
      }
      let rows = try batch.decodeAll(decode)
      if isLast { try finish(cursor) }
      return rows.isEmpty ? nil : rows
    } catch {
      if cursor.isOwn { try? performWithoutCancellation { _ in try clearOccupation() } }
      throw error
    }
  }

  private func send(_ cursor: Cursor, on link: LibPQConnection) throws {
    guard PQsendQueryParams(link.pointer, cursor.fetchSQL, 0, nil, nil, nil, nil, 1) == 1 else {
      throw failure(link, server: nil, sql: cursor.fetchSQL)
    }
  }

  private func receive(_ cursor: Cursor, on link: LibPQConnection) throws -> RowBatch {
    guard cursor.isOwn else { return try unnamed(cursor.fetchSQL, PostgresParameters(), on: link) }
    let result = PQgetResult(link.pointer)
    while let more = PQgetResult(link.pointer) { PQclear(more) }
    return try accept(result, on: link, sql: cursor.fetchSQL)
  }

  private func finish(_ cursor: Cursor) throws {
    let sql = cursor.isOwn ? "COMMIT" : "CLOSE \(cursor.name)"
    if cursor.isOwn { occupation = nil }
    try performWithoutCancellation(sql: sql) { link in
      _ = try accept(PQexec(link.pointer, sql), on: link, sql: sql)
    }
  }

  private var transactionIsOpen: Bool { link.map { !$0.isIdle } ?? false }
}

private struct Cursor: Sendable {
  let id: Int
  let batchSize: Int
  /// Whether the transaction was started for the cursor.
  let isOwn: Bool

  var name: String { "stream_\(id)" }
  var fetchSQL: String { "FETCH FORWARD \(batchSize) FROM \(name)" }
}

/// Rows of a large result in bounded memory, fetched in batches.
///
/// It may be iterated more than once: each iteration runs the statement again.
public struct PostgresRowStream<Row: Sendable>: AsyncSequence, Sendable {
  public typealias Element = Row

  let open: @Sendable () async throws -> StreamReader<Row>

  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(batches: batches.makeAsyncIterator()) }

  /// The same rows in batches, for loops where the cost of a step for each row matters.
  public var batches: Batches { Batches(open: open) }

  public struct AsyncIterator: AsyncIteratorProtocol {
    var batches: Batches.AsyncIterator
    var rows: [Row] = []
    var index = 0

    init(batches: Batches.AsyncIterator) { self.batches = batches }

    /// - Throws: `PostgresError`.
    public mutating func next(isolation actor: isolated (any Actor)?) async throws -> Row? {
      while index >= rows.count {
        guard let batch = try await batches.next(isolation: actor) else { return nil }
        rows = batch
        index = 0
      }
      defer { index += 1 }
      return rows[index]
    }

    /// - Throws: `PostgresError`.
    public mutating func next() async throws -> Row? { try await next(isolation: nil) }
  }

  public struct Batches: AsyncSequence, Sendable {
    public typealias Element = [Row]

    let open: @Sendable () async throws -> StreamReader<Row>

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(open: open) }

    public struct AsyncIterator: AsyncIteratorProtocol {
      let open: @Sendable () async throws -> StreamReader<Row>
      var reader: StreamReader<Row>?
      var isAtEnd = false

      init(open: @escaping @Sendable () async throws -> StreamReader<Row>) { self.open = open }

      /// - Throws: `PostgresError`.
      public mutating func next(isolation actor: isolated (any Actor)?) async throws -> [Row]? {
        guard !isAtEnd else { return nil }
        let current: StreamReader<Row>
        if let reader {
          current = reader
        } else {
          current = try await open()
          reader = current
        }
        do {
          if let batch = try await current.next() { return batch }
        } catch {
          isAtEnd = true
          reader = nil
          throw error
        }
        isAtEnd = true
        reader = nil
        return nil
      }

      /// - Throws: `PostgresError`.
      public mutating func next() async throws -> [Row]? { try await next(isolation: nil) }
    }
  }
}

/// One pass over a stream. When it is released before the end, the connection is told to clean up.
final class StreamReader<Row: Sendable>: Sendable {
  let next: @Sendable () async throws -> [Row]?
  private let status: ConnectionStatus
  private let ticket: Int

  init(ticket: Int, status: ConnectionStatus, next: @escaping @Sendable () async throws -> [Row]?) {
    self.ticket = ticket
    self.status = status
    self.next = next
  }

  deinit { status.abandon(ticket) }
}
