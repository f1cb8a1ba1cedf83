// SPDX-License-Identifier: Apache-2.0

import CLibPQ

extension PostgresConnection {
  /// Feeds a binary `COPY … FROM STDIN (FORMAT binary)` with rows of a sequence, encoded while they are sent.
  ///
  /// - Returns: The number of rows that the server stored.
  /// - Throws: `PostgresError`; then nothing was stored.
  @discardableResult
  public func copyIn<Rows: Sequence & Sendable>(
    _ sql: String, rows: Rows
  ) async throws -> Int where Rows.Element: PostgresCopyRow {
    try await startCopyIn(sql)
    do {
      var encoder = BinaryCopyEncoder()
      for row in rows {
        try encoder.append(row)
        if encoder.isFull { try await put(encoder.takeChunk(), sql: sql) }
      }
      try await put(encoder.takeEnd(), sql: sql)
      return try await endCopyIn(sql)
    } catch {
      try breakOffCopy(sql, because: error)
    }
  }

  /// Feeds a binary `COPY … FROM STDIN (FORMAT binary)` with rows that are encoded while the ones before them are sent.
  ///
  /// - Parameter next: The next rows; nil at the end.
  /// - Returns: The number of rows that the server stored.
  /// - Throws: `PostgresError`, or what `next` throws; then nothing was stored.
  @discardableResult
  public func copyIn(
    _ sql: String, next: @escaping @Sendable () async throws -> PostgresCopyRows?
  ) async throws -> Int {
    try await startCopyIn(sql)
    do {
      var encoder = BinaryCopyEncoder()
      try await put(encoder.takeChunk(), sql: sql)
      var rows = try await next()
      while let present = rows {
        async let following = next()
        try await put(present.bytes, sql: sql)
        rows = try await following
      }
      try await put(encoder.takeEnd(), sql: sql)
      return try await endCopyIn(sql)
    } catch {
      try breakOffCopy(sql, because: error)
    }
  }

  private func startCopyIn(_ sql: String) async throws {
    try checkUnoccupied()
    try await perform(sql: sql) { link in
      let batch = try accept(PQexec(link.pointer, sql), on: link, sql: sql)
      guard batch.status == PGRES_COPY_IN else { throw PostgresError(.misuse("the statement is no COPY FROM STDIN")) }
      occupation = .copyIn
    }
  }

  private func endCopyIn(_ sql: String) async throws -> Int {
    try await perform(sql: sql) { link in
      occupation = nil
      PQputCopyEnd(link.pointer, nil)
      return try finishCopy(on: link, sql: sql).affectedCount
    }
  }

  private func put(_ chunk: [UInt8], sql: String) async throws {
    guard !chunk.isEmpty else { return }
    try await perform(sql: sql) { link in
      let sent = chunk.withUnsafeBytes {
        PQputCopyData(link.pointer, $0.baseAddress?.assumingMemoryBound(to: CChar.self), Int32($0.count))
      }
      guard sent == 1 else { throw failure(link, server: nil, sql: sql) }
    }
  }

  /// Ends a failed COPY; the server's error takes precedence over a broken pipe.
  private func breakOffCopy(_ sql: String, because error: any Error) throws -> Never {
    guard occupation == .copyIn, link != nil else { throw error }
    occupation = nil
    try performWithoutCancellation(sql: sql) { link in
      PQputCopyEnd(link.pointer, "the source failed")
      do {
        _ = try finishCopy(on: link, sql: sql)
      } catch let said as PostgresError where said.sqlState != "57014" && error is PostgresError {
        if (error as? PostgresError)?.kind == .connectionLost { throw said }
      } catch {}
    }
    throw error
  }

  /// The last result of a COPY; libpq requires that all are read.
  func finishCopy(on link: LibPQConnection, sql: String) throws -> RowBatch {
    let result = PQgetResult(link.pointer)
    while let more = PQgetResult(link.pointer) { PQclear(more) }
    return try accept(result, on: link, sql: sql)
  }
}
