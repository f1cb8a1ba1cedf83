// SPDX-License-Identifier: Apache-2.0

/// Rows of a large result in bounded memory, fetched in batches.
///
/// It may be iterated more than once: each iteration runs the statement again.
public struct PostgresRowStream<Row: Sendable>: AsyncSequence, Sendable {
  /// A row.
  public typealias Element = Row

  let open: @Sendable () async throws -> StreamReader<Row>

  /// Starts at the first row.
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(batches: batches.makeAsyncIterator()) }

  /// The same rows in batches, for loops where the cost of a step for each row matters.
  public var batches: Batches { Batches(open: open) }

  /// Iterates over the rows.
  public struct AsyncIterator: AsyncIteratorProtocol {
    var batches: Batches.AsyncIterator
    var rows: [Row] = []
    var index = 0

    init(batches: Batches.AsyncIterator) { self.batches = batches }

    /// The next row, or nil at the end.
    ///
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

    /// The next row, or nil at the end.
    ///
    /// - Throws: `PostgresError`.
    public mutating func next() async throws -> Row? { try await next(isolation: nil) }
  }

  /// The rows of a stream by batches.
  public struct Batches: AsyncSequence, Sendable {
    /// A batch of rows.
    public typealias Element = [Row]

    let open: @Sendable () async throws -> StreamReader<Row>

    /// Starts at the first batch.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(open: open) }

    /// Iterates over the batches.
    public struct AsyncIterator: AsyncIteratorProtocol {
      let open: @Sendable () async throws -> StreamReader<Row>
      var reader: StreamReader<Row>?
      var isAtEnd = false

      init(open: @escaping @Sendable () async throws -> StreamReader<Row>) { self.open = open }

      /// The next batch, or nil at the end.
      ///
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

      /// The next batch, or nil at the end.
      ///
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
